/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/count_table.h"

#include <stdlib.h>

#include "src/base/sort.h"

#define FIRST_CAPACITY 1024

void count_table_free(struct count_table *table)
{
	free(table->rows);
	*table = (struct count_table){0};
}

static bool enlarge(struct count_table *table, size_t capacity)
{
	struct count_table bigger = {.capacity = capacity, .used = table->used, .seed = table->seed ? table->seed : hash_seed()};

	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			*count_table_probe(&bigger, table->rows[i].key) = table->rows[i];
	free(table->rows);
	*table = bigger;
	return true;
}

bool count_table_begin(struct count_table *table, size_t capacity)
{
	return enlarge(table, capacity);
}

bool count_table_grow(struct count_table *table)
{
	return enlarge(table, table->capacity ? 2 * table->capacity : FIRST_CAPACITY);
}

static bool row_less(const struct count_row *a, const struct count_row *b)
{
	for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i];
	return false;
}
DEFINE_SORT(sort_rows, struct count_row, row_less)

static bool make_room(struct count_rows *spare, size_t capacity)
{
	if (spare->capacity >= capacity)
		return true;
	free(spare->at);
	*spare = (struct count_rows){malloc(capacity * sizeof(*spare->at)), capacity};
	spare->capacity = spare->at ? capacity : 0;
	return spare->at;
}

/* Radix sort by the first word of the keys: faster than comparing, but it needs a second array.
 * Few rows have the same first word; these are sorted by comparing. */
static bool sort_by_first(struct count_rows *rows, size_t count, struct count_rows *spare)
{
	struct keyed *keys = malloc((count + 1) * sizeof(*keys));
	bool done = keys && make_room(spare, rows->capacity);

	for (size_t i = 0; done && i < count; i++)
		keys[i] = (struct keyed){rows->at[i].key[0], i};
	done = done && sort_keyed(keys, count);
	for (size_t i = 0; done && i < count; i++)
		spare->at[i] = rows->at[keys[i].index];
	free(keys);
	if (!done)
		return false;
	struct count_rows sorted = *spare;
	*spare = *rows;
	*rows = sorted;
	return true;
}

static void sort_equal_first(struct count_row *rows, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && rows[end].key[0] == rows[i].key[0];)
			end++;
		sort_rows(rows + i, end - i);
	}
}

static void sort(struct count_rows *rows, size_t count, struct count_rows *spare)
{
	if (count && sort_by_first(rows, count, spare))
		sort_equal_first(rows->at, count);
	else
		sort_rows(rows->at, count);
}

void count_table_sort(struct count_table *table)
{
	struct count_rows rows = {table->rows, table->capacity}, spare = {0};
	size_t kept = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			table->rows[kept++] = table->rows[i];
	sort(&rows, kept, &spare);
	free(spare.at);
	table->rows = rows.at;
	table->capacity = kept;
}

size_t count_rows_unify(struct count_rows *rows, size_t count, struct count_rows *spare)
{
	size_t kept = 0;

	sort(rows, count, spare);
	for (size_t i = 0; i < count; i++) {
		const struct count_row *row = &rows->at[i];
		struct count_row *last = kept ? &rows->at[kept - 1] : NULL;
		if (!last || memcmp(last->key, row->key, sizeof(row->key))) {
			rows->at[kept++] = *row;
			continue;
		}
		last->count = count_add_saturating(last->count, row->count);
		last->extra = count_add_saturating(last->extra, row->extra);
	}
	return kept;
}
