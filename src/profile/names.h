/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions a GUID is of: it is a digest of a function's name. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include "src/base/vec.h"
#include "src/elf/functions.h"

struct guid_name {
	uint64_t guid;
	uint32_t function; /* index into the table */
	bool shortened;    /* of the name without .cold and the like: a part of that function */
};
DEFINE_VEC(guid_name_vec, struct guid_name);

/* The names of all functions with code, without the numbers that BOLT gives local ones, and these
 * names up to .cold, .warm, .llvm., .destroy and .resume: in the order of symbols.  Returns false when
 * out of memory. */
BC_MUST_USE bool guid_names_list(const struct function_table *functions, struct guid_name_vec *out);

/* By GUID; of one GUID whole names first, then by address.  None is there twice. */
void guid_names_sort(struct guid_name_vec *names);

/* Of sorted ones those of a GUID: from the returned index up to *end. */
size_t guid_names_of(const struct guid_name_vec *names, uint64_t guid, size_t *end);

#endif
