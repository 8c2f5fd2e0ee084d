/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which function of the binary a name shows.  The source is part of this file. */
#include "src/figures/overlap.c"

#include "tests/support/cmocka.h"

/* A name of two functions shows none. */
static void names(void **state)
{
	struct known_names known = {0};

	(void)state;
	assert_true(know(&known, "f", 3) && know(&known, "g", 4) && know(&known, "f", 5));
	assert_true(know(&known, "g", 4)); /* again */
	assert_int_equal(binary_number(&known, text_of("g")), 4);
	assert_int_equal(binary_number(&known, text_of("f")), NO_NAME);
	assert_int_equal(binary_number(&known, text_of("h")), NO_NAME);
	known_free(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
