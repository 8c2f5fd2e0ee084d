/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks and edges of one function, as flow_solve() takes them. */
#ifndef INFER_PROBLEM_H
#define INFER_PROBLEM_H

#include "src/cfg/graph.h"
#include "src/elf/functions.h"
#include "src/infer/flow.h"

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

/* Is it a direct call, or a jump that always leaves the function?  How often a conditional jump leaves is not known. */
static inline bool is_call_out(const struct function *function, const struct insn *insn)
{
	return insn->kind == INSN_CALL || (insn->kind == INSN_JUMP && !insn_stays(function, insn));
}

/* Makes the problem of a function with a graph and its code.  A sample behind the last block counts
 * for that block.  Each count is divided by `divisor`, and is at least 1.  With `bolted`, the
 * samples were taken in a binary that BOLT had written, where nops and most jumps within the
 * function are gone.  False when out of memory. */
BC_MUST_USE bool function_problem_make(const struct function *function, const struct graph *graph,
				       const struct function_sample *samples, size_t count, uint64_t divisor,
				       bool bolted, struct function_problem *out);
void function_problem_free(struct function_problem *problem);

#endif
