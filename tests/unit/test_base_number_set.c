/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/number_set.h"

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
	assert_int_equal(set.used, NUMBERS); /* 0 takes no place */
	for (uint64_t i = 0; i < 3 * NUMBERS; i++)
		assert_int_equal(number_set_has(&set, i), i % 3 == 0);
	assert_true(number_set_has(&set, UINT64_MAX));
	assert_true(set.capacity >= 2 * set.used);
	number_set_free(&set);
	assert_false(number_set_has(&set, 0));
	assert_false(number_set_has(&set, 3));
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
		cmocka_unit_test(zero_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
