/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/base/library.h"
#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/figures/quality_report.h"
#include "src/figures/overlap.h"
#include "src/cli/sample_options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/elf/libdw.h"
#include "src/isa/llvm.h"
#include "src/figures/page.h"

struct arguments {
	struct conversion_options conversion;
	struct words debug_dirs;
	const char *output, *against;
	const char *compiled; /* of --from-compiler */
	bool no_input, verify;
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the page to FILE", INTO(output)},
	{0, "input", "INPUT", FILE_READ,
	 "the binary that llvm-bolt read: the same code at its addresses\n"
	 "there, and gaps in the flow of its code",
	 INTO(conversion.input), .place = PLACE_INPUT, .of_samples = true},
	NO_INPUT_ROW,
	FROM_COMPILER_ROWS,
	{0, "against", "PROFILE", FILE_READ,
	 "a profile to compare with: fdata, BOLT's YAML, or samples of\n"
	 "OPTIMIZED",
	 INTO(against), .place = PLACE_MEASURED},
	{0, "verify", NULL, NO_FILE,
	 "name what 'verify' finds in OPTIMIZED; with the input what\n'verify --unwind --dwarf' does",
	 INTO(verify), .of_samples = true},
	SAMPLE_ROWS,
	SANDBOX_ROW,
	COMMON_ROWS,
};

/* ---- the page ---- */

static bool write_page(const char *path, struct text data, struct bc_error *err)
{
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	page_write(data, output.file);
	return output_commit(&output, err);
}

/* Makes the data in memory, so that no output is begun before they are whole. */
static bool make_page(const char *path, const struct report_data *data, struct bc_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return bc_fail_nomem(err);
	bool ok = report_data_write(data, memory, err);
	bool whole = !ferror(memory);
	whole &= !fclose(memory);
	ok = ok && (whole || bc_fail_nomem(err)) &&
	     write_page(path, (struct text){text, size}, err);
	free(text);
	return ok;
}

/* ---- what it is made of ---- */

#define FINDINGS_KEPT 20 /* of each kind */

static bool verify_binary(const struct conversion *conversion, struct verify_report *out,
			  struct bc_error *err)
{
	const struct conversion_options *options = &conversion->options;
	const struct verify_options verify = {.binary = options->binary,
					      .input = options->input,
					      .unwind = options->input,
					      .dwarf_if_any = options->input,
					      .threads = conversion->threads,
					      .most = FINDINGS_KEPT};

	return verify_run(&verify, out, err);
}

/* Shows samples of another build, too: that they are is what its first sentence says. */
static int run(struct command_line *line)
{
	struct arguments *args = line->arguments;
	BC_AUTO(flat_free) struct flat_profile other = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(quality_sources_free) struct quality_sources sources = {.by_byte = true};
	struct summary summary = {.conversion = &conversion};
	struct quality quality;
	struct quality_report report = {
		.quality = &quality, .conversion = &conversion, .path = args->conversion.binary};
	struct verify_report checked = {.code = CODE_NONE};
	const struct report_data data = {BATCONV_VERSION,
					 &report,
					 &sources,
					 args->against,
					 args->against ? &other : NULL,
					 args->verify ? &checked : NULL};
	struct bc_error err = {0};
	bool partial = false;

	if (args->against && !profile_input_read(args->against, args->conversion.binary, false,
						 &other, &partial, &err))
		return fail(&err);
	if (!measure_samples(&conversion, &sources, &quality, &err))
		return fail(&err);
	quality_judge(&report);
	if (args->verify && !verify_binary(&conversion, &checked, &err))
		return fail(&err);
	bool made = make_page(args->output, &data, &err);
	verify_free(&checked);
	if (!made)
		return fail(&err);
	found_input_say(&conversion.found_input, stderr);
	summary_warnings(&summary, stderr);
	if (checked.no_dwarf.code != BC_OK && checked.no_dwarf.code != BC_NOTFOUND)
		say_warning(stderr, "debug information is not compared: %s", checked.no_dwarf.text);
	if (!libdw_version(&err))
		say_warning(stderr, "the page has no source lines: libdw: %s", err.text);
	if (!llvm_loaded())
		say_warning(stderr, "the page has no instructions: libLLVM: %s",
			    library_none() ? library_none() :
					     "none is found; install one of the releases 14 to 23");
	return report.failed                 ? EXIT_CHECK_FAILED :
	       partial || conversion.partial ? EXIT_PARTIAL :
					       EXIT_DONE;
}

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	sample_options_as_recorded(&args->conversion);
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	int code;

	if (args->conversion.input && args->no_input)
		return usage_error(line->command, BOTH_INPUTS, NULL);
	args->conversion.find_input = input_is_sought(args->no_input);
	code = compiler_in_place_of_samples(line, args->compiled, &args->debug_dirs,
					    &args->conversion);
	if (code == EXIT_DONE && !args->compiled)
		code = sample_operands(line, &args->debug_dirs, &args->conversion);
	if (code != EXIT_DONE)
		return code;
	return args->output ? EXIT_DONE :
			      usage_error(line->command,
					  "a file must be given for the page: -o FILE", NULL);
}

const struct command report_command = {
	.name = "report",
	.args = "[OPTION]... -o FILE OPTIMIZED SAMPLES...",
	.help = "show how good a profile is, and where code ran, on a page for a browser\n\n"
		"One file that loads nothing: figures and verdicts of 'quality', what was dropped, heat over\n"
		"addresses, the hottest functions and their blocks.  SAMPLES are what convert takes; '-' is\n"
		"stdin.\n"
		"Exit code 3: the samples are of another build, or none is in a function.",
	.examples = "batconv report prog.bolt perf.data -o report.html\n"
		    "batconv report --against=last.fdata prog.bolt perf.data -o report.html\n"
		    "batconv report --verify prog.bolt perf.data -o report.html",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_BINARY, PLACE_SAMPLES},
	.advised_output = "prog.html",
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run,
};
