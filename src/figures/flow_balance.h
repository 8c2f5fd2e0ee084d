/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Does what enters a block leave it?  The figures of llvm-bolt's --print-profile-stats, by its definitions:
 * docs/quality.md, "Flow".
 */
#ifndef FIGURES_FLOW_BALANCE_H
#define FIGURES_FLOW_BALANCE_H

#include "src/code/cfg.h"
#include "src/code/pair.h"
#include "src/profile/blocks.h"
#include "src/figures/flat.h"

/* In percent, all of them. */
struct flow_figures {
	uint64_t functions; /* that were examined: those that were executed most */
	uint64_t blocks;    /* of whose biases the mean is taken */
	double bias, deviation;
	double discontinuity; /* of functions: the 95th percentile of the share of counts that nothing leads to */
	double unreachable;   /* the same share of all of their counts */
	bool has_gaps;        /* the code is known: */
	double call_gap, flow_gap, worst_gap;
};

/* Tells where the blocks of functions begin.  Zeroed, the targets in the profile tell it. */
struct flow_code {
	const struct binary *binary;       /* of the profile */
	const struct block_source *blocks; /* of it; or NULL */
	const struct pair *pair;           /* with the input; or NULL */
	const struct cfg *graphs;          /* with code: of the pair's input, else of the binary; or NULL */
	struct name_marks left_out;        /* llvm-bolt builds no graph of these; none; borrowed */
};

/* By function: how often the blocks ran that call it, and how often it was called indirectly.  Zeroed: it is not
 * known. */
struct flow_calls {
	uint64_t *counts;
	struct flat_numbers number_of; /* of the binary's functions */
};
void flow_calls_free(struct flow_calls *calls);

/* calls: what was found of them, to be freed, also after a failure.  BC_NOMEM */
BC_MUST_USE bool flow_take(const struct flat_profile *profile, const struct flow_code *code, struct flow_calls *calls,
			   struct flow_figures *out, struct bc_error *err);

/* Has a function a flow?  A PLT entry has none, nor has a function that llvm-bolt does not read. */
bool flow_has(const struct flow_code *code, const struct flat_function *function);

#endif
