/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What each part of a recording's cost may be, what comes before it, and what may be spent at a
 * time: what was saved is forgotten, what is owed is not.
 */
#include "tests/support/cmocka.h"

#include "src/record/budget.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)
#define DAY    (86400 * SECOND)
#define BEGAN  (1000 * SECOND)
#define SHARE  0.5 /* so that what this test takes itself does not count */

static struct budget opened(void)
{
	struct budget budget;

	budget_begin(&budget, SHARE, BEGAN);
	return budget;
}

/* A minute of nothing to do, a second at a time, after some days. */
static uint64_t idle(struct budget *budget, uint64_t days)
{
	uint64_t now = BEGAN + days * DAY;

	for (unsigned i = 0; i < 60; i++)
		budget_forget(budget, now += SECOND);
	return now;
}

static void what_was_saved_for_months_is_forgotten(void **state)
{
	static const double parts[BUDGET_PARTS] = {
		[BUDGET_MAPPINGS] = SHARE / 4, [BUDGET_PROC] = SHARE / 8,
		[BUDGET_LARGE] = SHARE / 4,    [BUDGET_OPENS] = SHARE / 8 * 3,
		[BUDGET_DIGESTS] = SHARE / 2,  [BUDGET_GAIN] = SHARE / 4};

	(void)state;
	for (enum budget_part part = 0; part < BUDGET_PARTS; part++) {
		struct budget budget = opened();
		uint64_t now = idle(&budget, 30),
			 most = (uint64_t)(parts[part] * (double)BUDGET_SAVED);
		budget_add(&budget, part, most - SECOND / 100);
		assert_true(budget_may(&budget, part, now));
		budget_add(&budget, part, 2 * SECOND / 100);
		assert_false(budget_may(&budget, part, now));
	}
}

static void samples_have_no_savings_either(void **state)
{
	struct budget budget = opened();
	uint64_t now = idle(&budget, 30),
		 most = (uint64_t)(SHARE * (double)BUDGET_SAVED) / BUDGET_SAMPLE_COST;

	(void)state;
	atomic_store(&budget.samples, most / 2);
	assert_true(budget_has_samples(&budget, now, true));
	atomic_store(&budget.samples, most + 1);
	assert_false(budget_has_samples(&budget, now, true));
	assert_true(budget_has_samples(&budget, now + SECOND, true));
}

/* A part that is spent does not take what others have saved, but what comes after it. */
static void parts_are_saved_by_themselves(void **state)
{
	struct budget budget = opened();
	uint64_t now = idle(&budget, 1);

	(void)state;
	budget_add(&budget, BUDGET_MAPPINGS, 100 * SECOND);
	budget_add(&budget, BUDGET_DIGESTS, BUDGET_DIGESTS_ALWAYS);
	assert_false(budget_may(&budget, BUDGET_MAPPINGS, now));
	assert_true(budget_may(&budget, BUDGET_DIGESTS, now));
	budget_add(&budget, BUDGET_PROC, 100 * SECOND);
	assert_false(budget_may(&budget, BUDGET_DIGESTS, now));
}

static void what_is_owed_is_not_forgotten(void **state)
{
	struct budget budget = opened();
	uint64_t now = idle(&budget, 1);

	(void)state;
	budget_add(&budget, BUDGET_DIGESTS,
		   (uint64_t)(SHARE / 2 * (double)(BUDGET_SAVED + 100 * SECOND)));
	for (unsigned i = 0; i < 99; i++) {
		budget_forget(&budget, now += SECOND);
		assert_false(budget_may(&budget, BUDGET_DIGESTS, now));
	}
	budget_forget(&budget, now += 2 * SECOND);
	assert_true(budget_may(&budget, BUDGET_DIGESTS, now));
}

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

static void without_a_limit_nothing_is_refused(void **state)
{
	struct budget budget;

	(void)state;
	budget_begin(&budget, 0, BEGAN);
	budget_add(&budget, BUDGET_DIGESTS, DAY);
	budget_add(&budget, BUDGET_GAIN, DAY);
	budget_forget(&budget, BEGAN + SECOND);
	assert_true(budget_may(&budget, BUDGET_DIGESTS, BEGAN + SECOND));
	assert_true(budget_may(&budget, BUDGET_GAIN, BEGAN + SECOND));
	assert_true(budget_has_samples(&budget, BEGAN + SECOND, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_saved_for_months_is_forgotten),
		cmocka_unit_test(samples_have_no_savings_either),
		cmocka_unit_test(parts_are_saved_by_themselves),
		cmocka_unit_test(what_is_owed_is_not_forgotten),
		cmocka_unit_test(test_what_samples_are_worth),
		cmocka_unit_test(without_a_limit_nothing_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
