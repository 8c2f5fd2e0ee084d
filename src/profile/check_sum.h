/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sums by which the self-check compares counts.  They are over hashes of places times
 * counts, modulo 2^64: they do not depend on order, nor on how often equal things were
 * added up, and a count that ends up at another place changes them.
 */
#ifndef PROFILE_CHECK_SUM_H
#define PROFILE_CHECK_SUM_H

#include "src/base/counts.h"
#include "src/base/error.h"

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

/* A row that is not free, by its key. */
static inline void check_sum_add_row(struct check_sum *sum, const struct count_row *row)
{
	check_sum_add(sum, check_hash(row->key[0], row->key[1], row->key[2]), row->count, row->extra);
}

/* Of all rows, by their keys. */
struct check_sum check_sum_table(const struct count_table *table);
struct check_sum check_sum_counts(const struct counts *counts);

void check_sum_merge(struct check_sum *sum, const struct check_sum *from);

/* BC_BUG: "self-check: WHAT: IS, should be SHOULD". */
bool check_fails(uint64_t is, uint64_t should, const char *what, struct bc_error *err);

/* Whether both are the same; else BC_BUG. */
BC_MUST_USE bool check_same(uint64_t is, uint64_t should, const char *what, struct bc_error *err);
BC_MUST_USE bool check_sum_same(const struct check_sum *is, const struct check_sum *should,
				const char *what, struct bc_error *err);

#endif
