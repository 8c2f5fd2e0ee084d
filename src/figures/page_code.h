/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a report, the hottest first: a row of each, and their blocks, edges, calls and
 * instructions; as many as fit. */
#ifndef FIGURES_PAGE_CODE_H
#define FIGURES_PAGE_CODE_H

#include "src/figures/page.h"
#include "src/figures/shown_code.h"

/* Writes "functions" and "code".  false: out of memory */
BC_MUST_USE bool functions_write(struct json *json, const struct report_subject *subject,
				 const struct code_parts *parts, struct source_lines *lines);

#endif
