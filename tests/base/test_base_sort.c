/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

struct item {
	uint64_t key, payload;
};

static bool less(const struct item *a, const struct item *b)
{
	return a->key < b->key;
}
DEFINE_SORT(sort_items, struct item, less)
DEFINE_UNIFY(unify_items, struct item, last->key == item->key, last->payload += item->payload)

#define MOST 3000

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Sorted keys as qsort has them, and no payload lost. */
static void check(struct item *items, size_t count)
{
	static struct item expected[MOST];
	uint64_t sum = 0, expected_sum = 0;

	memcpy(expected, items, count * sizeof(*items));
	if (count)
		qsort(expected, count, sizeof(*expected), compare);
	sort_items(items, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(items[i].key, expected[i].key);
		sum += items[i].key * 31 + items[i].payload * items[i].payload;
		expected_sum += expected[i].key * 31 + expected[i].payload * expected[i].payload;
	}
	assert_int_equal(sum, expected_sum);
}

static void any_order_is_sorted(void **state)
{
	static struct item items[MOST];
	struct prng prng = {7};

	(void)state;
	for (size_t round = 0; round < 600; round++) {
		size_t count = prng_below(&prng, round % 10 ? 60 : MOST);
		uint64_t keys = 1 + prng_below(&prng, 2 * count + 2); /* many equal ones, or few */
		for (size_t i = 0; i < count; i++)
			items[i] = (struct item){prng_below(&prng, keys), i};
		check(items, count);
	}
}

static void patterns_are_sorted(void **state)
{
	static struct item items[MOST];

	(void)state;
	for (int pattern = 0; pattern < 5; pattern++) {
		for (uint64_t i = 0; i < MOST; i++) {
			const uint64_t keys[] = {i, MOST - i, 5, i % 2,
						 i < MOST / 2 ? i : MOST - i};
			items[i] = (struct item){keys[pattern], i};
		}
		check(items, MOST);
	}
}

/* What quick sort is bad at: the heap takes over. */
static void few_levels_are_enough(void **state)
{
	static struct item items[MOST];
	struct prng prng = {9};

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		items[i] = (struct item){prng_next(&prng), i};
	sort_items_part(items, MOST, 2);
	for (size_t i = 1; i < MOST; i++)
		assert_true(items[i - 1].key <= items[i].key);
}

/* Counts of equal keys, added up over sorted items, and what of each key came first. */
static void equal_ones_become_one(void **state)
{
	static struct item items[MOST];
	struct prng prng = {11};

	(void)state;
	for (size_t round = 0; round < 200; round++) {
		size_t count = prng_below(&prng, 60);
		uint64_t sums[8] = {0};
		for (size_t i = 0; i < count; i++) {
			items[i] = (struct item){prng_below(&prng, BC_COUNT(sums)), 1 + i};
			sums[items[i].key] += items[i].payload;
		}
		sort_items(items, count);
		size_t left = unify_items(items, count);
		for (size_t i = 0; i < left; i++) {
			assert_true(!i || items[i - 1].key < items[i].key);
			assert_int_equal(items[i].payload, sums[items[i].key]);
			sums[items[i].key] = 0;
		}
		for (size_t key = 0; key < BC_COUNT(sums); key++)
			assert_int_equal(sums[key], 0);
	}
	assert_int_equal(unify_items(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_is_sorted),
		cmocka_unit_test(patterns_are_sorted),
		cmocka_unit_test(few_levels_are_enough),
		cmocka_unit_test(equal_ones_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
