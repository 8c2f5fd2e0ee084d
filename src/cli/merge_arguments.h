/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of merge. */
#ifndef CLI_MERGE_ARGUMENTS_H
#define CLI_MERGE_ARGUMENTS_H

#include "src/cli/merge_list.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/merge/merge.h"

enum merge_stats { MERGE_STATS_TEXT, MERGE_STATS_JSON, MERGE_STATS_NONE };

struct merge_arguments {
	struct merge_options merge;
	struct merge_list list;
	const char *output;     /* NULL or "-": stdout; a directory if by_build */
	const char *stats_file; /* or NULL */
	const char *expect;     /* a binary, in place of merge.expect; or NULL */
	enum merge_stats stats;
	enum progress_mode progress;
	bool help, by_build, verbose, sandbox;

	uint64_t weight;      /* of the inputs that follow on the command line */
	bool zeros;
	struct bc_error wrong; /* with a list; code is BC_OK if nothing is */
	char *tmpdir;          /* owned: what merge.tmpdir is by default */
};

void merge_arguments_free(struct merge_arguments *arguments);

/* EXIT_DONE, or what to exit with after a message. */
int merge_arguments_parse(const struct command *command, int argc, char **argv, struct merge_arguments *out);

#endif
