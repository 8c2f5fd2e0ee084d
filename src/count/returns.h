/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The branches that are returns, as the samples say: by R records of pre-aggregated text, or by the
 * types of branches.  One record or one type decides for every trace of that branch. */
#ifndef COUNT_RETURNS_H
#define COUNT_RETURNS_H

#include "src/base/counts.h"
#include "src/base/map.h"
#include "src/samples/event.h"
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

	return filter && filter->words[bit >> 6] >> (bit & 63) & 1;
}

/* Zeroed means empty. */
struct returns {
	struct bit_filter *filter;  /* owned; NULL: no branch is there */
	struct number_set branches; /* their words */
};

void returns_free(struct returns *returns);

/* Returns false when out of memory. */
BC_MUST_USE bool returns_add(struct returns *returns, struct trace_end branch);

static inline bool returns_has(const struct returns *returns, struct trace_end branch)
{
	return bit_filter_may_have(returns->filter, branch.word) &&
	       number_set_has(&returns->branches, branch.word);
}

/* Ask for the memory that returns_has() will read. */
static inline void returns_prefetch(const struct returns *returns, struct trace_end branch)
{
	if (bit_filter_may_have(returns->filter, branch.word))
		number_set_prefetch(&returns->branches, branch.word);
}

/* ---- returns by the types of branches ---- */

/*
 * Returns that the types of branches show: one entry of type RET makes its source a return
 * wherever it is in the samples, as an R record does.
 *
 * Traces have the address of a source in the binary; sources outside are all one there
 * (TRACE_EXTERNAL), and by their type TRACE_FT_RETURN.  Where a source outside has no type
 * in a recording that has types, as the recorder could not read its instruction, the trace
 * waits here under its address until it is known whether another entry says RET.
 */

/* Zeroed means empty. */
struct branch_types {
	struct number_set inside;   /* vaddrs of returns */
	struct number_set outside;  /* run-time addresses of returns outside the binary */
	struct count_table waiting; /* key as trace_key(), but the branch is a run-time address */
	bool no_memory;             /* for one of these */
};

static inline bool branch_is_return(const struct branch *b)
{
	return (b->flags & BRANCH_TYPE) == BRANCH_TYPE_RETURN;
}

/* Does another entry show what it is? */
static inline bool branch_must_wait(const struct branch *b, struct trace trace)
{
	return !(b->flags & BRANCH_TYPE) && trace_end_is(trace.branch, TRACE_END_EXTERNAL) &&
	       !trace_end_is(trace.from, TRACE_END_EXTERNAL);
}

/* A return by its type, of a trace from `branch` to `from`.  Returns the branch that it is counted
 * with.  These two are given the ends of a trace by value and on their own, so that a walk over a
 * stack has no trace in memory: reading two ends at once, just after they were stored one by one,
 * would wait for the stores.  Out of memory: types->no_memory. */
struct trace_end branch_types_return(struct branch_types *types, const struct branch *b,
				     struct trace_end branch, struct trace_end from);

/* A trace whose branch must wait. */
void branch_types_wait(struct branch_types *types, const struct branch *b, struct trace_end from,
		       struct trace_end to, bool extra);

/* For a row of types->waiting, when all types are known: gives it the branch that it is counted
 * with.  Returns whether that is a return. */
bool branch_types_settle(const struct branch_types *types, uint64_t key[COUNT_KEY_WORDS]);

/* Has a sample types?  So it seems if its newest branches have. */
bool branch_types_seen(const struct branch *branches, size_t count);

/* Add all that another thread found, and empty that.  Returns false when out of memory. */
BC_MUST_USE bool branch_types_take(struct branch_types *to, struct branch_types *from);

void branch_types_free(struct branch_types *types);

#endif
