/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/cli/operands.h"
#include "src/figures/verification.h"

enum form { FORM_TEXT, FORM_JSON, FORM_SARIF };
#define TWO_FORMS "--json and --sarif exclude each other"

struct arguments {
	struct verify_options verify;
	enum severity fail_on;
	enum form form;
	const char *output;
	uint64_t sample, seed;
	bool quiet, no_input;
};

static const char *read_severity(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	for (unsigned i = SEVERITY_NOTE; i <= SEVERITY_ERROR; i++) {
		if (!strcmp(value, severity_name((enum severity)i))) {
			*(unsigned *)option_field(line, row) = i;
			return NULL;
		}
	}
	return OPTION_WRONG;
}

static const char *read_form(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	struct arguments *args = line->arguments;

	if (args->form != FORM_TEXT && (unsigned)args->form != row->value)
		return TWO_FORMS;
	return option_set(line, row, value);
}

static const struct option_row rows[] = {
	{'i', "input", "FILE", FILE_READ, "also check against the binary that llvm-bolt read",
	 INTO(verify.input), .place = PLACE_INPUT},
	NO_INPUT_ROW,
	{0, "fail-on", "SEVERITY:error,warning,note", NO_FILE,
	 "exit 3 if a finding is at least this severe: error,\nwarning (default) or note",
	 INTO_BY(fail_on, read_severity)},
	{0, "json", NULL, NO_FILE, "print the findings as JSON", INTO_BY(form, read_form),
	 .value = FORM_JSON},
	{0, "sarif", NULL, NO_FILE, "print the findings as SARIF 2.1.0, for code-scanning tools",
	 INTO_BY(form, read_form), .value = FORM_SARIF},
	OUTPUT_ROW,
	{0, "limit", "N", NO_FILE,
	 "show at most N findings of each kind (default: 20);\nall are counted",
	 INTO_BY(verify.most, option_size), .takes = "a number"},
	{0, "no-code", NULL, NO_FILE, "do not decode instructions: faster, needs no libLLVM",
	 INTO(verify.no_code)},
	{0, "sample-check", "N", NO_FILE,
	 "translate N random addresses in two independent ways;\n"
	 "with --input compare the instructions there",
	 INTO(sample), .takes = "a number from 1 to 100000000", .least = 1, .most = 100000000},
	{0, "seed", "N", NO_FILE, "seed of the random addresses (default: 1)", INTO(seed),
	 .takes = "a number"},
	{0, "unwind", NULL, NO_FILE,
	 "with --input: compare also what stack traces, profilers and\nexceptions read, at each instruction",
	 INTO(verify.unwind)},
	{0, "dwarf", NULL, NO_FILE,
	 "with --input: compare also source lines, scopes and\nvariables in debug information, at each instruction",
	 INTO(verify.dwarf)},
	THREADS_ROW(verify.threads),
	SANDBOX_ROW,
	QUIET_ROW("print only findings"),
	COMMON_ROWS,
};

static void prepare(struct command_line *line)
{
	*(struct arguments *)line->arguments =
		(struct arguments){.verify = {.threads = parallel_threads(), .most = 20},
				   .fail_on = SEVERITY_WARNING,
				   .seed = 1};
}

/* Exit code 3 is for findings. */
static int fail_always(const struct bc_error *err)
{
	(void)fail(err);
	return EXIT_FAILED;
}

static bool run_sample(const struct arguments *args, struct verify_report *report,
		       struct sample_result *out, struct bc_error *err)
{
	const struct verify_options *v = &args->verify;
	const uint64_t *counts = report->findings.counts;
	bool compares = v->input && !counts[FINDING_INPUT_BUILD] && !counts[FINDING_INPUT_OTHER];
	struct input input;

	if (compares && !input_open(v->input, &input, err))
		return false;
	bool ok = sample_check(&report->subject, compares ? &input : NULL, args->sample, args->seed,
			       out, &report->findings);
	if (compares)
		input_close(&input);
	return ok || bc_fail_nomem(err);
}

static int write_findings(const struct arguments *args, const struct verification *found)
{
	struct output output;
	struct bc_error err;

	if (!output_open(args->output, &output, &err))
		return fail_always(&err);
	if (args->form == FORM_JSON)
		verification_json(found, output.file);
	else if (args->form == FORM_SARIF)
		verification_sarif(found, output.file);
	else
		verification_text(found, args->quiet, output.file);
	if (!output_commit(&output, &err))
		return fail_always(&err);
	return findings_at_least(&found->verify->findings, args->fail_on) ? EXIT_CHECK_FAILED :
									    EXIT_DONE;
}

/* What is said of an option that compares both binaries. */
struct comparing {
	const char *no_code, *no_input, *no_binary;
};
#define COMPARING(option)                                                                          \
	{option " compares instructions, and --no-code decodes none",                              \
	 option " needs the input: leave out --no-input",                                          \
	 option " needs the binary that llvm-bolt read: --input=FILE"}

/* NULL: none was given. */
static const struct comparing *comparing(const struct arguments *args)
{
	static const struct comparing unwind = COMPARING("--unwind"), dwarf = COMPARING("--dwarf");

	return args->verify.unwind ? &unwind : args->verify.dwarf ? &dwarf : NULL;
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const struct comparing *asked = comparing(args);

	if (args->verify.input && args->no_input)
		return usage_error(line->command, BOTH_INPUTS, NULL);
	if (asked && args->verify.no_code)
		return usage_error(line->command, asked->no_code, NULL);
	return asked && args->no_input ? usage_error(line->command, asked->no_input, NULL) :
					 EXIT_DONE;
}

/* Without a table there is nothing to compare with an input: that is what is reported first. */
static bool is_bolted(const char *path, struct bc_error *err)
{
	struct binary binary;

	if (!binary_map(path, &binary, err))
		return true; /* verify_run() says what is wrong */
	bool bolted = binary.kind == BINARY_SECTION || binary_find_note(&binary, err) ||
		      err->code != BC_NOTFOUND;
	binary_close(&binary);
	return bolted || bc_fail_prefix(err, path);
}

static int run_verify(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct verify_report verify;
	BC_AUTO(found_input_free) struct found_input found_input = {0};
	struct sample_result sample = {0};
	struct bc_error err;
	int code;

	args->verify.binary = line->operands.at[0];
	if (!args->verify.input && input_is_sought(args->no_input))
		args->verify.input = found_input_path(args->verify.binary, NULL, &found_input);
	if (comparing(args) && !args->verify.input && !is_bolted(args->verify.binary, &err))
		return fail_always(&err);
	if (comparing(args) && !args->verify.input)
		return usage_error(line->command, comparing(args)->no_binary, NULL);
	if (!verify_run(&args->verify, &verify, &err))
		return fail_always(&err);
	struct verification found = {&verify, NULL, args->verify.binary, args->verify.input,
				     BATCONV_VERSION};
	if (args->sample && verify.linked)
		found.sample = &sample;
	if (!found.sample || run_sample(args, &verify, &sample, &err))
		code = write_findings(args, &found);
	else
		code = fail_always(&err);
	if (code != EXIT_FAILED)
		found_input_tell(&found_input);
	verify_free(&verify);
	return code;
}

const struct command verify_command = {
	.name = "verify",
	.args = "[OPTION]... BINARY",
	.help = "check the BAT section of a binary\n\n"
		"BINARY is a binary from 'llvm-bolt --enable-bat', or such a section alone.\n"
		"Every finding has an id, a severity, a location and a remedy; batconv-verify(1)\n"
		"lists them.  Exit code 3: there are findings of the severity of --fail-on\n"
		"or worse.",
	.examples =
		"batconv verify prog.bolt                                 # the BAT section alone\n"
		"batconv verify --input=prog prog.bolt                    # also against the input binary\n"
		"batconv verify --input=prog --unwind prog.bolt           # also what stack traces read",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_TABLE, PLACE_TABLE},
	.count = ONE_BINARY,
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_verify,
};
