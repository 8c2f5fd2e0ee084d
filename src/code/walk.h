/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The edges of a fall-through: of the straight line of code that ran between two taken branches. */
#ifndef CODE_WALK_H
#define CODE_WALK_H

#include "src/code/graph.h"

struct fall_through {
	uint32_t from, to; /* offsets in the function: where it began, and its last instruction */
	bool may_follow_call; /* it followed a branch that can be the return from a call of the block before */
	bool after_return;    /* that branch was a return */
};

enum walk_result {
	WALK_EDGES,
	WALK_ONE_BLOCK, /* it stayed in one block                     */
	WALK_INVALID,   /* no straight line of code can run there */
};

/* WALK_EDGES: the fall-through went through blocks *first to *last, *first < *last, and each of
 * them but the last has an edge to the next one.  Else *first and *last tell nothing.
 * from <= to. */
enum walk_result graph_walk(const struct graph *graph, const struct fall_through *fall,
			    uint32_t *first, uint32_t *last);

#endif
