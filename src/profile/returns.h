/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches that an input says are returns (R records): one such record decides
 * for every trace of that branch. */
#ifndef PROFILE_RETURNS_H
#define PROFILE_RETURNS_H

#include "src/base/bit_filter.h"
#include "src/base/count_table.h"

/* Zeroed means empty. */
struct returns {
	struct bit_filter filter;
	struct count_table branches; /* key: a vaddr */
};

/* Returns false when out of memory. */
BC_MUST_USE static inline bool returns_add(struct returns *returns, uint64_t branch)
{
	const uint64_t key[COUNT_KEY_WORDS] = {branch};

	bit_filter_add(&returns->filter, branch);
	return count_table_add(&returns->branches, key, 1, 0);
}

static inline bool returns_has(const struct returns *returns, uint64_t branch)
{
	const uint64_t key[COUNT_KEY_WORDS] = {branch};

	return bit_filter_may_have(&returns->filter, branch) &&
	       count_table_find(&returns->branches, key);
}

/* Ask for the memory that returns_has() will read. */
static inline void returns_prefetch(const struct returns *returns, uint64_t branch)
{
	const uint64_t key[COUNT_KEY_WORDS] = {branch};

	if (bit_filter_may_have(&returns->filter, branch))
		count_table_prefetch(&returns->branches, key);
}

#endif
