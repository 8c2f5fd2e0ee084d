/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/cli/workload_options.h"
#include "src/figures/trial_report.h"
#include "src/trial/trial.h"

struct arguments {
	struct workload_arguments work;
	const char *output, *page;
	bool json, markdown, decide, quiet;
	struct percent most;
	struct number rounds, warm_up;
};

static const struct option_row rows[] = {
	WORKLOAD_SERVER_ROWS,
	WORKLOAD_BUDGET_ROW("begin no round after TIME, such as 60, 10m or 1h (default: 2m)"),
	{0, "rounds", "N", NO_FILE,
	 "end after N rounds (default: when all is decided); 0: only\ncount", INTO(rounds),
	 .takes = "a number", .most = 100000},
	{0, "warm-up", "N", NO_FILE, "rounds before those that count (default: 1)", INTO(warm_up),
	 .takes = "a number to 1000", .most = 1000},
	WORKLOAD_MARGIN_ROWS,
	WORKLOAD_COUNTED_ROW(
		"also count instructions, taken branches and I-cache misses of\nWORKLOAD, or of a shorter COMMAND, by valgrind (50 times as slow)"),
	{0, "ignore-output", NULL, NO_FILE,
	 "also compare binaries whose output or exit code differs", INTO(work.ignore_output)},
	{0, "max-loss", "PERCENT", NO_FILE,
	 "exit code 3 if a binary is slower by more than PERCENT", INTO(most),
	 .takes = "a number from 0 to 100"},
	{0, "decide", NULL, NO_FILE, "exit code 3 if a comparison is undecided", INTO(decide)},
	{0, "page", "FILE", FILE_WRITTEN,
	 "write a page for a browser to FILE: verdicts, the intervals after\neach round, and counts",
	 INTO(page)},
	{0, "markdown", NULL, NO_FILE, "as a table of markdown", INTO(markdown)},
	JSON_ROW("as JSON"),
	OUTPUT_ROW,
	QUIET_ROW("print only warnings and errors"),
	COMMON_ROWS,
};

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	workload_arguments_prepare(&args->work);
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (args->json && args->markdown)
		return usage_error(line->command, "--json or --markdown, not both", NULL);
	if (args->rounds.given && !args->rounds.is && !args->work.counted)
		return usage_error(line->command, "--rounds=0 times nothing, and needs --counted",
				   NULL);
	return workload_arguments_check(line, &args->work);
}

static void show_round(void *ctx, size_t rounds)
{
	(void)ctx;
	fprintf(stderr, "\r\033[Kbatconv: round %zu", rounds);
}

/* Both outputs or none. */
static bool write_outputs(const struct arguments *args, const struct trial_report *report,
			  struct bc_error *err)
{
	struct output outputs[2] = {0};
	bool ok = output_open(args->output, &outputs[0], err) &&
		  (!args->page || output_open(args->page, &outputs[1], err));

	if (ok)
		(args->json     ? trial_json :
		 args->markdown ? trial_markdown :
				  trial_text)(report, outputs[0].file);
	if (ok && args->page)
		trial_page(report, outputs[1].file);
	return output_end_all(outputs, BC_COUNT(outputs), ok, err);
}

static int write_report(const struct arguments *args, const struct contest *trial)
{
	struct trial_report report = {.version = BATCONV_VERSION,
				      .trial = trial,
				      .served = args->work.serve,
				      .has_most = args->most.given,
				      .most = args->most.is,
				      .decide = args->decide};
	struct bc_error err;

	trial_judge(&report);
	if (!write_outputs(args, &report, &err))
		return fail(&err);
	trial_tell_failure(&report, stderr);
	return report.failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

static int run_compare(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(workload_words_free) struct workload_words words = {0};
	BC_AUTO(trial_free) struct contest trial = {0};
	bool shows = !args->quiet && isatty(STDERR_FILENO);
	struct trial_options options = {.budget = option_seconds(args->work.budget),
					.margin = args->work.margin.is / 100,
					.warm_up = args->warm_up.given ? args->warm_up.is : 1,
					.rounds = args->rounds.is,
					.untimed = args->rounds.given && !args->rounds.is,
					.ignore_output = args->work.ignore_output,
					.each_round = shows ? show_round : NULL};
	struct bc_error err;

	if (!workload_words_take(line, &args->work, &words, &err))
		return fail(&err);
	options.counted = args->work.counted ? &words.counting : NULL;
	bool ok = binaries_are_there(&line->operands, &err) &&
		  trial_run(&words.workload, line->operands.at, line->operands.len, &options,
			    &trial, &err);
	if (shows)
		fputs("\r\033[K", stderr);
	return ok ? write_report(args, &trial) : fail(&err);
}

const struct command compare_command = {
	.name = "compare",
	.args = "[OPTION]... A B... -- WORKLOAD",
	.help = "say which of several binaries takes less time for the same work\n\n"
		"WORKLOAD is a command, and {} in its words is replaced by the binary.  Each round runs it\n"
		"with each binary, in random order, until the interval of each ratio to the first\n"
		"binary, A, decides, or --budget is spent.  No shell is run.\n"
		"Exit code 3: an output differs from A's, or --max-loss or --decide is not met.",
	.examples =
		"batconv compare ./prog ./prog.bolt -- {} input           # time, until it is decided\n"
		"batconv compare --counted ./prog ./prog.bolt -- {} input # also taken branches, by valgrind\n"
		"batconv compare --page=compare.html ./prog ./prog.bolt -- {} input",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.count = {2, 0, "two binaries are needed", NULL},
	.takes_program = true,
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_compare,
};
