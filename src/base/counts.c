/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/base/vec.h"

#define FIRST_CAPACITY 1024

void count_table_free(struct count_table *table)
{
	free(table->rows);
	*table = (struct count_table){0};
}

static bool enlarge(struct count_table *table, size_t capacity)
{
	struct count_table bigger = {.capacity = capacity,
				     .used = table->used,
				     .seed = table->seed ? table->seed : hash_seed()};

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

static void add_row(struct count_row *to, const struct count_row *row)
{
	to->count = count_add_saturating(to->count, row->count);
	to->extra = count_add_saturating(to->extra, row->extra);
}
DEFINE_UNIFY(unify_rows, struct count_row, !memcmp(last->key, item->key, sizeof(item->key)),
	     add_row(last, item))

size_t count_rows_unify(struct count_rows *rows, size_t count, struct count_rows *spare)
{
	sort(rows, count, spare);
	return unify_rows(rows->at, count);
}

#define FIRST_ROWS  ((size_t)1 << 10)
#define MOST_ROWS   (2 * COUNT_CACHE_MOST)
#define CACHE_LINE  64
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

/* After how many keys at equal distances one falls near the first again.  `step` is the distance as
 * a fraction of 2^64 of the table; that number is the denominator of the last convergent of its
 * continued fraction that is not above the number of rows (Khinchin, Continued Fractions, section
 * 6). */
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

/* A product maps keys at equal distances to slots at equal distances.  If that distance is near a
 * simple fraction of the table, they pile up at a few slots.  Does a factor spread keys whose
 * distance is any power of two? */
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
	bigger.rows = large_pages(aligned_alloc(CACHE_LINE, rows * sizeof(*bigger.rows)),
				  rows * sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	memset(bigger.rows, 0, rows * sizeof(*bigger.rows));
	bigger.mask = rows - 1;
	for (size_t i = 0; i < COUNT_KEY_WORDS && !cache->rows; i++)
		bigger.factors[i] =
			bigger.factors[i] ? bigger.factors[i] : count_cache_factor(hash_seed());
	/* Small tables are used up to a quarter, the largest up to a half. */
	bigger.most = rows == MOST_ROWS ? COUNT_CACHE_MOST : rows / 4;
	move_rows(&bigger, cache);
	free(cache->rows);
	*cache = bigger;
	return true;
}

#define REGION_BITS 14

/* A list grows to this many rows, 655 KB, before equal ones are added up; if few were equal, the
 * limit grows by this factor. */
#define LIST_LEAST ((size_t)1 << 14)
#define LIST_MORE  8

static size_t shard_of(const uint64_t key[COUNT_KEY_WORDS])
{
	return (size_t)(hash_mix(0, key[0] >> REGION_BITS) >> 32) % COUNTS_SHARDS;
}

void counts_init(struct counts *counts)
{
	*counts = (struct counts){0};
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		counts->limits[i] = LIST_LEAST;
		pthread_mutex_init(&counts->locks[i], NULL);
	}
}

void counts_free(struct counts *counts)
{
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		count_table_free(&counts->shards[i]);
		count_row_vec_free(&counts->lists[i]);
		pthread_mutex_destroy(&counts->locks[i]);
	}
}

/* Rows that are handed over at a time. */
#define TAKEN_MOST 2048

/* Indices of rows by shard: those of shard i are row[begin[i]] to row[begin[i + 1] - 1]. */
struct by_shard {
	uint16_t row[TAKEN_MOST];
	size_t begin[COUNTS_SHARDS + 1];
};

/* `count` rows that may be free ones. */
static void order_by_shard(const struct count_row *rows, size_t count, struct by_shard *out)
{
	uint8_t shards[TAKEN_MOST];
	size_t used[COUNTS_SHARDS] = {0}, next[COUNTS_SHARDS];

	for (size_t i = 0; i < count; i++) {
		shards[i] = (uint8_t)shard_of(rows[i].key);
		used[shards[i]] += rows[i].count != 0;
	}
	out->begin[0] = 0;
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		next[i] = out->begin[i];
		out->begin[i + 1] = out->begin[i] + used[i];
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i].count)
			out->row[next[shards[i]]++] = (uint16_t)i;
}

/* Most rows are not in the processor's cache.  Prefetching all before the first is used saves
 * waiting for each of them. */
static bool add_to_table(struct counts *counts, size_t shard, const struct count_row *rows,
			 const uint16_t *order, size_t count)
{
	struct count_table *table = &counts->shards[shard];
	bool ok = true;

	for (size_t i = 0; i < count; i++)
		count_table_prefetch(table, rows[order[i]].key);
	for (size_t i = 0; i < count && ok; i++) {
		const struct count_row *row = &rows[order[i]];
		ok = count_table_add(table, row->key, row->count, row->extra);
	}
	return ok;
}

static void unify(struct count_row_vec *list, struct count_rows *spare)
{
	struct count_rows rows = {list->at, list->cap};

	list->len = count_rows_unify(&rows, list->len, spare);
	list->at = rows.at;
	list->cap = rows.capacity;
}

/* Add up equal rows of a list.  If that makes it half as long, it was worth it. */
static void shorten(struct count_row_vec *list, size_t *limit)
{
	struct count_rows spare = {0};

	unify(list, &spare);
	free(spare.at);
	if (list->len > *limit / 2)
		*limit *= LIST_MORE;
}

static bool add_to_list(struct counts *counts, size_t shard, const struct count_row *rows,
			const uint16_t *order, size_t count)
{
	struct count_row_vec *list = &counts->lists[shard];
	bool ok = true;

	if (list->len + count > counts->limits[shard])
		shorten(list, &counts->limits[shard]);
	for (size_t i = 0; i < count && ok; i++)
		ok = count_row_vec_push(list, rows[order[i]]);
	return ok;
}

typedef bool add_fn(struct counts *counts, size_t shard, const struct count_row *rows,
		    const uint16_t *order, size_t count);

static bool take(struct counts *counts, const struct count_row *rows, size_t count, add_fn *add)
{
	struct by_shard order;
	bool ok = true;

	order_by_shard(rows, count, &order);
	for (size_t shard = 0; shard < COUNTS_SHARDS && ok; shard++) {
		size_t begin = order.begin[shard], end = order.begin[shard + 1];
		if (begin == end)
			continue;
		pthread_mutex_lock(&counts->locks[shard]);
		ok = add(counts, shard, rows, order.row + begin, end - begin);
		pthread_mutex_unlock(&counts->locks[shard]);
	}
	return ok;
}

bool counts_take_rows(struct counts *counts, const struct count_row *rows, size_t count)
{
	bool ok = true;

	for (size_t at = 0; at < count && ok; at += TAKEN_MOST) {
		size_t left = count - at;
		ok = take(counts, rows + at, left < TAKEN_MOST ? left : TAKEN_MOST, add_to_list);
	}
	return ok;
}

bool counts_take(struct counts *counts, struct count_cache *from)
{
	struct count_row *rows = malloc(TAKEN_MOST * sizeof(*rows));
	const struct count_cache_row *row = from->rows;
	bool ok = rows;

	for (size_t left = from->used; left && ok;) {
		size_t count = 0;
		for (; left && count < TAKEN_MOST; row++) {
			if (!row->count)
				continue;
			memcpy(rows[count].key, row->key, sizeof(row->key));
			rows[count].count = row->count;
			rows[count++].extra = row->extra;
			left--;
		}
		ok = take(counts, rows, count, add_to_table);
	}
	free(rows);
	count_cache_clear(from);
	return ok;
}

/* Add the rows of the table to the list, and make the sorted list the new table. */
static bool settle_list(struct count_table *table, struct count_row_vec *list,
			struct count_rows *spare)
{
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count && !count_row_vec_push(list, table->rows[i]))
			return false;
	unify(list, spare);
	count_table_free(table);
	*table = (struct count_table){.rows = list->at, .capacity = list->len, .used = list->len};
	*list = (struct count_row_vec){0};
	return true;
}

struct settling {
	struct counts *counts;
	struct count_rows spare[PARALLEL_MOST]; /* a worker's own */
	bool ok[COUNTS_SHARDS];
};

static void settle_shard(void *ctx, size_t shard, unsigned worker)
{
	struct settling *settling = ctx;
	struct count_table *table = &settling->counts->shards[shard];
	struct count_row_vec *list = &settling->counts->lists[shard];

	settling->ok[shard] = !list->len || settle_list(table, list, &settling->spare[worker]);
	if (table->used && settling->ok[shard] && table->capacity != table->used)
		count_table_sort(table);
}

bool counts_settle(struct counts *counts, unsigned threads)
{
	struct settling settling = {.counts = counts};
	bool ok = true;

	parallel_for(threads, COUNTS_SHARDS, settle_shard, &settling);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		free(settling.spare[i].at);
	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		ok &= settling.ok[i];
	return ok;
}

static bool half_shard(const struct count_table *from, bool first, struct count_table *out)
{
	out->rows = malloc((from->used + 1) * sizeof(*out->rows));
	for (size_t i = 0; out->rows && i < from->used; i++) {
		struct count_row row = from->rows[i];
		row.count = first ? row.extra : row.count - row.extra;
		row.extra = 0;
		if (row.count)
			out->rows[out->used++] = row;
	}
	out->capacity = out->used;
	return out->rows;
}

bool counts_half(const struct counts *counts, bool first, struct counts *out)
{
	bool ok = true;

	counts_init(out);
	for (size_t i = 0; ok && i < COUNTS_SHARDS; i++)
		ok = half_shard(&counts->shards[i], first, &out->shards[i]);
	return ok;
}

size_t counts_used(const struct counts *counts)
{
	size_t used = 0;

	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		used += counts->shards[i].used;
	return used;
}
