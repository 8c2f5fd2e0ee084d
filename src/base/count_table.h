/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts by key: an open-addressing hash table whose keys are three 64-bit
 * words (unused ones 0).  Each key has two counters.  Millions of records of a
 * profile become as many rows as there are distinct keys.
 */
#ifndef BASE_COUNT_TABLE_H
#define BASE_COUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/hash.h"

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

/* An array of rows that is used for several sorts: allocating anew takes time.  Zeroed means
 * none. */
struct count_rows {
	struct count_row *at;
	size_t capacity;
};

/* Sort rows by their keys and add up those with equal keys; none may be free.  Where memory
 * suffices, the result is in the spare array, and the two arrays are exchanged.  Returns how
 * many rows are left. */
size_t count_rows_unify(struct count_rows *rows, size_t count, struct count_rows *spare);

/* Give a table without rows so many at first, a power of two; one that is not given any gets 1,024.  Returns false when out of
 * memory. */
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
		if (!row->count || (row->key[0] == key[0] && row->key[1] == key[1] &&
				    row->key[2] == key[2]))
			return row;
	}
}

/* Prefetch the memory of the key's row for count_table_add(). */
static inline void count_table_prefetch(const struct count_table *table,
					const uint64_t key[COUNT_KEY_WORDS])
{
	if (!table->capacity)
		return;
	const struct count_row *row = &table->rows[count_table_hash(table, key) & (table->capacity - 1)];
	__builtin_prefetch(row, 1);
	__builtin_prefetch(&row->extra, 1);
}

static inline uint64_t count_add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Would so many keys more make it grow?  At most three quarters are full, so that probing stays short. */
static inline bool count_table_must_grow(const struct count_table *table, size_t keys)
{
	return table->used + keys > table->capacity / 4 * 3;
}

/* Add to the counters of a key.  count must not be 0.  Sums that would pass
 * 2^64 - 1 stay there.  Returns false when out of memory. */
BC_MUST_USE static inline bool count_table_add(struct count_table *table,
					       const uint64_t key[COUNT_KEY_WORDS],
					       uint64_t count, uint64_t extra)
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

#endif
