/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/map.h"

#include <stdio.h>

#include "src/base/strings.h"
#include "tests/support/cmocka.h"

#define COUNT 5000

static uint64_t hash(uint64_t seed, uint64_t key)
{
	return hash_end(hash_mix(seed, key));
}

/* All keys in one slot: what finds them then is the comparison. */
static uint64_t no_hash(uint64_t seed, uint64_t key)
{
	(void)seed;
	(void)key;
	return 0xffffffff;
}

static bool matches(const uint64_t *keys, uint32_t number, uint64_t key)
{
	return keys[number] == key;
}
DEFINE_MAP(numbers, const uint64_t *, uint64_t, hash, matches);
DEFINE_MAP(in_one_slot, const uint64_t *, uint64_t, no_hash, matches);

static void finds_what_was_put(void **state)
{
	static uint64_t keys[COUNT];
	struct map map = {0};
	uint32_t number = 0;

	(void)state;
	assert_false(numbers_find(&map, keys, 1, &number));
	for (uint32_t i = 0; i < COUNT; i++) {
		keys[i] = (uint64_t)i << 40 | 1;
		assert_false(numbers_find(&map, keys, keys[i], &number));
		assert_true(map_reserve(&map, 1));
		numbers_put(&map, keys[i], i);
		assert_true(numbers_find(&map, keys, keys[i / 2], &number));
		assert_int_equal(number, i / 2);
	}
	assert_int_equal(map.used, COUNT);
	assert_true(map.used <= map.capacity / 4 * 3);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_true(numbers_find(&map, keys, keys[i], &number));
		assert_int_equal(number, i);
		assert_false(numbers_find(&map, keys, keys[i] + 1, &number));
	}
	map_clear(&map);
	assert_false(numbers_find(&map, keys, keys[0], &number));
	map_free(&map);
}

static void equal_hashes_are_told_apart(void **state)
{
	static const uint64_t keys[] = {7, 8, 9, 10};
	struct map map = {0};
	uint32_t number = 0;

	(void)state;
	assert_true(map_reserve(&map, 3));
	for (uint32_t i = 0; i < 3; i++)
		in_one_slot_put(&map, keys[i], i);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(in_one_slot_find(&map, keys, keys[i], &number));
		assert_int_equal(number, i);
	}
	assert_false(in_one_slot_find(&map, keys, 10, &number));
	map_free(&map);
}

/* keys[3] is the same key as keys[0]: the number of the last one is kept. */
static void a_number_is_replaced(void **state)
{
	static const uint64_t keys[] = {7, 8, 9, 7};
	struct map map = {0};
	uint32_t number = 0;

	(void)state;
	assert_null(numbers_slot(&map, keys, 7));
	assert_true(map_reserve(&map, 3));
	for (uint32_t i = 0; i < 3; i++)
		numbers_put(&map, keys[i], i);
	map_slot_set(numbers_slot(&map, keys, 7), 3);
	assert_true(numbers_find(&map, keys, 7, &number));
	assert_int_equal(number, 3);
	assert_int_equal(map.used, 3);
	assert_null(numbers_slot(&map, keys, 10));
	map_free(&map);
}

static void reserves_for_many_at_once(void **state)
{
	struct map map = {0};

	(void)state;
	assert_true(map_reserve(&map, COUNT));
	size_t capacity = map.capacity;
	for (uint32_t i = 0; i < COUNT; i++)
		numbers_put(&map, i, i);
	assert_int_equal(map.capacity, capacity);
	assert_false(map_reserve(&map, SIZE_MAX));
	assert_int_equal(map.used, COUNT);
	map_free(&map);
}

/* Whoever knows in which order one table has its keys knows nothing of the next table's. */
static void each_table_has_a_seed_of_its_own(void **state)
{
	struct map one = {0}, other = {0};
	size_t alike = 0;

	(void)state;
	assert_true(map_reserve(&one, 100) && map_reserve(&other, 100));
	assert_true(one.seed && other.seed && one.seed != other.seed);
	for (uint32_t i = 0; i < 100; i++) {
		numbers_put(&one, i, i);
		numbers_put(&other, i, i);
	}
	for (size_t i = 0; i < one.capacity; i++)
		alike += one.slots[i].number && one.slots[i].number == other.slots[i].number;
	assert_true(alike < 30);
	map_free(&one);
	map_free(&other);
}

/* Bytes after the eighth count, and so does the length: zeros at the end are no padding. */
static void bytes_are_all_hashed(void **state)
{
	char text[24] = {0};
	uint64_t seen[2 * sizeof(text) + 1];
	size_t count = 0;

	(void)state;
	for (size_t size = 0; size <= sizeof(text); size++)
		seen[count++] = hash_bytes(1, text, size);
	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] = 1;
		seen[count++] = hash_bytes(1, text, sizeof(text));
		text[i] = 0;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(seen[i] != seen[k]);
	assert_true(hash_bytes(1, "a", 1) != hash_bytes(2, "a", 1));
}

/* What was forgotten gets a new number, and what is left keeps its own. */
static void strings_are_forgotten(void **state)
{
	struct strings strings = {0};
	uint32_t number = 0;
	char name[16];

	(void)state;
	for (unsigned i = 1; i <= 300; i++) {
		int size = snprintf(name, sizeof(name), "name %u", i);
		assert_true(strings_intern(&strings, (struct text){name, (size_t)size}, &number));
		assert_int_equal(number, i);
	}
	strings_truncate(&strings, 11);
	assert_true(strings_find(&strings, text_of("name 10"), &number));
	assert_int_equal(number, 10);
	assert_false(strings_find(&strings, text_of("name 11"), &number));
	assert_true(strings_intern(&strings, text_of("name 200"), &number));
	assert_int_equal(number, 11);
	assert_true(text_is(strings_at(&strings, 11), "name 200"));
	assert_true(strings_find(&strings, text_of(""), &number));
	assert_int_equal(number, 0);
	strings_free(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_put),
		cmocka_unit_test(equal_hashes_are_told_apart),
		cmocka_unit_test(a_number_is_replaced),
		cmocka_unit_test(reserves_for_many_at_once),
		cmocka_unit_test(each_table_has_a_seed_of_its_own),
		cmocka_unit_test(bytes_are_all_hashed),
		cmocka_unit_test(strings_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
