/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/count_table.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "src/base/radix.h"
#include "src/base/sort.h"

#define FIRST_CAPACITY 1024

uint64_t count_seed;

void count_seed_choose(void)
{
	struct timespec now = {0};

	if (getrandom(&count_seed, sizeof(count_seed), GRND_NONBLOCK) == (ssize_t)sizeof(count_seed))
		return;
	clock_gettime(CLOCK_REALTIME, &now); /* better than none */
	count_seed = count_mix((uint64_t)now.tv_nsec, (uint64_t)(uintptr_t)&now);
}

void count_table_free(struct count_table *table)
{
	free(table->rows);
	*table = (struct count_table){0};
}

void count_table_clear(struct count_table *table)
{
	if (table->used)
		memset(table->rows, 0, table->capacity * sizeof(*table->rows));
	table->used = 0;
}

bool count_table_grow(struct count_table *table)
{
	struct count_table bigger = {.used = table->used};

	bigger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
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

const struct count_row *count_table_find(const struct count_table *table,
					 const uint64_t key[COUNT_KEY_WORDS])
{
	if (!table->used)
		return NULL;
	const struct count_row *row = count_table_probe(table, key);
	return row->count ? row : NULL;
}

static bool row_less(const struct count_row *a, const struct count_row *b)
{
	for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i];
	return false;
}
DEFINE_SORT(sort_rows, struct count_row, row_less)

/* By the first word, which is faster than to compare and needs a second array: then
 * rows that have that in common are few. */
static struct count_row *sorted_by_first(const struct count_row *rows, size_t count)
{
	struct keyed *keys = malloc((count + 1) * sizeof(*keys));
	struct count_row *sorted = malloc((count + 1) * sizeof(*sorted));
	bool done = keys && sorted;

	for (size_t i = 0; done && i < count; i++)
		keys[i] = (struct keyed){rows[i].key[0], i};
	done = done && sort_keyed(keys, count);
	for (size_t i = 0; done && i < count; i++)
		sorted[i] = rows[keys[i].index];
	free(keys);
	if (done)
		return sorted;
	free(sorted);
	return NULL;
}

static void sort_equal_first(struct count_row *rows, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && rows[end].key[0] == rows[i].key[0];)
			end++;
		sort_rows(rows + i, end - i);
	}
}

static void sort(struct count_row **rows, size_t count)
{
	struct count_row *sorted = sorted_by_first(*rows, count);

	if (!sorted) {
		sort_rows(*rows, count);
		return;
	}
	free(*rows);
	*rows = sorted;
	sort_equal_first(sorted, count);
}

void count_table_sort(struct count_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			table->rows[kept++] = table->rows[i];
	sort(&table->rows, kept);
	table->capacity = kept;
}

size_t count_rows_unify(struct count_row **rows, size_t count)
{
	size_t kept = 0;

	sort(rows, count);
	for (size_t i = 0; i < count; i++) {
		const struct count_row *row = &(*rows)[i];
		struct count_row *last = kept ? &(*rows)[kept - 1] : NULL;
		if (!last || memcmp(last->key, row->key, sizeof(row->key))) {
			(*rows)[kept++] = *row;
			continue;
		}
		last->count = count_add_saturating(last->count, row->count);
		last->extra = count_add_saturating(last->extra, row->extra);
	}
	return kept;
}
