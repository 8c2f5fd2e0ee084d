/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --self-check: what a conversion counted is counted again, by plain code that
 * shares none of the tables, batches, threads and sorting of the first count, and
 * both must agree.  docs/security.md, "Self-check", lists what is compared.
 *
 *   reader --> self_check_sink() --> aggregate     what was delivered
 *              self_check_counts()                 = what was counted
 *              self_check_record()                 what was put into batches
 *              self_check_profile()                = what is in the profile
 *
 * Sums are over hashes of places times counts, modulo 2^64: they do not depend on
 * order, nor on how often equal things were added up, and a count that ends up at
 * another place changes them.
 *
 * All fail with BC_BUG: the contradiction is in batconv, not in its input.
 */
#ifndef PROFILE_SELF_CHECK_H
#define PROFILE_SELF_CHECK_H

#include "src/profile/aggregate.h"
#include "src/profile/profile.h"

/* Debug builds check themselves always. */
#ifdef NDEBUG
#define SELF_CHECK_ALWAYS false
#else
#define SELF_CHECK_ALWAYS true
#endif

struct check_sum {
	uint64_t plain;        /* of counts */
	uint64_t count, extra; /* of counts, of second counts: times the hash of their place */
};

static inline uint64_t check_hash(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = (a + 0x2545f4914f6cdd1du) * 0xd6e8feb86659fd93u;

	h = ((h ^ h >> 32) + b) * 0xa0761d6478bd642fu;
	h = ((h ^ h >> 29) + c) * 0xe7037ed1a0b428dbu;
	return (h ^ h >> 32) | 1;
}

static inline void check_sum_add(struct check_sum *sum, uint64_t hash, uint64_t count,
				 uint64_t extra)
{
	sum->plain += count;
	sum->count += hash * count;
	sum->extra += hash * extra;
}

/* Of all rows, by their keys. */
struct check_sum check_sum_counts(const struct counts *counts);

void check_sum_merge(struct check_sum *sum, const struct check_sum *from);

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

/* A record that is put into a batch. */
void self_check_record(struct check_sum *pushed, const struct binary *binary,
		       const struct record *record);

/* The profile holds what was put into batches, sorted, each record once, every offset
 * inside its function as far as the input function is known.
 *
 * ledgers  all of the conversion */
BC_MUST_USE bool self_check_profile(const struct self_check *check, const struct profile *profile,
				    const struct check_sum *pushed, const struct ledgers *ledgers,
				    struct bc_error *err);

/* Every function of the profile is one of the input binary, every offset below its
 * size there.  Functions are known by name.  BC_NOTFOUND: one is not there, and it may
 * be another binary; BC_NOMEM */
BC_MUST_USE bool self_check_input(const struct profile *profile, const struct function_table *input,
				  struct bc_error *err);

#endif
