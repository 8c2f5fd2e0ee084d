/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/function_names.h"

#include <string.h>

#include "tests/support/cmocka.h"

static void check(const char *name, const char *expected)
{
	char room[NAME_STEM_ROOM];
	struct text stem = function_name_stem(text_of(name), room);

	assert_int_equal(stem.len, strlen(expected));
	assert_memory_equal(stem.at, expected, stem.len);
}

static void test_suffixes(void **state)
{
	(void)state;
	check("f", "f");
	check("f.llvm.1234", "f");
	check("f.part.0.constprop.1", "f");
	check("f.cold/1", "f");
	check("f/file.c/1", "f");
	check("_ZN1a1fEv.isra.0", "_ZN1a1fEv");
	check(".part.0", ".part.0");
	check("", "");
}

static void test_rust_hash(void **state)
{
	(void)state;
	check("_ZN1a1f17h0123456789abcdefE", "_ZN1a1f");
	check("_ZN1a1f17h0123456789abcdefE.llvm.77/2", "_ZN1a1f");
	check("_ZN1a1f17h0123456789abcde_E", "_ZN1a1f17h0123456789abcde_E");
	check("_ZN1a1f16h0123456789abcdefE", "_ZN1a1f16h0123456789abcdefE");
	check("_ZN1a1f17h0123456789abcdefEv", "_ZN1a1f17h0123456789abcdefEv");
	check("f17h0123456789abcdefE", "f17h0123456789abcdefE");
}

static void test_rust_crates(void **state)
{
	(void)state;
	check("_RNvNtCs2bZ_1a1b1f", "_RNvNtC1a1b1f");
	check("_RINvCsaB3_1a1fNtCs9_1b1tECs1_1c", "_RINvC1a1fNtC1b1tEC1c");
	check("_RNvCs_1a1f", "_RNvC1a1f");
	check("_RNvCs12", "_RNvCs12");
	check("_RNvC1a1f.llvm.3", "_RNvC1a1f");
}

static void test_long_name(void **state)
{
	char name[NAME_STEM_ROOM + 2];

	(void)state;
	memset(name, 'x', sizeof(name));
	memcpy(name, "_RCs12_1a", 9);
	name[NAME_STEM_ROOM + 1] = '\0';
	check(name, name);
	name[NAME_STEM_ROOM] = '\0';
	char room[NAME_STEM_ROOM];
	assert_int_equal(function_name_stem(text_of(name), room).len, NAME_STEM_ROOM - 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_rust_hash),
		cmocka_unit_test(test_rust_crates),
		cmocka_unit_test(test_long_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
