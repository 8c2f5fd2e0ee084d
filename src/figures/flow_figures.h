/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The flow of a profile, by function: its blocks with the counts that enter and leave each, whether
 * what enters a block leaves it, and which counts are missing.  The figures are those of
 * llvm-bolt's
 * --print-profile-stats, by its definitions: docs/quality.md, "Flow".
 */
#ifndef FIGURES_FLOW_FIGURES_H
#define FIGURES_FLOW_FIGURES_H

#include "src/code/blocks.h"
#include "src/code/cfg.h"
#include "src/code/pair.h"
#include "src/profile/flat.h"

/* In percent, all of them. */
struct flow_figures {
	uint64_t functions; /* that were examined: those that were executed most */
	uint64_t blocks;    /* of whose biases the mean is taken */
	double bias, deviation;
	double discontinuity; /* of functions: the 95th percentile of the share of counts that
				 nothing leads to */
	double unreachable;   /* the same share of all of their counts */
	bool has_gaps;        /* the code is known: */
	double call_gap, flow_gap, worst_gap;
};

/* Reports where the blocks of functions begin.  Zeroed, the targets in the profile show it. */
struct flow_code {
	const struct binary *binary;       /* of the profile */
	const struct block_source *blocks; /* of it; or NULL */
	const struct pair *pair;           /* with the input; or NULL */
	const struct cfg *graphs; /* with code: of the pair's input, else of the binary; or NULL */
	struct name_marks left_out; /* llvm-bolt builds no graph of these; none; borrowed */
};

/* By function: how often the blocks ran that call it, and how often it was called indirectly.
 * Zeroed: it is not known. */
struct flow_calls {
	uint64_t *counts;
	struct flat_numbers number_of; /* of the binary's functions */
};
void flow_calls_free(struct flow_calls *calls);

/* calls: what was found of them, to be freed, also after a failure.  BC_NOMEM */
BC_MUST_USE bool flow_take(const struct flat_profile *profile, const struct flow_code *code,
			   struct flow_calls *calls, struct flow_figures *out,
			   struct bc_error *err);

/* Has a function a flow?  A PLT entry has none, nor has a function that llvm-bolt does not read. */
bool flow_has(const struct flow_code *code, const struct flat_function *function);

/* ---- one function ---- */

struct balance_block {
	uint64_t start; /* or its number, as the profile has it */
	uint64_t in, out;
	uint64_t calls;  /* of the call that ran most */
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
BC_MUST_USE bool flow_function_make(struct flow_function *function,
				    const struct flat_profile *profile, uint32_t number,
				    const struct flow_code *code);

/* The share of its counts in blocks that nothing leads to.  *lost, *all: the counts.  false: out of
 * memory */
BC_MUST_USE bool flow_function_reach(struct flow_function *function, uint64_t *lost, uint64_t *all);

/* ---- counts that are missing: between calls and entries, and at blocks ---- */

/* Shares from 0 to 1. */
struct flow_gaps {
	double call, weighted, worst;
};

/* f: it has a graph.  address: of the function's code; called: as flow_calls has it */
struct flow_gaps flow_gaps_take(const struct flow_function *f, uint64_t address, uint64_t called);

/* The graph, with its code, of a function of the profile's binary; NULL: it is not known. */
const struct graph *flow_graph_of(const struct flow_code *code, const struct function *own);

/* Does llvm-bolt optimize a function with such a graph? */
static inline bool flow_optimizes(const struct graph *graph)
{
	return !graph->unknown_jumps && !graph->takes_own;
}

/* The function of the binary with the code that a function with a graph has. */
const struct function *flow_code_of(const struct flow_code *code,
				    const struct flat_function *function);

#endif
