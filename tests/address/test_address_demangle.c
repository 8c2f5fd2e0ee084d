/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names by the rules of the Itanium C++ ABI, worked out by hand. */
#include "src/address/demangle.h"

#include "src/base/attr.h"
#include "tests/support/cmocka.h"

static void names(void **state)
{
	static const char *const rows[][2] = {
		{"_ZN3foo3barEv", "foo::bar()"},
		{"_Z1fi", "f(int)"},
		{"_Z1fi/file.cc/1", "f(int)/file.cc/1"},
		{"_Z1fi.cold", "f(int).cold"},
		{"_Z1fi.cold.0/1", "f(int).cold.0/1"},
		{"_Z1fi@PLT", "f(int)@PLT"},
		{"_Z", "_Z"}, /* no name follows */
		{"_Z9x", "_Z9x"},
		{"main", "main"},
		{"", ""},
		{"_", "_"},
		{"f_Z1fi", "f_Z1fi"},
	};

	(void)state;
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < BC_COUNT(rows); i++)
			assert_string_equal(demangle(rows[i][0]), rows[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
