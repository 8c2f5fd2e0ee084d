/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks and edges of one function, as flow_solve() takes them, and the executed code by the
 * flow that was found, step by step. */
#ifndef FLOW_PROBLEM_H
#define FLOW_PROBLEM_H

#include "src/code/code.h"
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

/* A step of a solved flow: the code of a block from its beginning to one instruction, and where
 * that leads. */
struct flow_step {
	uint32_t block;
	const struct insn *from;
	uint32_t to; /* a block; NO_BLOCK: it leaves the function, by a return, or for what is not
			known */
	uint32_t callee; /* a call, or a jump out of the function: a function of the code; else
			    NO_TARGET */
	bool taken;      /* it branches there; else it continues to the next block */
	uint64_t count;
};
typedef bool flow_step_fn(void *ctx, const struct flow_step *step);

struct flow_solved {
	const struct targets *targets;
	const struct function *function; /* with its graph, and its code */
	const struct graph *graph;
	const struct flow_counts *counts; /* edges are those of graph->code.next */
};

/* Gives all steps, block by block, until `take` returns false, which it returns then.  The steps of
 * a block that are no calls add up to its count.
 *
 * Calls have those whose callee is known: it is named, or a slot of memory that the loader fills
 * has its address.  A conditional jump out of the function was taken as often as the block was left
 * for none of its successors; of two such jumps in one block nothing is known. */
bool flow_steps(const struct flow_solved *solved, flow_step_fn *take, void *ctx);

/* What the counts of a function are. */
enum counted_as {
	SAMPLES_OF_CODE,   /* of any of its instructions */
	SAMPLES_OF_BOLTED, /* taken in a binary that BOLT had written, where nops and most jumps
			      within the function are gone */
	RUNS_OF_SOME,      /* how often some instructions ran, be it 0: of the others, and so of a
			      block without any of them, nothing is known */
};

/* Makes the problem of a function with a graph and its code.  A sample after the last block counts
 * for that block.  Each count but 0 is divided by `divisor`, and is at least 1.  False when out of
 * memory. */
BC_MUST_USE bool function_problem_make(const struct function *function, const struct graph *graph,
				       const struct function_sample *samples, size_t count,
				       uint64_t divisor, enum counted_as as,
				       struct function_problem *out);
void function_problem_free(struct function_problem *problem);

#endif
