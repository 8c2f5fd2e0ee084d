/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions the blocks of a function call, and how often. */
#ifndef FIGURES_CALLS_H
#define FIGURES_CALLS_H

#include "src/figures/flow_function.h"

#define CALLS_SHOWN 8 /* of a function */

struct call_count {
	uint32_t block; /* its number in the flow */
	uint32_t to;    /* the number of a function in the profile */
	uint64_t count;
};
DEFINE_VEC(call_count_vec, struct call_count);

/* The hottest first, each pair of block and function once; calls to functions of the profile.  *out keeps its memory.
 * false: out of memory */
BC_MUST_USE bool calls_take(const struct flat_profile *profile, uint32_t number, const struct flow_function *flow,
			    struct call_count_vec *out);

#endif
