/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which kind of code lies where in the optimised binary: hot, cold, old, left alone, PLT. */
#ifndef FIGURES_REGIONS_H
#define FIGURES_REGIONS_H

#include "src/base/json.h"
#include "src/figures/code_places.h"

struct code_region {
	uint64_t begin, end;
	enum code_place place;
};
DEFINE_VEC(region_vec, struct code_region);

/* Regions by address, neighbours of a kind as one.  If they are more than `most`, the shortest are left out, and what
 * is around them is joined.  false: out of memory */
BC_MUST_USE bool regions_take(const struct binary *binary, size_t most, struct region_vec *out);

/* An array of [begin, end, "hot"]. */
void regions_write(struct json *json, const char *key, const struct region_vec *regions);

#endif
