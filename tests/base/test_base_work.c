/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file may ask for, by its size. */
#include <string.h>

#include "src/base/work.h"
#include "tests/support/cmocka.h"

/* Up to the last byte, each kind for itself; once it is too much it stays so. */
static void up_to_the_limit(void **state)
{
	struct bc_error err = {0};
	struct work work;

	(void)state;
	work_begin(&work, 1000);
	assert_int_equal(work.most, 8000 + (1 << 20));
	assert_true(work_spend(&work, WORK_PLT, work.most - 1));
	assert_true(work_spend(&work, WORK_PLT, 1));
	assert_true(work_spend(&work, WORK_PLT, 0));
	assert_true(work_check(&work, &err));
	assert_false(work_spend(&work, WORK_PLT, 1));
	assert_false(work_spend(&work, WORK_PLT, 0));
	assert_true(work_spend(&work, WORK_SECTIONS, 5));
	assert_false(work_check(&work, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_non_null(strstr(err.text, "symbols of PLT entries"));
	assert_non_null(strstr(err.text, "1056576 bytes"));
	assert_false(work_fail(&work, &err));
	assert_int_equal(err.code, BC_FORMAT);
}

/* Amounts whose sum would be small again. */
static void no_sum_wraps(void **state)
{
	struct bc_error err = {0};
	struct work work;

	(void)state;
	work_begin(&work, 0);
	assert_true(work_spend(&work, WORK_SECTIONS, 10));
	assert_false(work_spend(&work, WORK_SECTIONS, UINT64_MAX - 5));
	assert_false(work_spend(&work, WORK_SECTIONS, UINT64_MAX - 5));
	assert_false(work_check(&work, &err));
	work_begin(&work, UINT64_MAX);
	assert_true(work_spend(&work, WORK_SECTIONS, UINT64_MAX / 2));
	assert_true(work_check(&work, &err));
}

static void without_a_file(void **state)
{
	struct bc_error err = {0};

	(void)state;
	assert_true(work_spend(NULL, WORK_SECTIONS, UINT64_MAX));
	assert_true(work_check(NULL, &err));
	assert_false(work_fail(NULL, &err));
	assert_int_equal(err.code, BC_NOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_to_the_limit),
		cmocka_unit_test(no_sum_wraps),
		cmocka_unit_test(without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
