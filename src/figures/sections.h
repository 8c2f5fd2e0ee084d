/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections with code, and how much of each ran. */
#ifndef FIGURES_SECTIONS_H
#define FIGURES_SECTIONS_H

#include "src/base/json.h"
#include "src/figures/heat.h"

/* Writes an array, by address, of as many as fit into `room` bytes.
 *
 * bytes  heat with buckets of one byte
 * cells  with larger ones, of which the touched ones are counted; NULL: not wanted
 *
 * false: out of memory */
BC_MUST_USE bool sections_write(struct json *json, const char *key, const struct heat *bytes, const struct heat *cells,
				const struct function_table *functions, size_t room);

#endif
