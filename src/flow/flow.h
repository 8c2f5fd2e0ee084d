/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often each block and edge of a function most likely ran, by basic samples of its blocks.
 *
 * A block of n instructions that ran x times is sampled as a random number of Poisson's
 * distribution with the expectation x * n / p, where p is the number of instructions from one
 * sample to the next.  Among all flows that could be (what enters a block leaves it) the one is
 * looked for under which the samples seen are most likely: the cost of x is m - k * ln m with m = x
 * * n / p for k samples.  That is convex, so that it becomes arcs of a network, one for each
 * segment of the curve.  docs/inference.md has it in full.
 *
 * Counts are in units of 1 / FLOW_UNITS of a sample for each instruction: the p above.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

#define FLOW_UNITS 20000

/* A function has at most so many samples; a caller with more divides the samples of the whole
 * profile. */
#define FLOW_MOST_SAMPLES ((uint64_t)1 << 36)

struct flow_block {
	uint64_t samples;
	uint32_t instructions; /* 1 to 2^20 */
	bool removable; /* its samples show nothing: BOLT deletes it (nops or one jump alone), or
			   nothing is known of it */
	bool entry;     /* of the function */
	bool pad;       /* of an exception: entered seldom from outside */
	bool leaves;    /* it returns, leaves by a tail call, or nothing is known to follow */
	bool may_end;   /* it calls a function that may not return */
};

struct flow_edge {
	uint32_t from, to; /* numbers of blocks */
};

struct flow_problem {
	const struct flow_block *blocks;
	uint32_t block_count;
	const struct flow_edge *edges; /* each once, those of one block side by side */
	uint32_t edge_count;
	double uneven; /* how much more the samples of the instructions of a block differ than by
			  chance: squared, in terms of their mean */
	bool sparse;   /* the profile has few samples: a block without one may have run now and then
			*/
	bool partial;  /* nothing is known of many blocks: between those that are known, flow falls
			  through rather than jumps, as compilers lay out what they take for likely
			*/
};

/* Counts, in arrays of the caller. */
struct flow_counts {
	uint64_t *blocks;  /* by block */
	uint64_t *entries; /* by block: from outside into it */
	uint64_t *edges;   /* by edge */
};

enum flow_result {
	FLOW_SOLVED,
	FLOW_TOO_MUCH, /* it takes more steps, or has too many instructions: 2^25 */
	FLOW_NO_MEMORY,
};

/* What a function may take, by its number of blocks and edges.  In steps: some times what the
 * hardest graphs took that were tried; it grows with the square, because each turn of the simplex
 * walks through a part of its tree. */
static inline uint64_t flow_steps_most(uint64_t arcs)
{
	return arcs < (uint64_t)1 << 30 ? arcs * (4096 + 2 * arcs) : UINT64_MAX;
}

/* With fewer none of any size that matters is solved. */
static inline uint64_t flow_steps_least(uint64_t arcs)
{
	return arcs * 64;
}

/* What a step costs: as much more as the network does not fit into a processor's cache. */
static inline uint64_t flow_step_cost(uint64_t arcs)
{
	return 1 + (arcs >> 15);
}

/* Finds the counts.  *steps: at most so many; set to how many it took. */
BC_MUST_USE enum flow_result flow_solve(const struct flow_problem *problem, uint64_t *steps,
					struct flow_counts *out);

#endif
