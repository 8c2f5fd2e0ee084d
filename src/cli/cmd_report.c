/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdlib.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/measure.h"
#include "src/cli/print.h"
#include "src/cli/profile_input.h"
#include "src/cli/report_data.h"
#include "src/cli/sample_options.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/say.h"
#include "src/report/page.h"
#include "src/symbolize/debug_lines.h"

enum { OPT_INPUT = 256, OPT_AGAINST };

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the page to FILE"},
	{OPT_INPUT, "input", "INPUT", FILE_READ, "the binary that llvm-bolt read: the same code at its places\n"
	 "there, and gaps in the flow of its code"},
	{OPT_AGAINST, "against", "PROFILE", FILE_READ, "a profile to compare with: fdata, BOLT's YAML, or samples of\n"
	 "OPTIMIZED"},
	SAMPLE_ROWS,
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	struct conversion_options conversion;
	struct debug_dir_vec debug_dirs;
	const char *output, *against;
	bool help;
};

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case 'o': args->output = value; break;
	case 'h': args->help = true; break;
	case OPT_INPUT: args->conversion.input = value; break;
	case OPT_AGAINST: args->against = value; break;
	default: return sample_option(&args->conversion, &args->debug_dirs, id, value);
	}
	return NULL;
}

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
	ok = ok && (whole || bc_fail_nomem(err)) && write_page(path, (struct text){text, size}, err);
	free(text);
	return ok;
}

/* ---- what it is made of ---- */

/* Shows samples of another build, too: that they are is what its first sentence says. */
static int run(struct arguments *args)
{
	BC_AUTO(flat_free) struct flat_profile other = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(quality_sources_free) struct quality_sources sources = {.by_byte = true};
	struct summary summary = {.conversion = &conversion};
	const struct quality_gate gates[GATE_COUNT] = {0};
	struct quality quality;
	struct quality_report report = {.quality = &quality, .summary = &summary, .path = args->conversion.binary, .gates = gates};
	const struct report_data data = {&args->conversion, &report, &sources, args->against, args->against ? &other : NULL};
	struct bc_error err = {0};
	bool partial = false;

	if (args->against && !profile_input_read(args->against, args->conversion.binary, &other, &partial, &err))
		return fail(&err);
	if (!measure_samples(&conversion, &sources, &quality, &err))
		return fail(&err);
	quality_judge(&report);
	if (!make_page(args->output, &data, &err))
		return fail(&err);
	summary_warnings(&summary, stderr);
	if (!debug_lines_library(&err))
		say(stderr, "warning: the page has no source lines: libdw: %s", err.text);
	return report.wanting ? EXIT_WANTING : partial || conversion.partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_report(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};

	sample_options_as_recorded(&args.conversion);
	int code = options_apply(command, argc, argv, apply_option, &args);
	if (code == EXIT_DONE && args.help) {
		command_help(command, stdout);
	} else if (code == EXIT_DONE) {
		code = sample_operands(command, argc, argv, &args.conversion);
		if (code == EXIT_DONE)
			code = args.output ? run(&args) : usage_error(command, "a file must be given for the page: -o FILE", NULL);
	}
	debug_dir_vec_free(&args.debug_dirs);
	return code;
}

const struct command report_command = {
	"report", "[OPTION]... -o FILE OPTIMIZED SAMPLES...",
	"show how good a profile is, and where code ran, on a page for a browser\n\n"
	"One file that loads nothing: figures and verdicts of 'quality', what was dropped, heat over\n"
	"addresses, the hottest functions and their blocks.  SAMPLES are what convert takes; '-' is\n"
	"stdin.\n"
	"Exit code 3: the samples are of another build, or none is in a function.",
	rows, BC_COUNT(rows), FILE_READ, run_report, NULL,
};
