/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that fdata and YAML can hold, by their rules: merge-fdata reads lines, YAML is UTF-8. */
#include "src/profile/profile.h"

#include "tests/support/cmocka.h"

static void test_names(void **state)
{
	(void)state;
	assert_true(name_is_allowed("a\nb", 0));
	assert_false(name_is_allowed("a\nb", NAMES_ONE_LINE));
	assert_true(name_is_allowed("a\nb", NAMES_UTF8));
	assert_true(name_is_allowed("a\xff", NAMES_ONE_LINE));
	assert_false(name_is_allowed("a\xff", NAMES_UTF8));
	assert_true(name_is_allowed("\xc3\xa4", NAMES_ONE_LINE | NAMES_UTF8));
	assert_false(name_is_allowed("\xc3\xa4\n", NAMES_ONE_LINE | NAMES_UTF8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
