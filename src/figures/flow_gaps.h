/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts that are missing: between the calls and the entries of a function, and between what enters
 * a block and what leaves it. */
#ifndef FIGURES_FLOW_GAPS_H
#define FIGURES_FLOW_GAPS_H

#include "src/figures/flow_function.h"

BC_MUST_USE bool flow_calls_init(struct flow_calls *calls, const struct flat_profile *profile, const struct flow_code *code);

/* Adds the calls of one function, whose blocks stand in *f. */
void flow_calls_add(struct flow_calls *calls, const struct flow_function *f, const struct flat_profile *profile,
		    uint32_t number, const struct flow_code *code);

/* Shares from 0 to 1. */
struct flow_gaps {
	double call, weighted, worst;
};

/* f: it has a graph.  address: of the function's code; called: as flow_calls has it */
struct flow_gaps flow_gaps_take(const struct flow_function *f, uint64_t address, uint64_t called);

/* The function of the binary with the code that a function with a graph has. */
const struct function *flow_code_of(const struct flow_code *code, const struct flat_function *function);

#endif
