/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/find_row.h"
#include "tests/support/prng.h"

#define KEYS    5000
#define THREADS 4
#define ROUNDS  3

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
	assert_true(counts_settle(&counts, THREADS));
	assert_int_equal(counts_used(&counts), KEYS - 1);
	for (uint64_t number = 0; number < KEYS; number++) {
		uint64_t sum = 0, extra = 0;
		for (unsigned i = 0; i < THREADS; i++) {
			sum += counters[i].sums[number];
			extra += counters[i].extras[number];
		}
		key_of(number, key);
		const struct count_row *row = find_row(&counts, key);
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

/* 16 KiB of addresses are in one shard... */
static void a_shard_holds_regions(void **state)
{
	struct counts counts;
	size_t shards, rows;

	(void)state;
	counts_init(&counts);
	for (uint64_t i = 0; i < 256; i++)
		add(&counts, (uint64_t[]){0x10000 + 64 * i, i, 1}, 1, 0);
	assert_true(counts_settle(&counts, 1));
	shard_used(&counts, &shards, &rows);
	assert_int_equal(shards, 1);
	assert_int_equal(rows, 256);
	counts_free(&counts);
}

/* ...a megabyte in many. */
static void many_shards_hold_a_file(void **state)
{
	struct counts counts;
	size_t shards, rows;

	(void)state;
	counts_init(&counts);
	for (uint64_t i = 0; i < 64; i++)
		add(&counts, (uint64_t[]){0x100000 + 0x4000 * i, 0, 0}, 1, 0);
	assert_true(counts_settle(&counts, 1));
	shard_used(&counts, &shards, &rows);
	assert_true(shards > COUNTS_SHARDS / 2);
	assert_int_equal(rows, 64);
	assert_int_equal(rows, counts_used(&counts));
	counts_free(&counts);
}

/* What threads counted, and what somebody counted before. */
static void both_ways_add_up(void **state)
{
	static const uint64_t key[COUNT_KEY_WORDS] = {1, 2, 3}, other[COUNT_KEY_WORDS] = {1, 2, 4},
			      third[COUNT_KEY_WORDS] = {1, 1, 9};
	struct count_cache cache = {0};
	struct counts counts;

	(void)state;
	counts_init(&counts);
	assert_true(counts_take(&counts, &cache)); /* without any memory */
	add(&counts, key, 5, 1);
	add(&counts, key, UINT64_MAX - 7, 2);
	for (int i = 0; i < 7; i++) {
		assert_true(add_once(&cache, key, false));
		assert_true(add_once(&cache, other, false));
	}
	assert_true(counts_take(&counts, &cache));
	assert_true(add_once(&cache, key, true)); /* the table is used again */
	assert_true(counts_take(&counts, &cache));
	add(&counts, third, 4, 4);
	assert_true(counts_settle(&counts, 1));
	assert_int_equal(counts_used(&counts), 3);
	assert_int_equal(find_row(&counts, key)->count, UINT64_MAX);
	assert_int_equal(find_row(&counts, key)->extra, 4);
	assert_int_equal(find_row(&counts, other)->count, 7);
	assert_int_equal(find_row(&counts, third)->count, 4);
	count_cache_free(&cache);
	counts_free(&counts);
}

/* Each shard's rows ascend by all three words. */
static void rows_are_sorted(void **state)
{
	struct counts counts;
	uint64_t key[COUNT_KEY_WORDS];

	(void)state;
	counts_init(&counts);
	for (uint64_t i = 0; i < KEYS; i++) {
		key_of(i * 7919 % KEYS, key);
		add(&counts, key, 1, 0);
	}
	assert_true(counts_settle(&counts, 2));
	assert_int_equal(counts_used(&counts), KEYS);
	for (size_t s = 0; s < COUNTS_SHARDS; s++) {
		for (size_t i = 1; i < counts.shards[s].used; i++) {
			const uint64_t *a = counts.shards[s].rows[i - 1].key,
				       *b = counts.shards[s].rows[i].key;
			assert_true(
				a[0] < b[0] ||
				(a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]))));
		}
	}
	counts_free(&counts);
}

/* Rows of few keys do not pile up. */
static void lists_are_shortened(void **state)
{
	enum { ROUNDS_OF_ROWS = 1 << 20, FEW = 1000 };
	struct counts counts;
	size_t longest = 0;

	(void)state;
	counts_init(&counts);
	for (uint64_t i = 0; i < ROUNDS_OF_ROWS; i++) {
		add(&counts, (uint64_t[]){4, i % FEW, 0}, 3, 1);
		for (size_t s = 0; s < COUNTS_SHARDS; s++)
			longest = counts.lists[s].len > longest ? counts.lists[s].len : longest;
	}
	assert_true(longest > FEW && longest < ROUNDS_OF_ROWS / 4);
	assert_true(counts_settle(&counts, 1));
	assert_int_equal(counts_used(&counts), FEW);
	for (uint64_t i = 0; i < FEW; i++) {
		const struct count_row *row = find_row(&counts, (uint64_t[]){4, i, 0});
		uint64_t times = ROUNDS_OF_ROWS / FEW + (i < ROUNDS_OF_ROWS % FEW);
		assert_non_null(row);
		assert_int_equal(row->count, 3 * times);
		assert_int_equal(row->extra, times);
	}
	counts_free(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_add_up),          cmocka_unit_test(a_shard_holds_regions),
		cmocka_unit_test(many_shards_hold_a_file), cmocka_unit_test(both_ways_add_up),
		cmocka_unit_test(rows_are_sorted),         cmocka_unit_test(lists_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
