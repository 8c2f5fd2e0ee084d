/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/output/verification.h"

enum { OPT_INPUT = 256, OPT_JSON, OPT_SARIF, OPT_FAIL_ON, OPT_LIMIT, OPT_NO_CODE, OPT_SAMPLE,
       OPT_SEED };

static const struct option_row rows[] = {
	{'i', "input", "FILE", FILE_READ, "also check against the binary that llvm-bolt read"},
	{OPT_FAIL_ON, "fail-on", "SEVERITY:error,warning,note", NO_FILE, "exit 3 if a finding is at least this severe: error,\nwarning (default) or note"},
	{OPT_JSON, "json", NULL, NO_FILE, "print the findings as JSON"},
	{OPT_SARIF, "sarif", NULL, NO_FILE, "print the findings as SARIF 2.1.0, for code-scanning tools"},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)"},
	{OPT_LIMIT, "limit", "N", NO_FILE, "show at most N findings of each kind (default: 20);\nall are counted"},
	{OPT_NO_CODE, "no-code", NULL, NO_FILE, "do not decode instructions: faster, needs no libLLVM"},
	{OPT_SAMPLE, "sample-check", "N", NO_FILE, "translate N random addresses in two independent ways;\n"
	 "with --input compare the instructions there"},
	{OPT_SEED, "seed", "N", NO_FILE, "seed of the random addresses (default: 1)"},
	THREADS_ROW,
	SANDBOX_ROW,
	{'q', "quiet", NULL, NO_FILE, "print only findings"},
	{'h', "help", NULL, NO_FILE, "show this help"},
};

enum form { FORM_TEXT, FORM_JSON, FORM_SARIF };
#define TWO_FORMS "--json and --sarif exclude each other"

struct arguments {
	struct verify_options verify;
	enum severity fail_on;
	enum form form;
	const char *output;
	uint64_t sample, seed;
	bool quiet, help;
};

static bool parse_severity(const char *value, enum severity *out)
{
	for (unsigned i = SEVERITY_NOTE; i <= SEVERITY_ERROR; i++) {
		if (!strcmp(value, severity_name((enum severity)i))) {
			*out = (enum severity)i;
			return true;
		}
	}
	return false;
}

static bool parse_number(const char *value, uint64_t most, uint64_t *out)
{
	return text_dec(text_of(value), out) && *out <= most;
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;
	uint64_t number = 0;

	switch (id) {
	case 'i': args->verify.input = value; break;
	case 'o': args->output = value; break;
	case 'q': args->quiet = true; break;
	case 'h': args->help = true; break;
	case OPT_JSON:
	case OPT_SARIF:
		if (args->form != FORM_TEXT && args->form != (id == OPT_JSON ? FORM_JSON : FORM_SARIF))
			return TWO_FORMS;
		args->form = id == OPT_JSON ? FORM_JSON : FORM_SARIF;
		break;
	case OPT_NO_CODE: args->verify.no_code = true; break;
	case OPT_FAIL_ON:
		if (!parse_severity(value, &args->fail_on))
			return "--fail-on takes error, warning or note, not";
		break;
	case OPT_LIMIT:
		if (!parse_number(value, SIZE_MAX, &number))
			return "--limit takes a number, not";
		args->verify.most = (size_t)number;
		break;
	case OPT_SAMPLE:
		if (!parse_number(value, 100000000, &args->sample) || !args->sample)
			return "--sample-check takes a number from 1 to 100000000, not";
		break;
	case OPT_SEED:
		if (!parse_number(value, UINT64_MAX, &args->seed))
			return "--seed takes a number, not";
		break;
	case OPTION_THREADS: return threads_option(value, &args->verify.threads);
	}
	return NULL;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	int code = options_apply(command, argc, argv, apply_option, args);

	if (code != EXIT_DONE || args->help)
		return code;
	if (argc != optind + 1)
		return argc == optind ? usage_error(command, "no binary given", NULL)
				      : usage_error(command, "one binary at a time, not also", argv[optind + 1]);
	args->verify.binary = argv[optind];
	return EXIT_DONE;
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
	bool ok = sample_check(&report->subject, compares ? &input : NULL, args->sample, args->seed, out, &report->findings);
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
	return findings_at_least(&found->verify->findings, args->fail_on) ? EXIT_WANTING : EXIT_DONE;
}

static int run_verify(const struct command *command, int argc, char **argv)
{
	struct arguments args = {.verify = {.threads = parallel_threads(), .most = 20},
				 .fail_on = SEVERITY_WARNING, .seed = 1};
	struct verify_report verify;
	struct sample_result sample = {0};
	struct bc_error err;
	int code = parse(command, argc, argv, &args);

	if (code != EXIT_DONE)
		return code;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	if (!verify_run(&args.verify, &verify, &err))
		return fail_always(&err);
	struct verification found = {&verify, NULL, args.verify.binary, args.verify.input, BATCONV_VERSION};
	if (args.sample && verify.linked)
		found.sample = &sample;
	if (!found.sample || run_sample(&args, &verify, &sample, &err))
		code = write_findings(&args, &found);
	else
		code = fail_always(&err);
	verify_free(&verify);
	return code;
}

const struct command verify_command = {
	"verify", "[OPTION]... BINARY",
	"check the BAT section of a binary\n\n"
	"BINARY is a binary from 'llvm-bolt --enable-bat', or such a section alone.\n"
	"Every finding has an id, a severity, a place and a remedy; batconv-verify(1)\n"
	"lists them.  Exit code 3: there are findings of the severity of --fail-on\n"
	"or worse.",
	rows, BC_COUNT(rows), FILE_READ, run_verify, NULL,
};
