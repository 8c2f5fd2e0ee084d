/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Located traces, walked through the instructions of the input: what ran becomes ranges, and taken branches.
 */
#ifndef FLOW_RANGE_WALK_H
#define FLOW_RANGE_WALK_H

#include "src/flow/out_functions.h"
#include "src/flow/ranges.h"
#include "src/flow/traces.h"

/* One thread's share of the traces; zeroed but for the first two. */
struct range_walker {
	const struct trace_facts *facts;
	const struct out_functions *functions;
	struct count_table counts; /* see ranges_gather() */
	struct ledger runs, steps;
	bool no_memory;
};

void range_walker_take(struct range_walker *walker, const struct located_trace *trace);

/* Call it when all traces are taken: adds what ran through whole blocks of a function. */
void range_walker_sums(struct range_walker *walker, const struct out_function *f);

#endif
