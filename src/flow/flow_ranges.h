/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ran by an inferred flow, as counted ranges and branches of the code: rows of ranges_gather().
 * Returns of functions have none, as nobody asks for them, and calls of PLT entries are outside.
 */
#ifndef FLOW_FLOW_RANGES_H
#define FLOW_FLOW_RANGES_H

#include "src/code/cfg.h"
#include "src/flow/flow.h"
#include "src/code/targets.h"
#include "src/flow/ranges.h"

struct flow_ran {
	const struct targets *targets;
	const struct function *function; /* with its graph, and its code */
	const struct graph *graph;
	const struct flow_counts *counts; /* edges are those of graph->code.next */
};

/* Adds the blocks of a function, its jumps that were taken, and its calls.  Each is false when out of memory. */
BC_MUST_USE bool flow_ranges_add(const struct flow_ran *ran, struct count_table *out);

/* Adds what enters a function from an unknown place. */
BC_MUST_USE bool flow_ranges_enter(const struct function *function, uint64_t count, struct count_table *out);

/* Adds all of a function whose flow is not known. */
BC_MUST_USE bool flow_ranges_whole(const struct function *function, uint64_t count, struct count_table *out);

#endif
