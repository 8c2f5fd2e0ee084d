/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/check_sum.h"

#include <inttypes.h>

void check_sum_merge(struct check_sum *sum, const struct check_sum *from)
{
	sum->plain += from->plain;
	sum->count += from->count;
	sum->extra += from->extra;
}

struct check_sum check_sum_table(const struct count_table *table)
{
	struct check_sum sum = {0};

	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			check_sum_add_row(&sum, &table->rows[i]);
	return sum;
}

struct check_sum check_sum_counts(const struct counts *counts)
{
	struct check_sum sum = {0};

	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		struct check_sum shard = check_sum_table(&counts->shards[i]);
		check_sum_merge(&sum, &shard);
	}
	return sum;
}

bool check_fails(uint64_t is, uint64_t should, const char *what, struct bc_error *err)
{
	return bc_fail(err, BC_BUG, "self-check: %s: %" PRIu64 ", should be %" PRIu64, what, is, should);
}

bool check_same(uint64_t is, uint64_t should, const char *what, struct bc_error *err)
{
	return is == should || check_fails(is, should, what, err);
}

bool check_sum_same(const struct check_sum *is, const struct check_sum *should, const char *what,
		    struct bc_error *err)
{
	if (!check_same(is->plain, should->plain, what, err))
		return false;
	return (is->count == should->count && is->extra == should->extra) ||
	       bc_fail(err, BC_BUG, "self-check: %s: the counts add up, but some are of other places", what);
}
