/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts by key: an open-addressing hash table whose keys are one to three
 * 64-bit words.  Each key has two counters.  Millions of records of a profile
 * become as many rows as there are distinct keys.
 */
#ifndef BASE_COUNT_TABLE_H
#define BASE_COUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

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
};

void count_table_free(struct count_table *table);

/* Add to the counters of a key.  count must not be 0.  Sums that would pass
 * 2^64 - 1 stay there.  Returns false when out of memory. */
BC_MUST_USE bool count_table_add(struct count_table *table,
				 const uint64_t key[COUNT_KEY_WORDS],
				 uint64_t count, uint64_t extra);

/* The row of a key, or NULL. */
const struct count_row *count_table_find(const struct count_table *table,
					 const uint64_t key[COUNT_KEY_WORDS]);

/* Move the rows to the front of the array and sort them by key; the table can
 * only be read and freed from then on.  Returns rows[0 .. used). */
struct count_row *count_table_sorted(struct count_table *table);

#endif
