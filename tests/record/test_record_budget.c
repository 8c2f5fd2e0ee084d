/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each part of a recording's cost may be, and what comes before it. */
#include "tests/support/cmocka.h"

#include "src/record/budget.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/* One percent of a processor: 1 s of 100, of which a quarter is for what samples are worth. */
static void test_what_samples_are_worth(void **state)
{
	struct budget budget;

	(void)state;
	budget_begin(&budget, 0.01, 0);
	assert_true(budget_may(&budget, BUDGET_GAIN, 100 * SECOND));
	budget_add(&budget, BUDGET_GAIN, 300 * MS);
	assert_false(budget_may(&budget, BUDGET_GAIN, 100 * SECOND));
	assert_true(budget_may(&budget, BUDGET_GAIN, 130 * SECOND));
	budget_add(&budget, BUDGET_DIGESTS, 100 * MS); /* they come first */
	assert_false(budget_may(&budget, BUDGET_GAIN, 130 * SECOND));
	assert_true(budget_may(&budget, BUDGET_DIGESTS, 130 * SECOND));
	assert_true(budget_may(&budget, BUDGET_GAIN, 170 * SECOND));
}

static void test_no_limit(void **state)
{
	struct budget budget;

	(void)state;
	budget_begin(&budget, 0, 0);
	budget_add(&budget, BUDGET_GAIN, 300 * SECOND);
	assert_true(budget_may(&budget, BUDGET_GAIN, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_samples_are_worth),
		cmocka_unit_test(test_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
