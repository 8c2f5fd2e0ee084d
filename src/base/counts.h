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

#include "src/base/count_table.h"
#include "src/base/vec.h"

/*
 * Counts by key, like count_table.h, for one thread: a table that fits into the processor's
 * own cache.  A row is half a cache line, and at least half of the rows are free, so that most
 * keys are found in the first row that is looked at.  The number of keys is bounded: a thread
 * that finds the table full adds the counts to those of all threads (counts.h) and
 * empties it.
 */

/* Rows at most; half of them can be in use. */
#define COUNT_CACHE_BITS 15
#define COUNT_CACHE_MOST ((size_t)1 << (COUNT_CACHE_BITS - 1))

struct count_cache_row {
	uint64_t key[COUNT_KEY_WORDS];
	uint32_t count; /* 0: the row is free */
	uint32_t extra; /* not more than count */
};

struct count_cache {
	struct count_cache_row *rows; /* begins on a cache line; NULL at first */
	size_t mask;                  /* rows - 1; rows are a power of two */
	size_t used;
	size_t most;  /* keys that fit until count_cache_grow() is called */
	uint64_t added; /* how often keys were counted since it was empty: no counter is higher */
	uint64_t factors[COUNT_KEY_WORDS]; /* random odd numbers for the hash; 0: not chosen yet */
};

void count_cache_free(struct count_cache *cache);

/* Remove all keys, keep the memory. */
void count_cache_clear(struct count_cache *cache);

/* Can so many keys be counted without count_cache_grow()? */
static inline bool count_cache_has_room(const struct count_cache *cache, size_t keys)
{
	return cache->used + keys <= cache->most && cache->added + keys <= UINT32_MAX;
}

/* Must it be emptied before so many keys can be counted?  keys <= COUNT_CACHE_MOST. */
static inline bool count_cache_is_full(const struct count_cache *cache, size_t keys)
{
	return cache->used + keys > COUNT_CACHE_MOST || cache->added + keys > UINT32_MAX;
}

/* Enlarge it, when it is not full.  Returns false when out of memory. */
BC_MUST_USE bool count_cache_grow(struct count_cache *cache);

/* Makes a factor of a random number: one that spreads keys at equal distances over the table.  About one number in three is one
 * as it is. */
uint64_t count_cache_factor(uint64_t seed);

/* Of a product the highest bits depend on all bits of the key. */
static inline uint64_t count_cache_hash(const struct count_cache *cache,
					const uint64_t key[COUNT_KEY_WORDS])
{
	uint64_t h = key[0] * cache->factors[0] + key[1] * cache->factors[1] + key[2] * cache->factors[2];

	return h >> (64 - COUNT_CACHE_BITS);
}

/* Count a key once, and once in the second counter if `extra`.  There must be room. */
static inline void count_cache_add(struct count_cache *cache, const uint64_t key[COUNT_KEY_WORDS],
				   bool extra)
{
	for (size_t at = count_cache_hash(cache, key);; at++) {
		struct count_cache_row *row = &cache->rows[at & cache->mask];
		uint64_t differ = (row->key[0] ^ key[0]) | (row->key[1] ^ key[1]) |
				  (row->key[2] ^ key[2]);
		if (differ && row->count)
			continue;
		if (!row->count) {
			/* Word by word: memcpy() of words that were just stored one by one would
			 * read two of them at once, and wait for the stores. */
			row->key[0] = key[0];
			row->key[1] = key[1];
			row->key[2] = key[2];
			cache->used++;
		}
		row->count++;
		row->extra += extra;
		cache->added++;
		return;
	}
}

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

/* Copies a half of settled counts: what the second counter of each row has counted, or the rest.  *out: for counts_free(), also after a
 * failure.  Returns false when out of memory. */
BC_MUST_USE bool counts_half(const struct counts *counts, bool first, struct counts *out);

/* How many distinct keys there are.  After counts_settle(). */
size_t counts_used(const struct counts *counts);

#endif
