/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/figures/trial_report.h"
#include "src/trial/trial.h"

#define SECOND  1e9 /* ns */
#define BUDGET  (120 * UINT64_C(1000000000))
#define TIMEOUT (600 * UINT64_C(1000000000))
#define MARGIN  1.0 /* percent */

struct arguments {
	const char *output, *input, *serve, *ready, *load;
	const char *counted_workload;
	bool json, markdown, ignore_output, decide, quiet, counted;
	struct percent margin, most;
	struct number rounds, warm_up;
	uint64_t budget, timeout; /* ns */
};

/* --counted[=COMMAND] */
static const char *read_counted(struct command_line *line, const struct option_row *row,
				const char *value)
{
	struct arguments *args = line->arguments;

	args->counted = true;
	return value ? option_text(line, row, value) : NULL;
}

static const struct option_row rows[] = {
	{0, "stdin", "FILE", FILE_READ, "the stdin of WORKLOAD (default: empty)", INTO(input)},
	{0, "serve", "COMMAND", NO_FILE,
	 "measure the server COMMAND, with {} for the binary, while the\ncommand of --load runs",
	 INTO(serve)},
	{0, "ready", "WHEN", NO_FILE,
	 "when the server is ready: tcp:PORT, when it accepts\nconnections; else a command, when it succeeds",
	 INTO(ready)},
	{0, "load", "COMMAND", NO_FILE, "what puts load on the server (instead of WORKLOAD)",
	 INTO(load)},
	{0, "budget", "TIME", NO_FILE,
	 "begin no round after TIME, such as 60, 10m or 1h (default: 2m)",
	 INTO_BY(budget, option_duration), .takes = "a time such as 60, 10m or 1h"},
	{0, "rounds", "N", NO_FILE,
	 "end after N rounds (default: when all is decided); 0: only\ncount", INTO(rounds),
	 .takes = "a number", .most = 100000},
	{0, "warm-up", "N", NO_FILE, "rounds before those that count (default: 1)", INTO(warm_up),
	 .takes = "a number to 1000", .most = 1000},
	{0, "margin", "PERCENT", NO_FILE, "a difference below PERCENT is none (default: 1)",
	 INTO(margin), .takes = "a number from 0 to 100"},
	{0, "timeout", "TIME", NO_FILE, "fail if one run takes longer than TIME (default: 10m)",
	 INTO_BY(timeout, option_duration), .takes = "a time such as 60, 10m or 1h"},
	{0, "counted", "[COMMAND]", NO_FILE,
	 "also count instructions, taken branches and I-cache misses of\nWORKLOAD, or of a shorter COMMAND, by valgrind (50 times as slow)",
	 INTO_BY(counted_workload, read_counted)},
	{0, "ignore-output", NULL, NO_FILE,
	 "also compare binaries whose output or exit code differs", INTO(ignore_output)},
	{0, "max-loss", "PERCENT", NO_FILE,
	 "exit code 3 if a binary is slower by more than PERCENT", INTO(most),
	 .takes = "a number from 0 to 100"},
	{0, "decide", NULL, NO_FILE, "exit code 3 if a comparison is undecided", INTO(decide)},
	{0, "markdown", NULL, NO_FILE, "as a table of markdown", INTO(markdown)},
	JSON_ROW("as JSON"),
	OUTPUT_ROW,
	QUIET_ROW("print only warnings and errors"),
	COMMON_ROWS,
};

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->budget = BUDGET;
	args->timeout = TIMEOUT;
	args->margin.is = MARGIN;
}

/* The words of a command in one option, without a shell. */
struct option_words {
	char *text;
	struct argument_vec words;
};

static void option_words_free(struct option_words *of)
{
	argument_vec_free(&of->words);
	free(of->text);
}

static bool option_words_take(const char *value, struct option_words *out)
{
	if (!value)
		return true;
	out->text = strdup(value);
	return out->text && response_words(out->text, strlen(out->text), &out->words);
}

static struct template template_of(const struct option_words *of)
{
	return (struct template){(const char *const *)of->words.at, of->words.len};
}

/* tcp:PORT; 0: it is none */
static uint64_t port_of(const char *ready)
{
	struct text text = text_of(ready);
	uint64_t port;

	return text_starts(text, "tcp:") && text_dec(text_behind(text, 3), &port) && port < 65536 ?
		       port :
		       0;
}

static int check_server(const struct command_line *line, const struct arguments *args)
{
	if (!args->serve)
		return args->ready || args->load ?
			       usage_error(line->command, "--ready and --load go with --serve",
					   NULL) :
			       EXIT_DONE;
	if (!args->ready || !args->load)
		return usage_error(
			line->command,
			"--serve needs --ready and --load: when the server is ready, and what it is to do",
			NULL);
	if (line->program.len)
		return usage_error(line->command, "--load has the workload of a server, not",
				   line->program.at[0]);
	if (text_starts(text_of(args->ready), "tcp:") && !port_of(args->ready))
		return usage_error(line->command,
				   "--ready takes tcp:PORT, with a port from 1 to 65535, not",
				   args->ready);
	if (!strstr(args->serve, "{}"))
		return usage_error(line->command,
				   "--serve has no {}, which the binary replaces, in", args->serve);
	return EXIT_DONE;
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const struct template program = {line->program.at, line->program.len};
	int code = check_server(line, args);

	if (code != EXIT_DONE)
		return code;
	if (args->json && args->markdown)
		return usage_error(line->command, "--json or --markdown, not both", NULL);
	if (args->counted && args->serve && !args->counted_workload)
		return usage_error(
			line->command,
			"a server cannot be counted: --counted=COMMAND counts another workload",
			NULL);
	if (args->counted_workload && !strstr(args->counted_workload, "{}"))
		return usage_error(line->command,
				   "--counted has no {}, which the binary replaces, in",
				   args->counted_workload);
	if (args->rounds.given && !args->rounds.is && !args->counted)
		return usage_error(line->command, "--rounds=0 times nothing, and needs --counted",
				   NULL);
	if (!args->serve && !line->program.len)
		return usage_error(line->command,
				   "no workload: write -- and a command with {} for the binary",
				   NULL);
	if (!args->serve && !template_has_binary(&program))
		return usage_error(line->command,
				   "no word of the workload has {}, which the binary replaces, in",
				   program.words[0]);
	return EXIT_DONE;
}

static void show_round(void *ctx, size_t rounds)
{
	(void)ctx;
	fprintf(stderr, "\r\033[Kbatconv: round %zu", rounds);
}

static int write_report(const struct arguments *args, const struct contest *trial)
{
	struct trial_report report = {.trial = trial,
				      .served = args->serve,
				      .has_most = args->most.given,
				      .most = args->most.is,
				      .decide = args->decide};
	struct output output;
	struct bc_error err;

	trial_judge(&report);
	if (!output_open(args->output, &output, &err))
		return fail(&err);
	(args->json     ? trial_json :
	 args->markdown ? trial_markdown :
			  trial_text)(&report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	trial_tell_failure(&report, stderr);
	return report.failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

/* The workload can name them where nothing else would say that one is missing. */
static bool are_there(const struct words *paths, struct bc_error *err)
{
	for (size_t i = 0; i < paths->len; i++)
		if (access(paths->at[i], X_OK) != 0)
			return bc_fail_errno(err, "%s: cannot run", paths->at[i]);
	return true;
}

static int run_compare(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(option_words_free) struct option_words serve = {0};
	BC_AUTO(option_words_free) struct option_words ready = {0};
	BC_AUTO(option_words_free) struct option_words load = {0};
	BC_AUTO(option_words_free) struct option_words counted = {0};
	BC_AUTO(trial_free) struct contest trial = {0};
	bool shows = !args->quiet && isatty(STDERR_FILENO);
	struct trial_options options = {.budget = (double)args->budget / SECOND,
					.margin = args->margin.is / 100,
					.warm_up = args->warm_up.given ? args->warm_up.is : 1,
					.rounds = args->rounds.is,
					.ignore_output = args->ignore_output,
					.each_round = shows ? show_round : NULL};
	struct bc_error err;

	if (!option_words_take(args->serve, &serve) || !option_words_take(args->load, &load) ||
	    !option_words_take(args->counted_workload, &counted) ||
	    !option_words_take(args->ready, &ready)) {
		bc_fail_nomem(&err);
		return fail(&err);
	}
	struct workload workload = {
		.command = args->serve ? template_of(&load) :
					 (struct template){line->program.at, line->program.len},
		.input = args->input,
		.timeout = (double)args->timeout / SECOND,
		.serve = template_of(&serve)};
	workload.port = args->ready ? (unsigned)port_of(args->ready) : 0;
	if (args->ready && !workload.port)
		workload.ready = template_of(&ready);
	struct workload counting = workload;
	if (args->counted_workload)
		counting.command = template_of(&counted);
	counting.serve = (struct template){0};
	options.counted = args->counted ? &counting : NULL;
	options.untimed = args->rounds.given && !args->rounds.is;
	bool ok =
		are_there(&line->operands, &err) &&
		trial_run(&workload, line->operands.at, line->operands.len, &options, &trial, &err);
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
		"batconv compare --counted ./prog ./prog.bolt -- {} input # also taken branches, by valgrind",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.count = {2, 0, "two binaries are needed", NULL},
	.takes_program = true,
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_compare,
};
