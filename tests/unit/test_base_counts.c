/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define KEYS 5000
#define THREADS 4
#define ROUNDS 3

/* Spread over regions and shards, many with the same first word. */
static void key_of(uint64_t number, uint64_t key[COUNT_KEY_WORDS])
{
	key[0] = 0x400000 + number / 3 * 999;
	key[1] = number % 3;
	key[2] = UINT64_MAX - number % 7;
}

struct counter {
	struct counts *counts;
	uint64_t seed;
	uint64_t sums[KEYS], extras[KEYS];
	bool ok;
};

static bool add_once(struct count_cache *cache, const uint64_t key[COUNT_KEY_WORDS], bool extra)
{
	while (!count_cache_has_room(cache, 1))
		if (!count_cache_grow(cache))
			return false;
	count_cache_add(cache, key, extra);
	return true;
}

/* Counts in a table of its own, and hands it over a few times. */
static void *count(void *arg)
{
	struct counter *c = arg;
	struct count_cache cache = {0};
	struct prng prng = {c->seed};
	uint64_t key[COUNT_KEY_WORDS];

	c->ok = true;
	for (int round = 0; round < ROUNDS && c->ok; round++) {
		for (int i = 0; i < 20000 && c->ok; i++) {
			uint64_t number = prng_below(&prng, KEYS - 1); /* one stays out */
			uint64_t add = 1 + prng_below(&prng, 4), extra = prng_below(&prng, 2);
			key_of(number, key);
			c->sums[number] += add;
			c->extras[number] += extra;
			for (uint64_t n = 0; n < add; n++)
				c->ok = c->ok && add_once(&cache, key, n < extra);
		}
		c->ok = c->ok && counts_take(c->counts, &cache) && !cache.used;
	}
	count_cache_free(&cache);
	return NULL;
}

static void threads_add_up(void **state)
{
	struct counter *counters = calloc(THREADS, sizeof(*counters));
	pthread_t threads[THREADS];
	uint64_t key[COUNT_KEY_WORDS];
	struct counts counts;

	(void)state;
	assert_non_null(counters);
	counts_init(&counts);
	for (unsigned i = 0; i < THREADS; i++) {
		counters[i].counts = &counts;
		counters[i].seed = i + 1;
		assert_int_equal(pthread_create(&threads[i], NULL, count, &counters[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_true(counters[i].ok);
	}
	assert_int_equal(counts_used(&counts), KEYS - 1);
	for (uint64_t number = 0; number < KEYS; number++) {
		uint64_t sum = 0, extra = 0;
		for (unsigned i = 0; i < THREADS; i++) {
			sum += counters[i].sums[number];
			extra += counters[i].extras[number];
		}
		key_of(number, key);
		const struct count_row *row = counts_find(&counts, key);
		assert_int_equal(row != NULL, number != KEYS - 1);
		assert_int_equal(row ? row->count : 0, sum);
		assert_int_equal(row ? row->extra : 0, extra);
	}
	counts_free(&counts);
	free(counters);
}

static void shard_used(const struct counts *counts, size_t *shards, size_t *rows)
{
	*shards = *rows = 0;
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		*shards += counts->shards[i].used > 0;
		*rows += counts->shards[i].used;
	}
}

static void add(struct counts *counts, const uint64_t key[COUNT_KEY_WORDS], uint64_t count,
		uint64_t extra)
{
	const struct count_row rows[] = {{{key[0], key[1], key[2]}, count, extra}, {.count = 0}};

	assert_true(counts_take_rows(counts, rows, 2));
}

/* 16 KiB of addresses are in one shard, a megabyte in many. */
static void a_shard_holds_regions(void **state)
{
	struct counts counts;
	size_t shards, rows;

	(void)state;
	counts_init(&counts);
	for (uint64_t i = 0; i < 256; i++)
		add(&counts, (uint64_t[]){0x10000 + 64 * i, i, 1}, 1, 0);
	shard_used(&counts, &shards, &rows);
	assert_int_equal(shards, 1);
	assert_int_equal(rows, 256);
	for (uint64_t i = 0; i < 64; i++)
		add(&counts, (uint64_t[]){0x100000 + 0x4000 * i, 0, 0}, 1, 0);
	shard_used(&counts, &shards, &rows);
	assert_true(shards > COUNTS_SHARDS / 2);
	assert_int_equal(rows, 256 + 64);
	assert_int_equal(rows, counts_used(&counts));
	counts_free(&counts);
}

static void what_was_added_before_is_kept(void **state)
{
	static const uint64_t key[COUNT_KEY_WORDS] = {1, 2, 3}, other[COUNT_KEY_WORDS] = {1, 2, 4};
	struct count_cache cache = {0};
	struct counts counts;

	(void)state;
	counts_init(&counts);
	assert_true(counts_take(&counts, &cache)); /* without any memory */
	assert_null(counts_find(&counts, key));
	add(&counts, key, 5, 1);
	add(&counts, key, UINT64_MAX - 7, 2);
	for (int i = 0; i < 7; i++) {
		assert_true(add_once(&cache, key, false));
		assert_true(add_once(&cache, other, false));
	}
	assert_true(counts_take(&counts, &cache));
	assert_int_equal(counts_find(&counts, key)->count, UINT64_MAX);
	assert_int_equal(counts_find(&counts, key)->extra, 3);
	assert_true(add_once(&cache, key, false)); /* the table is used again */
	assert_true(counts_take(&counts, &cache));
	assert_int_equal(counts_find(&counts, key)->count, UINT64_MAX);
	assert_int_equal(counts_find(&counts, other)->count, 7);
	count_cache_free(&cache);
	counts_free(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_add_up),
		cmocka_unit_test(a_shard_holds_regions),
		cmocka_unit_test(what_was_added_before_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
