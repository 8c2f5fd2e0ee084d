/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks of one function, with the counts that enter and leave each, from the records of a
 * profile. */
#ifndef FIGURES_FLOW_FUNCTION_H
#define FIGURES_FLOW_FUNCTION_H

#include "src/figures/flow_balance.h"

struct balance_block {
	uint64_t start; /* or its number, as the profile has it */
	uint64_t in, out;
	uint64_t calls; /* of the call that ran most */
	uint64_t called; /* of all of its calls */
	uint64_t count;
	uint32_t first_edge;
	bool reached;
};
DEFINE_VEC(flow_block_vec, struct balance_block);

struct flow_edge_count {
	uint32_t from, to;
	uint64_t count;
};
DEFINE_VEC(flow_edge_vec, struct flow_edge_count);
DEFINE_VEC(flow_number_vec, uint32_t);

struct flow_function {
	struct flow_block_vec blocks; /* by start */
	struct flow_edge_vec edges;   /* by `from` */
	const struct graph *graph;    /* whose blocks they are; NULL: it is not known */
	struct input_function input;  /* reused: the blocks of one function in the table */
	struct flow_number_vec work;
};

void flow_function_free(struct flow_function *function);

/* Makes the blocks of another function in the memory of the last one.  Without blocks, nothing can
 * be said of the function.
 * false: out of memory */
BC_MUST_USE bool flow_function_make(struct flow_function *function, const struct flat_profile *profile, uint32_t number,
				    const struct flow_code *code);

/* The share of its counts in blocks that nothing leads to.  *lost, *all: the counts.  false: out of memory */
BC_MUST_USE bool flow_function_reach(struct flow_function *function, uint64_t *lost, uint64_t *all);

/* The graph of a function's code, or NULL. */
const struct graph *flow_graph(const struct flow_code *code, const struct flat_function *function);

/* Is a block one that calls of the function can go to? */
bool flow_is_entry(const struct flow_function *function, size_t block);

#endif
