/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/count_cache.h"

#include <stdlib.h>

#define FIRST_ROWS ((size_t)1 << 10)
#define MOST_ROWS (2 * COUNT_CACHE_MOST)
#define CACHE_LINE 64

void count_cache_free(struct count_cache *cache)
{
	free(cache->rows);
	*cache = (struct count_cache){0};
}

void count_cache_clear(struct count_cache *cache)
{
	if (cache->used)
		memset(cache->rows, 0, (cache->mask + 1) * sizeof(*cache->rows));
	cache->used = 0;
	cache->added = 0;
}

static void move_rows(struct count_cache *to, const struct count_cache *from)
{
	for (size_t i = 0; from->rows && i <= from->mask; i++) {
		const struct count_cache_row *row = &from->rows[i];
		size_t at = count_cache_hash(to, row->key);
		if (!row->count)
			continue;
		while (to->rows[at & to->mask].count)
			at++;
		to->rows[at & to->mask] = *row;
	}
}

bool count_cache_grow(struct count_cache *cache)
{
	struct count_cache bigger = *cache;
	size_t rows = cache->rows ? 4 * (cache->mask + 1) : FIRST_ROWS;

	if (rows > MOST_ROWS)
		rows = MOST_ROWS;
	bigger.rows = aligned_alloc(CACHE_LINE, rows * sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	memset(bigger.rows, 0, rows * sizeof(*bigger.rows));
	bigger.mask = rows - 1;
	for (size_t i = 0; i < COUNT_KEY_WORDS && !cache->rows; i++)
		bigger.factors[i] = bigger.factors[i] ? bigger.factors[i] : hash_seed(); /* odd */
	/* Small tables are used up to a quarter, the largest up to a half. */
	bigger.most = rows == MOST_ROWS ? COUNT_CACHE_MOST : rows / 4;
	move_rows(&bigger, cache);
	free(cache->rows);
	*cache = bigger;
	return true;
}
