/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options of the commands that run binaries on a workload: `compare` and `optimize`. */
#ifndef CLI_WORKLOAD_OPTIONS_H
#define CLI_WORKLOAD_OPTIONS_H

#include "src/cli/options.h"
#include "src/trial/workload.h"

/* The field `work` of a command's struct. */
struct workload_arguments {
	const char *input, *serve, *ready, *load;
	const char *counted_workload;
	bool counted, ignore_output;
	struct percent margin;
	uint64_t budget, timeout; /* ns */
};

/* Before the options are read. */
void workload_arguments_prepare(struct workload_arguments *args);

/* What the options are together: EXIT_DONE, or what to exit with after a message. */
int workload_arguments_check(const struct command_line *line,
			     const struct workload_arguments *args);

/* The workload, whose words are kept here. */
struct option_text {
	char *text;
	struct argument_vec words;
};

struct workload_words {
	struct option_text serve, ready, load, counted;
	struct workload workload, counting; /* timed, and counted */
};

/* workload_words_free() in any case.  BC_NOMEM */
BC_MUST_USE bool workload_words_take(const struct command_line *line,
				     const struct workload_arguments *args,
				     struct workload_words *out, struct bc_error *err);
void workload_words_free(struct workload_words *of);

/* The words of one option's value, cut without a shell.  option_text_free() in any case.  False:
 * no memory. */
BC_MUST_USE bool option_text_take(const char *value, struct option_text *out);
void option_text_free(struct option_text *of);

/* Are these binaries there?  The workload can name them where nothing else would say that one is
 * missing.  BC_IO */
BC_MUST_USE bool binaries_are_there(const struct words *paths, struct bc_error *err);

/* Seconds of a time. */
double option_seconds(uint64_t ns);

option_reader option_counted; /* --counted[=COMMAND] */

/* clang-format off */
#define WORKLOAD_SERVER_ROWS \
	{0, "stdin", "FILE", FILE_READ, "the stdin of WORKLOAD (default: empty)", INTO(work.input)}, \
	{0, "serve", "COMMAND", NO_FILE, \
	 "measure the server COMMAND, with {} for the binary, while the\ncommand of --load runs", \
	 INTO(work.serve)}, \
	{0, "ready", "WHEN", NO_FILE, \
	 "when the server is ready: tcp:PORT, when it accepts\nconnections; else a command, when it succeeds", \
	 INTO(work.ready)}, \
	{0, "load", "COMMAND", NO_FILE, "what puts load on the server (instead of WORKLOAD)", \
	 INTO(work.load)}
#define WORKLOAD_BUDGET_ROW(help) \
	{0, "budget", "TIME", NO_FILE, (help), INTO_BY(work.budget, option_duration), \
	 .takes = "a time such as 60, 10m or 1h"}
#define WORKLOAD_MARGIN_ROWS \
	{0, "margin", "PERCENT", NO_FILE, "a difference below PERCENT is none (default: 1)", \
	 INTO(work.margin), .takes = "a number from 0 to 100"}, \
	{0, "timeout", "TIME", NO_FILE, "fail if one run takes longer than TIME (default: 10m)", \
	 INTO_BY(work.timeout, option_duration), .takes = "a time such as 60, 10m or 1h"}
#define WORKLOAD_COUNTED_ROW(help) \
	{0, "counted", "[COMMAND]", NO_FILE, (help), INTO_BY(work.counted_workload, option_counted)}
/* clang-format on */

#endif
