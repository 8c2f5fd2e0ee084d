/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of 64-bit numbers, such as addresses: open addressing, eight numbers to a line of
 * the processor's cache.  Zeroed means empty.
 */
#ifndef BASE_NUMBER_SET_H
#define BASE_NUMBER_SET_H

#include <stdbool.h>

#include "src/base/attr.h"
#include "src/base/hash.h"

struct number_set {
	uint64_t *at;    /* 0: free */
	size_t capacity; /* 0 or a power of two */
	size_t used;     /* without 0 */
	bool has_zero;
	uint64_t seed;   /* 0, or as somebody set it, until there are numbers */
};

void number_set_free(struct number_set *set);

static inline size_t number_set_slot(const struct number_set *set, uint64_t number)
{
	return (size_t)hash_end(hash_mix(set->seed, number)) & (set->capacity - 1);
}

/* Where a number that is not 0 is, or the free place where it belongs.  capacity > used. */
static inline uint64_t *number_set_probe(const struct number_set *set, uint64_t number)
{
	size_t slot = number_set_slot(set, number);

	while (set->at[slot] && set->at[slot] != number)
		slot = (slot + 1) & (set->capacity - 1);
	return &set->at[slot];
}

static inline bool number_set_has(const struct number_set *set, uint64_t number)
{
	if (!number || !set->used)
		return !number && set->has_zero;
	return *number_set_probe(set, number);
}

/* Ask for the memory that number_set_has() will read. */
static inline void number_set_prefetch(const struct number_set *set, uint64_t number)
{
	if (set->used)
		__builtin_prefetch(&set->at[number_set_slot(set, number)]);
}

/* Returns false when out of memory. */
BC_MUST_USE bool number_set_add(struct number_set *set, uint64_t number);

#endif
