/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile: counts of branches between places of the input binary.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "src/base/count_table.h"
#include "src/profile/binary.h"

enum record_kind {
	RECORD_BRANCH, /* listed under the function it comes from             */
	RECORD_ENTRY,  /* from outside: listed under the function it goes to  */
	RECORD_SAMPLE, /* a basic sample: `from` only                         */
};

struct record {
	enum record_kind kind;
	struct input_place from, to;
	uint64_t count, mispredicted;
};

struct profile {
	const struct binary *binary; /* borrowed; names come from it */
	struct count_table records;
};

/* Add a record; equal ones are summed.  A count of 0 adds nothing.  Returns
 * false when out of memory. */
BC_MUST_USE bool profile_add(struct profile *profile, const struct record *record);
void profile_free(struct profile *profile);

/* The records in the order in which BOLT's tools write them: by the primary
 * name of the function they are listed under, entry records last, then by
 * source and target, of which unknown ones come first.
 *
 * out   profile->records.used records; the caller frees them */
BC_MUST_USE bool profile_sorted(const struct profile *profile, struct record **out,
				struct bc_error *err);

#endif
