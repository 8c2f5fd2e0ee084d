/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often, and where, functions are entered: the records of a profile that
 * come from other functions or from outside, by the function they go to.
 */
#ifndef PROFILE_ENTRIES_H
#define PROFILE_ENTRIES_H

#include "src/profile/profile.h"

struct entry {
	uint32_t function; /* index into the binary's functions */
	uint32_t offset;
	uint64_t count;
	uint64_t external; /* of these, from no function of the binary */
};
DEFINE_VEC(entry_vec, struct entry);

/* Whether a record is a branch within one function; one to the function's own
 * beginning is recursion and none. */
static inline bool record_is_internal(const struct record *record)
{
	return record->kind == RECORD_BRANCH && record->to.function == record->from.function &&
	       record->to.offset != 0;
}

/* Adds the entry that a record tells, if it does.  Returns false when out of memory. */
BC_MUST_USE bool entries_add(const struct binary *binary, const struct record *record, struct entry_vec *out);

/* To be called when all were added: sorts by function and offset, each place once. */
void entries_sort(struct entry_vec *entries);

/* Those of a profile, sorted.  Returns false when out of memory. */
BC_MUST_USE bool entries_collect(const struct profile *profile, struct entry_vec *out);

/* Those of a function: *out, and how many. */
size_t entries_of(const struct entry_vec *entries, uint32_t function, const struct entry **out);

#endif
