/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the samples of a recording are measured; what is measured: tests/record/command.py. */
#include "tests/support/cmocka.h"

#include "src/figures/enough.h"

static void test_when(void **state)
{
	struct enough enough = {0};
	const uint64_t each = 5, began = 100;

	(void)state;
	enough_open(&enough, "prog", NULL, each, began);
	assert_false(enough_is_due(&enough, ENOUGH_LEAST, began + 4)); /* too early */
	assert_false(enough_is_due(&enough, ENOUGH_LEAST - 1, began + 9));
	assert_true(enough_is_due(&enough, 400, began + 9));
	assert_false(enough_is_due(&enough, 599, began + 20)); /* not half as many more */
	assert_true(enough_is_due(&enough, 600, began + 20));
	assert_false(enough_is_due(&enough, 5000, began + 24));
	assert_true(enough_is_due(&enough, 5000, began + 25));
	enough_close(&enough);
}

/* A binary that is gone: why nothing is known. */
static void test_what_cannot_be_measured(void **state)
{
	struct enough enough = {0};

	(void)state;
	enough_open(&enough, "no/such/file", NULL, 0, 0);
	enough_measure(&enough, NULL, 300);
	assert_true(enough.failed.code && !enough.gain.known);
	assert_false(atomic_load(&enough.reached));
	assert_int_equal(enough.samples, 300);
	enough_begin(&enough, NULL, 400);
	assert_non_null(enough.work);
	assert_false(enough_is_due(&enough, 10000, 10)); /* one at a time */
	uint64_t cpu = 0;
	assert_true(enough_take(&enough, true, &cpu));
	assert_true(enough.samples == 400 && enough.failed.code && cpu);
	assert_false(enough_take(&enough, true, &cpu));
	enough_close(&enough);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_what_cannot_be_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
