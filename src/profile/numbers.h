/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The numbers by which a YAML profile names GUIDs and hashes of functions: the most frequent first, of equally
 * frequent ones the larger first.  GUIDs are counted in the trees of functions that the samples touched, hashes in
 * .pseudo_probe_desc.
 */
#ifndef PROFILE_NUMBERS_H
#define PROFILE_NUMBERS_H

#include "src/profile/placed.h"

struct counted_number {
	uint64_t value;
	uint64_t count;
};
DEFINE_VEC(counted_number_vec, struct counted_number);

struct value_number {
	uint64_t value;
	uint32_t number;
};
DEFINE_VEC(value_number_vec, struct value_number);

struct probe_numbers {
	struct counted_number_vec guids;  /* by number */
	struct counted_number_vec hashes; /* by number */
	struct value_number_vec of_guid;  /* by GUID */
	struct value_number_vec of_hash;  /* by hash */
};

/* wanted  per function of the probes' own table: its tree is counted; if none is, all are.
 *
 * Returns false when out of memory.  Finish with probe_numbers_free() either way. */
BC_MUST_USE bool probe_numbers_make(const struct placed_probes *placed, const bool *wanted, struct probe_numbers *out);
void probe_numbers_free(struct probe_numbers *numbers);

uint32_t probe_guid_number(const struct probe_numbers *numbers, uint64_t guid);

/* The number of the hash of a GUID's function. */
uint32_t probe_hash_number(const struct probe_numbers *numbers, const struct placed_probes *placed, uint64_t guid);

#endif
