/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many lines of the instruction cache and how many pages the executed code lies in, as BOLT laid it out and in the input. */
#ifndef FIGURES_FOOTPRINT_H
#define FIGURES_FOOTPRINT_H

#include "src/base/json.h"
#include "src/figures/heat.h"

#define FOOTPRINT_HELD_PERCENT 99 /* of what ran */

/* Writes an array of {"unit": bytes, "output": {"all": units, "held": units}, "input": likewise or null}.  Both heats have buckets of one
 * byte.  input: NULL if the places in the input are not known.  false: out of memory */
BC_MUST_USE bool footprint_write(struct json *json, const char *key, const struct heat *output, const struct heat *input);

#endif
