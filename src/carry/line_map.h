/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which line of the new source each line of the old one became, function by function, by what the
 * compiler made of them: lines are the same where the same kinds of instructions are theirs, and
 * where they are as far from their neighbors.  No source is read.
 */
#ifndef CARRY_LINE_MAP_H
#define CARRY_LINE_MAP_H

#include <stdint.h>

#include "src/base/vec.h"

/* An instruction of a line, or one of those in several locations of the code. */
struct source_row {
	uint32_t function; /* of the source: a number that both builds have for its name */
	uint32_t line;     /* not 0 */
	uint64_t token;    /* what it is */
};
DEFINE_VEC(source_row_vec, struct source_row);

struct line_pair {
	uint32_t function, old_line, new_line;
};
DEFINE_VEC(line_pair_vec, struct line_pair);

/* Sorts the rows of both builds, and adds the lines that are the same by function and line.
 * Functions of too many lines have none: it takes at most LINE_MAP_EACH steps a row, and
 * LINE_MAP_ALWAYS.  False: out of memory. */
#define LINE_MAP_EACH   ((uint64_t)1024)
#define LINE_MAP_ALWAYS ((uint64_t)1 << 24)
BC_MUST_USE bool line_map_make(struct source_row_vec *old_rows, struct source_row_vec *new_rows,
			       struct line_pair_vec *out);

/* The new line of an old one; 0: none. */
uint32_t line_map_find(const struct line_pair_vec *map, uint32_t function, uint32_t line);

#endif
