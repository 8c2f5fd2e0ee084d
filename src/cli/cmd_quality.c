/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/figures/quality_report.h"
#include "src/cli/sample_options.h"

struct arguments {
	struct conversion_options conversion;
	struct words debug_dirs;
	struct quality_gate gates[GATE_COUNT];
	const char *output;
	const char *compiled; /* of --from-compiler */
	bool json, no_input;
};

static const char *read_limit(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	struct quality_gate *gate = option_field(line, row);
	char *end;

	gate->limit = strtod(value, &end);
	gate->set = true;
	return *value >= '0' && *value <= '9' && !*end && isfinite(gate->limit) ?
		       NULL :
		       "a limit takes a number, not";
}

static const char *want_enough(struct command_line *line, const struct option_row *row,
			       const char *value)
{
	(void)value;
	*(struct quality_gate *)option_field(line, row) = (struct quality_gate){true, GAIN_SHARE};
	return NULL;
}

static const struct option_row rows[] = {
	JSON_ROW("print JSON"),
	OUTPUT_ROW,
	{0, "input", "INPUT", FILE_READ,
	 "the binary that llvm-bolt read: measure the profile that\n"
	 "convert makes with it, and the gaps in the flow of its code",
	 INTO(conversion.input), .place = PLACE_INPUT, .of_samples = true},
	NO_INPUT_ROW,
	FROM_COMPILER_ROWS,
	SAMPLE_ROWS,
	{0, "enough", NULL, NO_FILE,
	 "exit code 3 if more samples would make the next binary\nmuch better, or if its gain is doubtful or not known",
	 INTO_BY(gates[GATE_ENOUGH], want_enough)},
	{0, "min-gain", "PERCENT", NO_FILE,
	 "... if the next binary is not expected to take at least PERCENT\nfewer branches than the program without llvm-bolt",
	 INTO_BY(gates[GATE_GAIN], read_limit)},
	{0, "min-stability", "PERCENT", NO_FILE,
	 "... the stability is below PERCENT: more samples would\nchange the layout",
	 INTO_BY(gates[GATE_STABILITY], read_limit)},
	{0, "min-density", "N", NO_FILE,
	 "... the profile density, as perf2bolt computes it, is below N",
	 INTO_BY(gates[GATE_DENSITY], read_limit)},
	{0, "min-kept", "PERCENT", NO_FILE, "... less than PERCENT of the usable data is kept",
	 INTO_BY(gates[GATE_KEPT], read_limit)},
	{0, "max-bias", "PERCENT", NO_FILE, "... the bias of the flow is above PERCENT",
	 INTO_BY(gates[GATE_BIAS], read_limit)},
	{0, "max-discontinuity", "PERCENT", NO_FILE, "... its discontinuity is above PERCENT",
	 INTO_BY(gates[GATE_DISCONTINUITY], read_limit)},
	{0, "max-cold", "PERCENT", NO_FILE,
	 "... the share of the hottest samples in cold code or\noriginal bodies is above PERCENT",
	 INTO_BY(gates[GATE_COLD], read_limit)},
	{0, "min-inferred", "PERCENT", NO_FILE,
	 "... of basic samples: branches are inferred from less than\nPERCENT of them",
	 INTO_BY(gates[GATE_INFERRED], read_limit)},
	{0, "max-reassigned", "PERCENT", NO_FILE,
	 "... more than PERCENT of these are reassigned to another block",
	 INTO_BY(gates[GATE_REASSIGNED], read_limit)},
	SANDBOX_ROW,
	COMMON_ROWS,
};

static const struct option_group groups[] = {
	{"json", "output"},   {"input", "binaries"}, {"input-format", "samples"},
	{"enough", "limits"}, {"sandbox", "run"},    {0},
};

static int write_report(const struct arguments *args, struct quality_report *report, bool partial)
{
	struct output output;
	struct bc_error err;

	memcpy(report->gates, args->gates, sizeof(report->gates));
	quality_judge(report);
	if (!output_open(args->output, &output, &err))
		return fail(&err);
	(args->json ? quality_json : quality_text)(report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	quality_tell_gates(report, stderr);
	if (report->conversion) {
		found_input_say(&report->conversion->found_input, stderr);
		summary_warnings(&(struct summary){.conversion = report->conversion}, stderr);
	}
	return report->failed ? EXIT_CHECK_FAILED : partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_profile(const struct arguments *args, const char *path)
{
	struct quality quality;
	struct quality_report report = {.quality = &quality, .path = path};
	struct bc_error err;
	bool mine;

	if (!quality_of_profile(path, &quality, &mine, &err)) {
		if (err.code == BC_FORMAT && !mine) {
			bc_fail(&err, BC_FORMAT, "%s: is neither fdata nor BOLT's YAML", path);
			bc_hint(&err, "for samples: batconv quality OPTIMIZED SAMPLES");
		}
		return fail(&err);
	}
	return write_report(args, &report, false);
}

static int run_samples(struct arguments *args)
{
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(quality_sources_free) struct quality_sources sources = {0};
	struct quality quality;
	struct quality_report report = {
		.quality = &quality, .conversion = &conversion, .path = args->conversion.binary};
	struct bc_error err = {0};

	if (!measure_samples(&conversion, &sources, &quality, &err))
		return fail(&err);
	return write_report(args, &report, conversion.partial);
}

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	sample_options_as_recorded(&args->conversion);
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;

	if (args->conversion.input && args->no_input)
		return usage_error(line->command, BOTH_INPUTS, NULL);
	args->conversion.find_input = input_is_sought(args->no_input);
	int code = compiler_in_place_of_samples(line, args->compiled, &args->debug_dirs,
						&args->conversion);
	if (code != EXIT_DONE || args->compiled)
		return code;
	if (!line->operands.len)
		return usage_error(line->command, "no binary and no profile given", NULL);
	if (line->operands.len > 1)
		return sample_operands(line, &args->debug_dirs, &args->conversion);
	if (args->conversion.input)
		return usage_error(line->command, "--input is for samples, and none are given for",
				   line->operands.at[0]);
	return EXIT_DONE;
}

static int run_quality(struct command_line *line)
{
	return line->operands.len == 1 ? run_profile(line->arguments, line->operands.at[0]) :
					 run_samples(line->arguments);
}

const struct command quality_command = {
	.name = "quality",
	.args = "[OPTION]... OPTIMIZED [SAMPLES]...",
	.help = "say how good a profile of these samples is\n\n"
		"Are there enough samples, are they of this build, what do they cover, does the layout\n"
		"of the binary fit them, are the counts consistent, and what was dropped?  SAMPLES are\n"
		"as for convert; '-' is stdin.  Instead of both, give a profile (fdata or BOLT's YAML) alone;\n"
		"--from-compiler=BINARY has no operand.\n"
		"Exit code 3: a limit was not met, or the samples are of another build.",
	.groups = groups,
	.examples =
		"batconv quality prog.bolt perf.data                      # how good the profile will be\n"
		"batconv quality last.fdata                               # of a profile\n"
		"batconv quality --enough prog.bolt perf.data --input=prog  # exit code 3 if not enough",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_BINARY, PLACE_SAMPLES},
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_quality,
};
