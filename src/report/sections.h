/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections with code, and how much of each ran. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "src/output/json.h"
#include "src/quality/heat.h"

/* Writes an array, by address, of as many as fit into `room` bytes.
 *
 * bytes  heat with buckets of one byte
 * cells  with larger ones, of which the touched ones are counted; NULL: not wanted
 *
 * false: out of memory */
BC_MUST_USE bool sections_write(struct json *json, const char *key, const struct heat *bytes, const struct heat *cells,
				const struct function_table *functions, size_t room);

#endif
