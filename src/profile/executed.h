/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many bytes ran in each function: from where each trace begins to where it ends, and of plain addresses the
 * blocks that hold them.  What ran in a cold fragment ran in its parent.
 */
#ifndef PROFILE_EXECUTED_H
#define PROFILE_EXECUTED_H

#include "src/code/cfg.h"
#include "src/count/located.h"

DEFINE_BY_CODE(executed, _Atomic uint64_t) /* bytes, modulo 2^64, as perf2bolt has them */

struct executed_options {
	bool imputes;
	bool as_perf2bolt; /* of plain addresses in functions without a graph, which is what a split one is, nothing is counted.
			      Else their blocks are those of the table */
};

/* Count what is in the totals, before convert() takes it.  The caller frees *out with executed_free(), also after an error.
 *
 * graphs  of the binary: those that are missing are built
 *
 * BC_NOMEM */
BC_MUST_USE bool executed_count(struct located_counts *located, const struct executed_options *options, struct cfg *graphs, unsigned threads,
				struct executed *out, struct bc_error *err);

#endif
