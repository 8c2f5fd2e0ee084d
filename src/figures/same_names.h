/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which function of one profile is which of another one, by a binary that has both.  Equal names are the same function; a local function
 * has one name in profiles of a BOLTed binary (auxsort/ltablib.c/1) and another one in those of a binary that is not BOLTed (auxsort/1).
 */
#ifndef FIGURES_SAME_NAMES_H
#define FIGURES_SAME_NAMES_H

#include "src/code/pair.h"
#include "src/profile/flat.h"

#define NO_NAME UINT32_MAX

/* By number in the second profile. */
struct same_names {
	uint32_t *own;    /* the number in the first one; FLAT_OUTSIDE: it has no such function */
	uint32_t *binary; /* the name_number in the binary; NO_NAME: it has no such function */
};

/* The names of local functions are those of the pair's input, or, if pair is NULL, of the binary, where they can have other numbers.
 * false: out of memory */
BC_MUST_USE bool same_names_take(const struct binary *binary, const struct pair *pair, const struct flat_profile *first,
				 const struct flat_profile *second, struct same_names *out);
/* How many local functions of one profile alone (auxsort/ltablib.c/1) can be a function of the other one alone (auxsort/1), which no
 * binary was asked about.  of: two such names of the first one; not set if there is none. */
size_t same_names_likely(const struct flat_profile *first, const struct flat_profile *second, struct text of[2]);
void same_names_free(struct same_names *same);

#endif
