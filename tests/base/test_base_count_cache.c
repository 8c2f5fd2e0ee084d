/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static void key_of(uint64_t number, uint64_t key[COUNT_KEY_WORDS])
{
	key[0] = 0x400000 + number / 5 * 64; /* many with the same first words */
	key[1] = number / 2 % 3;
	key[2] = number;
}

static void grow_for(struct count_cache *cache, size_t keys)
{
	while (!count_cache_has_room(cache, keys)) {
		assert_false(count_cache_is_full(cache, keys));
		assert_true(count_cache_grow(cache));
	}
}

static const struct count_cache_row *find(const struct count_cache *cache, uint64_t number)
{
	const struct count_cache_row *found = NULL;
	uint64_t key[COUNT_KEY_WORDS];

	key_of(number, key);
	for (size_t i = 0; i <= cache->mask; i++) {
		const struct count_cache_row *row = &cache->rows[i];
		if (!row->count || memcmp(row->key, key, sizeof(key)))
			continue;
		assert_null(found); /* a key is there once */
		found = row;
	}
	return found;
}

/* All that it can hold, and not one more; each with its own counts. */
static void counts_up_to_its_most(void **state)
{
	struct count_cache cache = {0};
	uint64_t key[COUNT_KEY_WORDS], added = 0;

	(void)state;
	for (uint64_t number = 0; number < COUNT_CACHE_MOST; number++) {
		key_of(number, key);
		grow_for(&cache, 1);
		for (uint64_t n = 0; n <= number % 4; n++, added++)
			count_cache_add(&cache, key, n == 1);
	}
	assert_int_equal(cache.used, COUNT_CACHE_MOST);
	assert_int_equal(cache.added, added);
	assert_true(count_cache_is_full(&cache, 1));
	assert_false(count_cache_has_room(&cache, 1));
	assert_int_equal((uintptr_t)cache.rows % 64, 0);
	for (uint64_t number = 0; number < COUNT_CACHE_MOST; number += 97) {
		const struct count_cache_row *row = find(&cache, number);
		assert_non_null(row);
		assert_int_equal(row->count, number % 4 + 1);
		assert_int_equal(row->extra, number % 4 > 0);
	}
	count_cache_clear(&cache);
	assert_int_equal(cache.used + cache.added, 0);
	assert_null(find(&cache, 0));
	assert_true(count_cache_has_room(&cache, COUNT_CACHE_MOST)); /* the memory is kept */
	count_cache_free(&cache);
}

/* A free row looks like it. */
static void a_key_of_zeros_is_a_key(void **state)
{
	static const uint64_t zeros[COUNT_KEY_WORDS];
	struct count_cache cache = {0};

	(void)state;
	grow_for(&cache, 1);
	count_cache_add(&cache, zeros, false);
	count_cache_add(&cache, zeros, true);
	assert_int_equal(cache.used, 1);
	assert_int_equal(cache.rows[0].count, 2);
	assert_int_equal(cache.rows[0].extra, 1);
	count_cache_free(&cache);
}

/* No counter passes its 32 bits: it is full before. */
static void is_full_before_a_counter_overflows(void **state)
{
	struct count_cache cache = {0};

	(void)state;
	grow_for(&cache, 100);
	cache.added = UINT32_MAX - 100;
	assert_true(count_cache_has_room(&cache, 100));
	assert_false(count_cache_has_room(&cache, 101));
	assert_true(count_cache_is_full(&cache, 101));
	count_cache_free(&cache);
}

#define SEEDS 10000

/* How many rows beyond its first one a key is on average, if keys are at equal distances in one
 * word. */
static double mean_probes(struct count_cache *cache, unsigned word, unsigned shift)
{
	uint64_t key[COUNT_KEY_WORDS] = {0x400000, 0x400100, 0x400200}, probes = 0;

	for (uint64_t i = 0; i < COUNT_CACHE_MOST; i++) {
		key[word] = i << shift;
		count_cache_add(cache, key, false);
	}
	for (size_t i = 0; i <= cache->mask; i++)
		if (cache->rows[i].count)
			probes += (i - count_cache_hash(cache, cache->rows[i].key)) & cache->mask;
	count_cache_clear(cache);
	return (double)probes / COUNT_CACHE_MOST;
}

/* With 10,000 seeds, wherever in a word the keys differ: no full table piles its keys up, and all
 * together are better than random slots, in which a key is 0.5 rows beyond its first on average.
 * Keys fall near each other again after 512 at the earliest, so that at most 32 of 16,384 lie
 * together: 16 rows on average. */
static void keys_do_not_meet(void **state)
{
	const unsigned shifts = 64 - COUNT_CACHE_BITS + 2;
	struct count_cache cache = {0};
	struct prng prng = {7};
	double sum = 0, worst = 0;
	unsigned above_five = 0;

	(void)state;
	grow_for(&cache, COUNT_CACHE_MOST);
	for (unsigned seed = 0; seed < SEEDS; seed++) {
		for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
			cache.factors[i] = count_cache_factor(prng_next(&prng));
		double mean = mean_probes(&cache, seed % COUNT_KEY_WORDS,
					  seed / COUNT_KEY_WORDS % shifts);
		sum += mean;
		worst = mean > worst ? mean : worst;
		above_five += mean > 5;
	}
	print_message("mean %.3f, worst %.1f; above 5: %u\n", sum / SEEDS, worst, above_five);
	assert_true(sum / SEEDS < 0.5);
	assert_true(above_five <= SEEDS / 50);
	assert_true(worst <= 16);
	count_cache_free(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_up_to_its_most),
		cmocka_unit_test(a_key_of_zeros_is_a_key),
		cmocka_unit_test(is_full_before_a_counter_overflows),
		cmocka_unit_test(keys_do_not_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
