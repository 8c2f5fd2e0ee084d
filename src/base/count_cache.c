/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/count_cache.h"

#include <stdlib.h>

#define FIRST_ROWS ((size_t)1 << 10)
#define MOST_ROWS (2 * COUNT_CACHE_MOST)
#define CACHE_LINE 64
#define LEAST_ROUND 512 /* keys */

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

/* After how many keys at equal distances one falls near the first again.  `step` is the distance as a fraction of 2^64 of the table;
 * that number is the denominator of the last convergent of its continued fraction that is not above the number of rows (Khinchin,
 * Continued Fractions, section 6). */
static uint64_t returns_after(uint64_t step)
{
	uint64_t before = 0, last = 1;

	for (unsigned __int128 a = (unsigned __int128)1 << 64, b = step; b;) {
		uint64_t quotient = a / b < MOST_ROWS ? (uint64_t)(a / b) : MOST_ROWS + 1;
		uint64_t next = quotient * last + before;
		unsigned __int128 rest = a % b;
		if (next > MOST_ROWS)
			break;
		before = last;
		last = next;
		a = b;
		b = rest;
	}
	return last;
}

/* A product maps keys at equal distances to places at equal distances.  If that distance is near a simple fraction of the table,
 * they pile up at a few places.  Does a factor spread keys whose distance is any power of two? */
static bool spreads(uint64_t factor)
{
	for (unsigned shift = 0; shift <= 64 - COUNT_CACHE_BITS; shift++)
		if (returns_after(factor << shift) < LEAST_ROUND)
			return false;
	return true;
}

uint64_t count_cache_factor(uint64_t seed)
{
	uint64_t factor = seed | 1;

	while (!spreads(factor))
		factor = hash_end(hash_mix(factor, seed)) | 1;
	return factor;
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
		bigger.factors[i] = bigger.factors[i] ? bigger.factors[i] : count_cache_factor(hash_seed());
	/* Small tables are used up to a quarter, the largest up to a half. */
	bigger.most = rows == MOST_ROWS ? COUNT_CACHE_MOST : rows / 4;
	move_rows(&bigger, cache);
	free(cache->rows);
	*cache = bigger;
	return true;
}
