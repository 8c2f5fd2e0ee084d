/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a report, the hottest first: a row of each, as many as fit. */
#ifndef FIGURES_HOTTEST_FUNCTIONS_H
#define FIGURES_HOTTEST_FUNCTIONS_H

#include "src/base/json.h"
#include "src/figures/code_parts.h"
#include "src/figures/subject.h"

DEFINE_VEC(hottest_vec, uint32_t);

/* The numbers in the profile of those that have samples; of equally hot ones by name.  false: out of memory */
BC_MUST_USE bool hottest_functions(const struct flat_profile *profile, struct hottest_vec *out);

/* Writes the object.  *listed: how many of the hottest it has.  false: out of memory */
BC_MUST_USE bool functions_write(struct json *json, const char *key, const struct report_subject *subject,
				 const struct code_parts *parts, const struct hottest_vec *hottest, size_t room,
				 size_t *listed);

#endif
