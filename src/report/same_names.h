/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which function of another profile is which of the binary.  Equal names are the same function; a local function has one name in profiles
 * of a BOLTed binary (auxsort/ltablib.c/1) and another one in those of a binary that is not BOLTed (auxsort/1).
 */
#ifndef REPORT_SAME_NAMES_H
#define REPORT_SAME_NAMES_H

#include "src/report/subject.h"

#define NO_NAME UINT32_MAX

/* By number in the other profile. */
struct same_names {
	uint32_t *own;    /* the number in the report's profile; FLAT_OUTSIDE: it has no such function */
	uint32_t *binary; /* the name_number in the binary; NO_NAME: it has no such function */
};

/* false: out of memory */
BC_MUST_USE bool same_names_take(const struct report_subject *subject, const struct flat_profile *other, struct same_names *out);
void same_names_free(struct same_names *same);

#endif
