/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts that many threads add to.  Each thread counts in a small table of its
 * own, and hands that over when it is full; here the keys are spread over
 * shards, each with a lock, so that memory does not grow with the number of
 * threads.  The sums do not depend on who came first.
 *
 * The first word of a key is an address.  Addresses of the same 16 KiB are in the same
 * shard, so that a shard is sorted and read with good locality.
 */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include <pthread.h>

#include "src/base/count_cache.h"
#include "src/base/count_table.h"
#include "src/base/vec.h"

#define COUNTS_SHARDS 32

DEFINE_VEC(count_row_vec, struct count_row);

struct counts {
	/* The counts of all threads; after counts_settle() all rows, sorted by key. */
	struct count_table shards[COUNTS_SHARDS];
	/* Rows of inputs that were aggregated before.  As few of them have the same key, they
	 * are collected and sorted at the end, which takes less time and memory than a
	 * table. */
	struct count_row_vec lists[COUNTS_SHARDS];
	size_t limits[COUNTS_SHARDS]; /* the lengths of lists at which equal rows are added up */
	pthread_mutex_t locks[COUNTS_SHARDS];
};

void counts_init(struct counts *counts);
void counts_free(struct counts *counts);

/* Add all that `from` counted and clear it.  Returns false when out of memory. */
BC_MUST_USE bool counts_take(struct counts *counts, struct count_cache *from);

/* Add rows that were counted before, of which free ones (count 0) are passed over.
 * Returns false when out of memory. */
BC_MUST_USE bool counts_take_rows(struct counts *counts, const struct count_row *rows,
				  size_t count);

/* When all was added: sort each shard's rows, each key once.  Nothing can be added from
 * then on.  Returns false when out of memory. */
BC_MUST_USE bool counts_settle(struct counts *counts, unsigned threads);

/* How many distinct keys there are.  After counts_settle(). */
size_t counts_used(const struct counts *counts);

#endif
