/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches that an input says are returns (R records): one such record decides
 * for every trace of that branch. */
#ifndef COUNT_RETURNS_H
#define COUNT_RETURNS_H

#include "src/base/bit_filter.h"
#include "src/base/number_set.h"
#include "src/event/trace.h"

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
