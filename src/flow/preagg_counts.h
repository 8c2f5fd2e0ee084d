/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts themselves as a result, row by row as pre-aggregated text has them; trace_of() tells what a row is.
 *
 * perf2bolt 21 and 22 take mispredictions with branches alone.  Where there are any, each trace is split
 * into the branch (TRACE_BR_ONLY) and the fall-through, which says in place of its branch how it
 * was reached, as far as a profile depends on it; of returns only the fall-through is left.
 */
#ifndef FLOW_PREAGG_COUNTS_H
#define FLOW_PREAGG_COUNTS_H

#include "src/count/aggregate.h"
#include "src/count/located.h"

struct preagg_counts {
	struct count_row *rows; /* sorted, each key once */
	size_t count;
	uint64_t returns; /* taken branches that are not among them: returns that were split */
};

/* Take what was counted; the counts are empty then.  BC_NOMEM */
BC_MUST_USE bool preagg_counts_take(struct located_counts *located, const struct aggregate *aggregate, struct preagg_counts *out,
				    struct bc_error *err);
void preagg_counts_free(struct preagg_counts *counts);

#endif
