/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions a profile can name: not every form holds every name. */
#ifndef PROFILE_NAMEABLE_H
#define PROFILE_NAMEABLE_H

#include "src/elf/functions.h"

#define NAMES_ONE_LINE 1u /* fdata: merge-fdata refuses the whole file for a newline in a name */
#define NAMES_UTF8 2u     /* YAML is UTF-8: there is no way to write another byte */

/* Whether rules, a sum of those above, allow a name. */
bool name_is_allowed(const char *name, unsigned rules);

/* Marks functions whose printed name is not allowed in *out, for code_marks_free(); none: all are allowed.
 * Returns false when out of memory. */
BC_MUST_USE bool nameable_find(const struct function_table *functions, const struct image *image,
			       unsigned rules, struct code_marks *out);

#endif
