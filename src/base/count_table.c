/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/count_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	return h ^ h >> 29;
}

static size_t slot_of(const struct count_table *table, const uint64_t *key)
{
	uint64_t h = mix(mix(mix(0, key[0]), key[1]), key[2]);

	return (size_t)(h ^ h >> 32) & (table->capacity - 1);
}

static bool same_key(const uint64_t *a, const uint64_t *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The row of the key, or the free row where it belongs. */
static struct count_row *probe(const struct count_table *table,
			       const uint64_t *key)
{
	for (size_t at = slot_of(table, key);; at = (at + 1) & (table->capacity - 1)) {
		struct count_row *row = &table->rows[at];
		if (!row->count || same_key(row->key, key))
			return row;
	}
}

void count_table_free(struct count_table *table)
{
	free(table->rows);
	*table = (struct count_table){0};
}

static bool grow(struct count_table *table)
{
	struct count_table bigger = {.used = table->used};

	bigger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			*probe(&bigger, table->rows[i].key) = table->rows[i];
	free(table->rows);
	*table = bigger;
	return true;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool count_table_add(struct count_table *table,
		     const uint64_t key[COUNT_KEY_WORDS], uint64_t count,
		     uint64_t extra)
{
	/* At most three quarters full, so that probing stays short. */
	if (table->used >= table->capacity / 4 * 3 && !grow(table))
		return false;
	struct count_row *row = probe(table, key);
	if (!row->count) {
		memcpy(row->key, key, sizeof(row->key));
		table->used++;
	}
	row->count = add_saturating(row->count, count);
	row->extra = add_saturating(row->extra, extra);
	return true;
}

const struct count_row *count_table_find(const struct count_table *table,
					 const uint64_t key[COUNT_KEY_WORDS])
{
	if (!table->used)
		return NULL;
	const struct count_row *row = probe(table, key);
	return row->count ? row : NULL;
}

static int compare_rows(const void *a, const void *b)
{
	const struct count_row *x = a, *y = b;

	for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

struct count_row *count_table_sorted(struct count_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			table->rows[kept++] = table->rows[i];
	if (kept)
		qsort(table->rows, kept, sizeof(*table->rows), compare_rows);
	return table->rows;
}
