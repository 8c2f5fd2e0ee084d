/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts by key: of one thread in a table or, for the keys that it meets most, in a cache; of all
 * threads together.
 */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/vec.h"

/*
 * An open-addressing hash table whose keys are three 64-bit words (unused ones 0).  Each key has
 * two counters. Millions of records of a profile become as many rows as there are distinct keys.
 */

#define COUNT_KEY_WORDS 3

struct count_row {
	uint64_t key[COUNT_KEY_WORDS];
	uint64_t count; /* 0: the row is free */
	uint64_t extra; /* the second counter */
};

struct count_table {
	struct count_row *rows;
	size_t capacity; /* 0 or a power of two */
	size_t used;
	uint64_t seed; /* 0, or as somebody set it, until there are rows */
};

void count_table_free(struct count_table *table);

/* Move the rows to the front, rows[0 .. used), sorted by key.  The table can only
 * be read by index and freed from then on: capacity is `used`. */
void count_table_sort(struct count_table *table);

/* An array of rows that is used for several sorts: allocating again takes time.  Zeroed means
 * none. */
struct count_rows {
	struct count_row *at;
	size_t capacity;
};

/* Sort rows by their keys and add up those with equal keys; none may be free.  Where memory
 * suffices, the result is in the spare array, and the two arrays are exchanged.  Returns how
 * many rows are left. */
size_t count_rows_unify(struct count_rows *rows, size_t count, struct count_rows *spare);

/* Give a table without rows so many at first, a power of two; one that is not given any gets 1,024.
 * Returns false when out of memory. */
BC_MUST_USE bool count_table_begin(struct count_table *table, size_t capacity);

/* Make room for one more key.  Returns false when out of memory. */
BC_MUST_USE bool count_table_grow(struct count_table *table);

static inline uint64_t count_table_hash(const struct count_table *table,
					const uint64_t key[COUNT_KEY_WORDS])
{
	return hash_end(hash_mix(hash_mix(hash_mix(table->seed, key[0]), key[1]), key[2]));
}

/* The row of the key, or the free row where it belongs.  capacity > used. */
static inline struct count_row *count_table_probe(const struct count_table *table,
						  const uint64_t key[COUNT_KEY_WORDS])
{
	size_t mask = table->capacity - 1;

	for (size_t at = count_table_hash(table, key) & mask;; at = (at + 1) & mask) {
		struct count_row *row = &table->rows[at];
		if (!row->count ||
		    (row->key[0] == key[0] && row->key[1] == key[1] && row->key[2] == key[2]))
			return row;
	}
}

/* Prefetch the memory of the key's row for count_table_add(). */
static inline void count_table_prefetch(const struct count_table *table,
					const uint64_t key[COUNT_KEY_WORDS])
{
	if (!table->capacity)
		return;
	const struct count_row *row =
		&table->rows[count_table_hash(table, key) & (table->capacity - 1)];
	__builtin_prefetch(row, 1);
	__builtin_prefetch(&row->extra, 1);
}

static inline uint64_t count_add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A part of a whole in percent; 0 if the whole is 0. */
static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Would so many keys more make it grow?  At most three quarters are full, so that probing stays
 * short. */
static inline bool count_table_must_grow(const struct count_table *table, size_t keys)
{
	return table->used + keys > table->capacity / 4 * 3;
}

/* Add to the counters of a key.  count must not be 0.  Sums that would pass
 * 2^64 - 1 stay there.  Returns false when out of memory. */
BC_MUST_USE static inline bool count_table_add(struct count_table *table,
					       const uint64_t key[COUNT_KEY_WORDS], uint64_t count,
					       uint64_t extra)
{
	if (count_table_must_grow(table, 1) && !count_table_grow(table))
		return false;
	struct count_row *row = count_table_probe(table, key);
	if (!row->count) {
		memcpy(row->key, key, sizeof(row->key));
		table->used++;
	}
	row->count = count_add_saturating(row->count, count);
	row->extra = count_add_saturating(row->extra, extra);
	return true;
}

/*
 * The same for one thread: a table that fits into the processor's
 * own cache.  A row is half a cache line, and at least half of the rows are free, so that most
 * keys are found in the first row that is looked at.  The number of keys is bounded: a thread
 * that finds the table full adds the counts to those of all threads and
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
	size_t most;    /* keys that fit until count_cache_grow() is called */
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

/* Makes a factor of a random number: one that spreads keys at equal distances over the table. About
 * one number in three is one as it is. */
uint64_t count_cache_factor(uint64_t seed);

/* For a product the highest bits depend on all bits of the key. */
static inline uint64_t count_cache_hash(const struct count_cache *cache,
					const uint64_t key[COUNT_KEY_WORDS])
{
	uint64_t h = key[0] * cache->factors[0] + key[1] * cache->factors[1] +
		     key[2] * cache->factors[2];

	return h >> (64 - COUNT_CACHE_BITS);
}

/* Count a key once, and once in the second counter if `extra`.  There must be room. */
static inline void count_cache_add(struct count_cache *cache, const uint64_t key[COUNT_KEY_WORDS],
				   bool extra)
{
	for (size_t at = count_cache_hash(cache, key);; at++) {
		struct count_cache_row *row = &cache->rows[at & cache->mask];
		uint64_t differ =
			(row->key[0] ^ key[0]) | (row->key[1] ^ key[1]) | (row->key[2] ^ key[2]);
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

/*
 * Counts that many threads add to.  Each thread counts in a small table of its
 * own, and hands that over when it is full; here the keys are spread over
 * shards, each with a lock, so that memory does not grow with the number of
 * threads.  The sums do not depend on who came first.
 *
 * The first word of a key is an address.  Addresses of the same 16 KiB are in the same
 * shard, so that a shard is sorted and read with good locality.
 */

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

/* Copies a half of settled counts: what the second counter of each row has counted, or the rest.
 * *out: for counts_free(), also after a failure.  Returns false when out of memory. */
BC_MUST_USE bool counts_half(const struct counts *counts, bool first, struct counts *out);

/* How many distinct keys there are.  After counts_settle(). */
size_t counts_used(const struct counts *counts);

/* ---- halves of counts ---- */

/*
 * Two halves of counts, by chance that repeats: each of the things that were counted is in the
 * first half or in the second, as by the toss of a coin, and equal arguments always give equal
 * halves.
 */

/* Up to so many coins are tossed one by one; of more the sum is normal, as near as anybody can
 * show. */
#define HALVE_TOSSED ((uint64_t)1 << 12)

/* Is the thing of this number in the first half? */
static inline bool halve_is_first(uint64_t number)
{
	return hash_end(hash_mix(hash_mix(0, number), 1)) >> 63;
}

static inline unsigned halve_heads(uint64_t coins)
{
	return (unsigned)__builtin_popcountll(coins);
}

/* How many of so many things that were counted together are in the first half.  seed: what shows
 * them from others. */
static inline uint64_t halve(uint64_t count, uint64_t seed)
{
	uint64_t first = 0, left = count, toss = 0;

	if (count > HALVE_TOSSED) { /* 256 coins: mean 128, deviation 8 */
		unsigned heads = 0;
		for (toss = 0; toss < 4; toss++)
			heads += halve_heads(hash_end(hash_mix(hash_mix(seed, count), toss)));
		double off = ((double)heads - 128) / 8 * sqrt((double)count) / 2;
		return off < 0 ? count / 2 - (uint64_t)-off : count / 2 + (uint64_t)off;
	}
	for (; left; toss++) {
		uint64_t now = left < 64 ? left : 64,
			 coins = hash_end(hash_mix(hash_mix(seed, count), toss));
		first += halve_heads(now < 64 ? coins & ((UINT64_C(1) << now) - 1) : coins);
		left -= now;
	}
	return first;
}

#endif
