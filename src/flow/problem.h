/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks and edges of one function, as flow_solve() takes them. */
#ifndef FLOW_PROBLEM_H
#define FLOW_PROBLEM_H

#include "src/code/cfg.h"
#include "src/elf/functions.h"
#include "src/flow/flow.h"
#include "src/code/targets.h"

/* Samples of one function; offsets are in it. */
struct function_sample {
	uint32_t offset;
	uint64_t count;
};

struct function_problem {
	struct flow_problem problem;
	struct flow_counts counts; /* room for them */
	struct flow_block *blocks;
	struct flow_edge *edges;
};

/* A call of a block, or a jump out of its function, and how often it was taken. */
struct flow_call {
	const struct insn *insn;
	uint32_t callee; /* a function of the code */
	uint64_t count;
};
DEFINE_VEC(flow_call_vec, struct flow_call);

/* Replaces *out by the calls of a function's block in a solved flow, where the callee is known: it is named, or a slot of memory that the loader
 * fills has its address.  A conditional jump out of the function was taken as often as the block was left for none of its
 * successors; of two such jumps in one block nothing is known.  False when out of memory. */
BC_MUST_USE bool flow_calls(const struct targets *targets, const struct function *function, const struct graph *graph, uint32_t block,
			    const struct flow_counts *counts, struct flow_call_vec *out);

/* Makes the problem of a function with a graph and its code.  A sample behind the last block counts
 * for that block.  Each count is divided by `divisor`, and is at least 1.  With `bolted`, the
 * samples were taken in a binary that BOLT had written, where nops and most jumps within the
 * function are gone.  False when out of memory. */
BC_MUST_USE bool function_problem_make(const struct function *function, const struct graph *graph,
				       const struct function_sample *samples, size_t count, uint64_t divisor,
				       bool bolted, struct function_problem *out);
void function_problem_free(struct function_problem *problem);

#endif
