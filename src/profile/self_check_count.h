/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The second count: of what the readers deliver, by plain code, in a sink in front of
 * the one that counts.  All fail with BC_BUG.
 */
#ifndef PROFILE_SELF_CHECK_COUNT_H
#define PROFILE_SELF_CHECK_COUNT_H

#include "src/profile/aggregate.h"
#include "src/profile/check_sum.h"

/* What must come out.  Zeroed at first. */
struct self_check {
	bool on;
	const struct aggregate *aggregate; /* borrowed, as it was when the inputs were read */
	struct sample_sink inner;          /* where events go on to */
	uint64_t seen;                     /* samples of the present input */
	bool erratum_seen;                 /* in the present input */
	uint64_t samples, branches, accesses; /* read */
	uint64_t runs;                        /* fall-throughs read */
	struct check_sum traces, basic;       /* of their keys */
	bool overflow; /* counts of an input add up to 2^64 or more: sums tell nothing */
};

/* A sink in front of the aggregate's, for the next input. */
struct sample_sink self_check_sink(struct self_check *check, const struct aggregate *aggregate,
				   struct sample_sink inner);

/* Samples that the reader could not deliver. */
void self_check_undelivered(struct self_check *check, uint64_t count);

/* After aggregate_finish(): the counts and ledgers are those of what was delivered.
 * basic  as aggregate_finish() said */
BC_MUST_USE bool self_check_counts(const struct self_check *check, bool basic,
				   struct bc_error *err);

/* Every ledger: read == kept + dropped. */
BC_MUST_USE bool self_check_ledgers(const struct self_check *check, const struct ledgers *ledgers,
				    struct bc_error *err);

#endif
