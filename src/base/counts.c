/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#define REGION_BITS 14

static size_t shard_of(const uint64_t key[COUNT_KEY_WORDS])
{
	return (size_t)(count_mix(0, key[0] >> REGION_BITS) >> 32) % COUNTS_SHARDS;
}

void counts_init(struct counts *counts)
{
	*counts = (struct counts){0};
	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		pthread_mutex_init(&counts->locks[i], NULL);
}

void counts_free(struct counts *counts)
{
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		count_table_free(&counts->shards[i]);
		pthread_mutex_destroy(&counts->locks[i]);
	}
}

/* Rows that are handed over at a time. */
#define TAKEN_MOST 2048

/* Row numbers, those of one shard in a row: begin[i] to begin[i + 1] are shard i's. */
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

/* Most of them are not in the processor's cache: what takes time is to wait for
 * memory, so many are asked for before the first is used. */
static bool take_shard(struct counts *counts, size_t shard, const struct count_row *rows,
		       const struct by_shard *order)
{
	struct count_table *table = &counts->shards[shard];
	size_t begin = order->begin[shard], end = order->begin[shard + 1];
	bool ok = true;

	if (begin == end)
		return true;
	pthread_mutex_lock(&counts->locks[shard]);
	for (size_t i = begin; i < end; i++)
		count_table_prefetch(table, rows[order->row[i]].key);
	for (size_t i = begin; i < end && ok; i++) {
		const struct count_row *row = &rows[order->row[i]];
		ok = count_table_add(table, row->key, row->count, row->extra);
	}
	pthread_mutex_unlock(&counts->locks[shard]);
	return ok;
}

bool counts_take_rows(struct counts *counts, const struct count_row *rows, size_t count)
{
	struct by_shard order;
	bool ok = true;

	for (size_t at = 0; at < count && ok; at += TAKEN_MOST) {
		size_t left = count - at;
		order_by_shard(rows + at, left < TAKEN_MOST ? left : TAKEN_MOST, &order);
		for (size_t shard = 0; shard < COUNTS_SHARDS && ok; shard++)
			ok = take_shard(counts, shard, rows + at, &order);
	}
	return ok;
}

bool counts_take(struct counts *counts, struct count_cache *from)
{
	struct count_row rows[TAKEN_MOST];
	const struct count_cache_row *row = from->rows;
	bool ok = true;

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
		ok = counts_take_rows(counts, rows, count);
	}
	count_cache_clear(from);
	return ok;
}

size_t counts_used(const struct counts *counts)
{
	size_t used = 0;

	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		used += counts->shards[i].used;
	return used;
}

const struct count_row *counts_find(const struct counts *counts,
				    const uint64_t key[COUNT_KEY_WORDS])
{
	return count_table_find(&counts->shards[shard_of(key)], key);
}
