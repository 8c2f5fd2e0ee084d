/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches that an input says are returns (R records): one such record decides
 * for every trace of that branch. */
#ifndef COUNT_RETURNS_H
#define COUNT_RETURNS_H

#include "src/base/map.h"
#include "src/samples/trace.h"

/* A bit for each hash of a set's numbers, small enough for a processor's own cache.  Asking it
 * first saves looking for most of the numbers that are not in the set. */
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

/* Zeroed means empty. */
struct returns {
	struct bit_filter filter;
	struct number_set branches; /* their words */
};

/* Returns false when out of memory. */
BC_MUST_USE static inline bool returns_add(struct returns *returns, struct trace_end branch)
{
	bit_filter_add(&returns->filter, branch.word);
	return number_set_add(&returns->branches, branch.word);
}

static inline bool returns_has(const struct returns *returns, struct trace_end branch)
{
	return bit_filter_may_have(&returns->filter, branch.word) &&
	       number_set_has(&returns->branches, branch.word);
}

/* Ask for the memory that returns_has() will read. */
static inline void returns_prefetch(const struct returns *returns, struct trace_end branch)
{
	if (bit_filter_may_have(&returns->filter, branch.word))
		number_set_prefetch(&returns->branches, branch.word);
}

#endif
