/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/measure.h"
#include "src/cli/print.h"
#include "src/cli/quality.h"
#include "src/cli/sample_options.h"
#include "src/cli/sandbox_option.h"

enum { OPT_JSON = 256, OPT_INPUT, OPT_GATES };

static const struct option_row rows[] = {
	{OPT_JSON, "json", NULL, NO_FILE, "print JSON"},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)"},
	{OPT_INPUT, "input", "INPUT", FILE_READ, "the binary that llvm-bolt read: figures of the profile that\n"
	 "convert makes with it, and gaps in the flow of its code"},
	SAMPLE_ROWS,
	{OPT_GATES + GATE_DENSITY, "min-density", "N", NO_FILE, "exit code 3 if the density is below N"},
	{OPT_GATES + GATE_KEPT, "min-kept", "PERCENT", NO_FILE, "... less than PERCENT of the usable data is kept"},
	{OPT_GATES + GATE_BIAS, "max-bias", "PERCENT", NO_FILE, "... the bias of the flow is above PERCENT"},
	{OPT_GATES + GATE_DISCONTINUITY, "max-discontinuity", "PERCENT", NO_FILE, "... its discontinuity is above PERCENT"},
	{OPT_GATES + GATE_COLD, "max-cold", "PERCENT", NO_FILE, "... the share of the hottest samples in cold or old\ncode is above PERCENT"},
	{OPT_GATES + GATE_INFERRED, "min-inferred", "PERCENT", NO_FILE, "... of plain samples: branches are inferred from less than\nPERCENT of them"},
	{OPT_GATES + GATE_MOVED, "max-moved", "PERCENT", NO_FILE, "... more than PERCENT of these count in another block than\nwhere they were taken"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

static const struct quality_gate gates[GATE_COUNT] = {
	[GATE_DENSITY] = {"density", true, false, 0},
	[GATE_KEPT] = {"kept", true, false, 0},
	[GATE_BIAS] = {"bias", false, false, 0},
	[GATE_DISCONTINUITY] = {"discontinuity", false, false, 0},
	[GATE_COLD] = {"cold", false, false, 0},
	[GATE_INFERRED] = {"inferred", true, false, 0},
	[GATE_MOVED] = {"moved", false, false, 0},
};

struct arguments {
	struct conversion_options conversion;
	struct debug_dir_vec debug_dirs;
	struct quality_gate gates[GATE_COUNT];
	const char *output;
	bool json, help;
};

static bool parse_limit(const char *value, struct quality_gate *gate)
{
	char *end;

	gate->limit = strtod(value, &end);
	gate->set = true;
	return *value >= '0' && *value <= '9' && !*end && isfinite(gate->limit);
}

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case OPT_JSON: args->json = true; return NULL;
	case 'o': args->output = value; return NULL;
	case 'h': args->help = true; return NULL;
	case OPT_INPUT: args->conversion.input = value; return NULL;
	}
	if (id < OPT_GATES || id >= OPT_GATES + GATE_COUNT)
		return sample_option(&args->conversion, &args->debug_dirs, id, value);
	return parse_limit(value, &args->gates[id - OPT_GATES]) ? NULL : "a limit takes a number, not";
}

static int write_report(const struct arguments *args, struct quality_report *report, bool partial)
{
	struct output output;
	struct bc_error err;

	quality_judge(report);
	if (!output_open(args->output, &output, &err))
		return fail(&err);
	(args->json ? quality_json : quality_text)(report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	quality_tell_gates(report, stderr);
	if (report->summary)
		summary_warnings(report->summary, stderr);
	return report->wanting ? EXIT_WANTING : partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_profile(const struct arguments *args, const char *path)
{
	struct quality quality;
	struct quality_report report = {.quality = &quality, .path = path, .gates = args->gates};
	struct bc_error err;
	bool mine;

	if (!quality_of_profile(path, &quality, &mine, &err)) {
		if (err.code == BC_FORMAT && !mine)
			bc_fail(&err, BC_FORMAT, "%s: is neither fdata nor BOLT's YAML (of samples: batconv quality OPTIMIZED SAMPLES)", path);
		return fail(&err);
	}
	return write_report(args, &report, false);
}

static int run_samples(struct arguments *args)
{
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(quality_sources_free) struct quality_sources sources = {0};
	struct summary summary = {.conversion = &conversion};
	struct quality quality;
	struct quality_report report = {.quality = &quality, .summary = &summary, .path = args->conversion.binary,
					.gates = args->gates};
	struct bc_error err = {0};

	if (!measure_samples(&conversion, &sources, &quality, &err))
		return fail(&err);
	return write_report(args, &report, conversion.partial);
}

/* Measures the operands, of which there is at least one. */
static int run_operands(const struct command *command, int argc, char **argv, struct arguments *args)
{
	if (optind + 1 < argc) {
		int code = sample_operands(command, argc, argv, &args->conversion);
		return code == EXIT_DONE ? run_samples(args) : code;
	}
	if (args->conversion.input)
		return usage_error(command, "--input is of samples, and none are given for", argv[optind]);
	return run_profile(args, argv[optind]);
}

static int run_quality(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};

	memcpy(args.gates, gates, sizeof(gates));
	sample_options_as_recorded(&args.conversion);
	int code = options_apply(command, argc, argv, apply_option, &args);
	if (code == EXIT_DONE && args.help)
		command_help(command, stdout);
	else if (code == EXIT_DONE)
		code = optind == argc ? usage_error(command, "no binary and no profile given", NULL)
				      : run_operands(command, argc, argv, &args);
	debug_dir_vec_free(&args.debug_dirs);
	return code;
}

const struct command quality_command = {
	"quality", "[OPTION]... OPTIMIZED [SAMPLES]...",
	"say how good a profile of these samples is\n\n"
	"Are there enough samples, are they of this build, what do they cover, does the layout\n"
	"of the binary fit them, are the counts consistent, and what was dropped?  SAMPLES are\n"
	"as for convert; '-' is stdin.  The only operand can be a profile (fdata or BOLT's YAML).\n"
	"Exit code 3: a limit was not met, or the samples are of another build.",
	rows, BC_COUNT(rows), FILE_READ, run_quality, NULL,
};
