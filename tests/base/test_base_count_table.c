/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/counts.h"

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* Few distinct keys and a plain array to count them in. */
#define KEYS 300

/* The row of a key, or NULL. */
static const struct count_row *find(const struct count_table *table,
				    const uint64_t key[COUNT_KEY_WORDS])
{
	const struct count_row *row = table->capacity ? count_table_probe(table, key) : NULL;

	return row && row->count ? row : NULL;
}

static void key_of(uint64_t number, uint64_t key[COUNT_KEY_WORDS])
{
	key[0] = number % 7 ? number << 20 : 0;
	key[1] = number;
	key[2] = UINT64_MAX - number;
}

static void counts_like_a_plain_array(void **state)
{
	BC_AUTO(count_table_free) struct count_table table = {0};
	uint64_t counts[KEYS] = {0}, extras[KEYS] = {0}, key[COUNT_KEY_WORDS];
	struct prng prng = {1};

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t number = prng_below(&prng, KEYS - 1); /* one key stays out */
		uint64_t count = 1 + prng_below(&prng, 5), extra = prng_below(&prng, 2);
		key_of(number, key);
		counts[number] += count;
		extras[number] += extra;
		assert_true(count_table_add(&table, key, count, extra));
	}
	assert_int_equal(table.used, KEYS - 1);
	for (uint64_t number = 0; number < KEYS - 1; number++) {
		key_of(number, key);
		const struct count_row *row = find(&table, key);
		assert_non_null(row);
		assert_int_equal(row->count, counts[number]);
		assert_int_equal(row->extra, extras[number]);
	}
	key_of(KEYS - 1, key);
	assert_null(find(&table, key));
}

static void keys_that_differ_in_one_word_are_two(void **state)
{
	BC_AUTO(count_table_free) struct count_table table = {0};
	uint64_t key[COUNT_KEY_WORDS] = {0};

	(void)state;
	for (size_t word = 0; word < COUNT_KEY_WORDS; word++) {
		key[word] = 1;
		assert_true(count_table_add(&table, key, 1, 0));
		key[word] = 0;
	}
	assert_true(count_table_add(&table, key, 1, 0));
	assert_int_equal(table.used, COUNT_KEY_WORDS + 1);
}

static void sums_saturate(void **state)
{
	BC_AUTO(count_table_free) struct count_table table = {0};
	uint64_t key[COUNT_KEY_WORDS] = {5, 6, 7};

	(void)state;
	assert_true(count_table_add(&table, key, UINT64_MAX - 1, 1));
	assert_true(count_table_add(&table, key, 3, UINT64_MAX));
	const struct count_row *row = find(&table, key);
	assert_int_equal(row->count, UINT64_MAX);
	assert_int_equal(row->extra, UINT64_MAX);
}

static void empty_table_finds_nothing(void **state)
{
	struct count_table table = {0};
	uint64_t key[COUNT_KEY_WORDS] = {0};

	(void)state;
	assert_null(find(&table, key));
}

/* Rows that are looked at until every key is found. */
static uint64_t probes_of(const struct count_table *table)
{
	uint64_t probes = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count)
			probes += (i - count_table_hash(table, table->rows[i].key)) &
				  (table->capacity - 1);
	return probes;
}

/* Whatever the random number, and wherever in a word the keys differ. */
static void keys_do_not_meet(void **state)
{
	enum { COUNT = 20000, BITS = 15 };
	struct prng prng = {7};

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		uint64_t seed = round ? prng_next(&prng) : 1;
		for (unsigned at = 0; at < COUNT_KEY_WORDS * (64 - BITS + 1); at++) {
			BC_AUTO(count_table_free) struct count_table table = {.seed = seed};
			uint64_t key[COUNT_KEY_WORDS] = {0x400000, 0x400100, 0x400200};
			for (uint64_t i = 0; i < COUNT; i++) {
				key[at % COUNT_KEY_WORDS] = i << at / COUNT_KEY_WORDS;
				assert_true(count_table_add(&table, key, 1, 0));
			}
			assert_int_equal(table.used, COUNT);
			assert_true(probes_of(&table) < 10 * COUNT);
		}
	}
}

/* A table of few rows at first grows like any other. */
static void begins_small(void **state)
{
	BC_AUTO(count_table_free) struct count_table table = {0};

	(void)state;
	assert_true(count_table_must_grow(&table, 1));
	assert_true(count_table_begin(&table, 64));
	assert_int_equal(table.capacity, 64);
	assert_false(count_table_must_grow(&table, 48));
	assert_true(count_table_must_grow(&table, 49));
	for (uint64_t i = 1; i <= 1000; i++) {
		const uint64_t key[COUNT_KEY_WORDS] = {i};
		bool grows = count_table_must_grow(&table, 1);
		size_t before = table.capacity;
		assert_true(count_table_add(&table, key, 1, 0));
		assert_int_equal(table.capacity, grows ? 2 * before : before);
	}
	assert_int_equal(table.used, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_like_a_plain_array),
		cmocka_unit_test(keys_that_differ_in_one_word_are_two),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(empty_table_finds_nothing),
		cmocka_unit_test(keys_do_not_meet),
		cmocka_unit_test(begins_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
