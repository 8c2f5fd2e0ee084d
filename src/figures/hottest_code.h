/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks of the hottest functions, as many functions as fit. */
#ifndef FIGURES_HOTTEST_CODE_H
#define FIGURES_HOTTEST_CODE_H

#include "src/figures/hottest_functions.h"
#include "src/figures/shown_lines.h"

/* Writes the object.  listed: how many of the hottest functions have a row, which is what numbers of rows refer to.
 * false: out of memory */
BC_MUST_USE bool code_write(struct json *json, const char *key, const struct report_subject *subject,
			    const struct code_parts *parts, const struct hottest_vec *hottest, size_t listed,
			    struct source_lines *lines, size_t room);

#endif
