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

static bool take_row(struct counts *counts, const struct count_row *row)
{
	size_t shard = shard_of(row->key);

	pthread_mutex_lock(&counts->locks[shard]);
	bool ok = count_table_add(&counts->shards[shard], row->key, row->count, row->extra);
	pthread_mutex_unlock(&counts->locks[shard]);
	return ok;
}

bool counts_take(struct counts *counts, struct count_table *from)
{
	bool ok = true;

	for (size_t i = 0; i < from->capacity && ok; i++)
		if (from->rows[i].count)
			ok = take_row(counts, &from->rows[i]);
	count_table_clear(from);
	return ok;
}

bool counts_add(struct counts *counts, const uint64_t key[COUNT_KEY_WORDS], uint64_t count,
		uint64_t extra)
{
	return count_table_add(&counts->shards[shard_of(key)], key, count, extra);
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
