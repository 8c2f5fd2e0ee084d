/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions of a function of the new build those of the old one became. */
#ifndef CARRY_INSN_MATCH_H
#define CARRY_INSN_MATCH_H

#include "src/carry/align.h"

/* A location in the source; the new one's, also for the old build. */
struct source_line {
	uint32_t function; /* 0: the function whose code it is */
	uint32_t line;     /* 0: it has none */
};
DEFINE_VEC(source_line_vec, struct source_line);

struct match_side {
	const struct token *tokens;
	uint32_t count;
	/* By instruction: its line and where that was inlined, innermost first, in
	 * [first[i], first[i + 1]).  NULL: not known */
	const uint32_t *first;
	const struct source_line *lines;
};

enum match_way { MATCH_NONE, MATCH_SAME, MATCH_LINES, MATCH_ALIGNED, MATCH_MOVED };

struct match {
	uint32_t *to;        /* by old instruction: the new one, or ALIGN_NONE */
	uint32_t *from;      /* by new instruction: the old one, or ALIGN_NONE */
	unsigned char *ways; /* by old instruction: enum match_way */
};

/* Is all code the same? */
bool match_is_same(const struct match_side *a, const struct match_side *b);

/* Fills the arrays of *out, which have room.  It takes a number of steps that grows with the number
 * of instructions.  False: out of memory. */
BC_MUST_USE bool match_instructions(const struct match_side *a, const struct match_side *b,
				    struct match *out);

#endif
