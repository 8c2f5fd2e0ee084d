/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped where in one process at one moment, in a row: for whoever looks up
 * much, or looks at all of it.
 *
 * A look-up is a binary search over the mappings' starts, which stand in an array
 * of their own: 14 steps in 80 KB for 10,000 mappings.  A batch looks first
 * where the address before was.
 */
#ifndef ADDRSPACE_MAPS_H
#define ADDRSPACE_MAPS_H

#include "src/addrspace/map_set.h"
#include "src/base/address.h"

/* mapping.flags, of processes whose maps are kept whole. */
enum {
	MAPPING_READ = 1,
	MAPPING_WRITE = 2,
	MAPPING_EXEC = 4,
	MAPPING_SHARED = 8,
};

/* Zeroed means empty. */
struct maps {
	struct mapping *at; /* by ascending start, not overlapping */
	size_t len;
	uint64_t *starts; /* at[i].start */
};

/* All mappings of a set.  False when out of memory. */
BC_MUST_USE bool maps_of(const struct map_set *set, struct maps *out);
void maps_free(struct maps *maps);

/* The mapping that holds an address, or NULL.  O(log n). */
const struct mapping *maps_find(const struct maps *maps, struct run_addr at);

/* The same for many: out[i] is the number of the mapping of at[i], or
 * MAPS_NOWHERE.  Any order will do; neighbours are found at once. */
#define MAPS_NOWHERE UINT32_MAX
void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count,
		   uint32_t *out);

/* The offset in the mapping's file of a run-time address in it. */
static inline struct file_off mapping_offset(const struct mapping *mapping, struct run_addr at)
{
	return (struct file_off){at.v - mapping->start + mapping->offset};
}

#endif
