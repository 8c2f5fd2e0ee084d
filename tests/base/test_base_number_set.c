/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/map.h"

#include "tests/support/cmocka.h"

#define NUMBERS 20000

/* Every number that was added is there, 0 and the largest too, and no other. */
static void has_what_was_added(void **state)
{
	struct number_set set = {0};

	(void)state;
	for (uint64_t i = 0; i < NUMBERS; i++) {
		assert_false(number_set_has(&set, i * 3));
		assert_true(number_set_add(&set, i * 3));
		assert_true(number_set_has(&set, i * 3));
		assert_false(number_set_has(&set, i * 3 + 1));
	}
	assert_false(number_set_has(&set, UINT64_MAX));
	assert_true(number_set_add(&set, UINT64_MAX));
	assert_true(number_set_add(&set, UINT64_MAX));
	assert_int_equal(set.used, NUMBERS); /* 0 takes no slot */
	for (uint64_t i = 0; i < 3 * NUMBERS; i++)
		assert_int_equal(number_set_has(&set, i), i % 3 == 0);
	assert_true(number_set_has(&set, UINT64_MAX));
	assert_true(set.capacity >= 2 * set.used);
	number_set_free(&set);
	assert_false(number_set_has(&set, 0));
	assert_false(number_set_has(&set, 3));
}

/* Numbers that differ in any sixteen bits alone do not all meet in one slot. */
static void probes_are_short(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift <= 48; shift++) {
		struct number_set set = {0};
		size_t steps = 0;
		for (uint64_t i = 1; i <= UINT16_MAX; i++)
			assert_true(number_set_add(&set, i << shift));
		for (uint64_t i = 1; i <= UINT16_MAX; i++) {
			size_t at = (size_t)(number_set_probe(&set, i << shift) - set.at);
			steps += (at - number_set_slot(&set, i << shift)) & (set.capacity - 1);
		}
		assert_true(steps < 4 * set.used); /* about half of them, if slots are random */
		number_set_free(&set);
	}
}

static void zero_alone(void **state)
{
	struct number_set set = {0};

	(void)state;
	number_set_prefetch(&set, 0);
	assert_false(number_set_has(&set, 0));
	assert_true(number_set_add(&set, 0));
	assert_true(number_set_has(&set, 0));
	assert_false(number_set_has(&set, 1));
	number_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_what_was_added),
		cmocka_unit_test(probes_are_short),
		cmocka_unit_test(zero_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
