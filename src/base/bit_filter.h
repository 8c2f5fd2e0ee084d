/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bit for each hash of a set's numbers, small enough for a processor's own cache.  Asking it
 * first saves looking for most of the numbers that are not in the set. */
#ifndef BASE_BIT_FILTER_H
#define BASE_BIT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define BIT_FILTER_BITS 20

struct bit_filter {
	uint64_t words[1 << (BIT_FILTER_BITS - 6)];
};

static inline uint32_t bit_filter_hash(uint64_t value)
{
	return (uint32_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BIT_FILTER_BITS));
}

static inline void bit_filter_add(struct bit_filter *filter, uint64_t value)
{
	uint32_t bit = bit_filter_hash(value);

	filter->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* False: it was not added.  True: perhaps. */
static inline bool bit_filter_may_have(const struct bit_filter *filter, uint64_t value)
{
	uint32_t bit = bit_filter_hash(value);

	return filter->words[bit >> 6] >> (bit & 63) & 1;
}

#endif
