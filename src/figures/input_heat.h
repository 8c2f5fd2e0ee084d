/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heat of an optimised binary at the places that its code has in the input. */
#ifndef FIGURES_INPUT_HEAT_H
#define FIGURES_INPUT_HEAT_H

#include "src/code/pair.h"
#include "src/figures/heat.h"

/* heat: with buckets of one byte, and so is *out.  *lost: hits of code that the input does not have, or whose place
 * in it is not known.  out->hits + *lost is what heat->hits is.  false: out of memory */
BC_MUST_USE bool input_heat_take(const struct heat *heat, const struct pair *pair, struct heat *out, uint64_t *lost);

#endif
