/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Does debug information tell the same source lines of the output's instructions as of the input's?  Each instruction that both have is
 * looked up in both line tables.  llvm-bolt writes the tables anew with -update-debug-sections; without it they stay the input's, which is one finding.
 */
#ifndef VERIFY_CHECK_LINES_H
#define VERIFY_CHECK_LINES_H

#include "src/verify/check_scopes.h"
#include "src/verify/insn_ties.h"

struct lines_summary {
	/* Instructions of the output in fragments of the table. */
	uint64_t instructions;
	uint64_t equal;     /* the same file, line, column, statement mark and discriminator */
	uint64_t wrong;     /* another file or line */
	uint64_t lost;      /* no line, and the input has one */
	uint64_t detail;    /* the same line, and something else differs */
	/* Not comparable: */
	struct untied_counts untied;
	uint64_t no_function; /* of functions that are not known in the input */
	uint64_t no_line;  /* the input has none there */
	uint64_t jumps;    /* made anew at the end of a block: they have the line before them */
	uint64_t folded;   /* of functions of several sizes that BOLT folded */
	uint64_t stale;    /* the output's tables are those of the input, or cannot be read */
	/* Others. */
	uint64_t left;  /* functions that BOLT left where they were, compared by their rows */
	uint64_t files; /* numbers of files in .debug_info, compared */
};

/* Adds findings, and fills the summary.  Then compares scopes (check_scopes.h), unless there is nothing of the output's code to compare: *scoped.
 * *of_input: the error is the input's.
 *
 * BC_NOTFOUND     the input has no line table
 * BC_UNSUPPORTED  there is no libdw
 * BC_FORMAT       the input's debug information is damaged, or to read one of them is too much work
 * BC_NOMEM */
BC_MUST_USE bool check_lines(const struct binary *subject, const struct input *input, unsigned threads, struct lines_summary *out,
			     struct scopes_summary *scopes, bool *scoped, struct findings *findings, bool *of_input, struct bc_error *err);

#endif
