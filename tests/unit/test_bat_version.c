/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "bat/bat.h"
#include "tests/support/cmocka.h"

static void versions_agree(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", BAT_VERSION_MAJOR, BAT_VERSION_MINOR, BAT_VERSION_PATCH);
	assert_string_equal(text, PROJECT_VERSION);
	assert_int_equal(bat_version(), BAT_VERSION_NUMBER);
}

/* Programs that are linked with this release run with those of the same minor version: sizes
 * do not change within it, on any of the 64-bit processors. */
static void structs_are_as_large_as_released(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct bat_error), 4 + 4 + 8 + 8 + 4 + 4 + 512 + 16);
	assert_int_equal(sizeof(struct bat_entry), 8);
	assert_int_equal(sizeof(struct bat_block), 16);
	assert_int_equal(sizeof(struct bat_fragment), 48);
	assert_int_equal(sizeof(struct bat_table), 96);
	assert_int_equal(sizeof(struct bat_symbol), 24);
	assert_int_equal(sizeof(struct bat_parents), 40);
}

static void reserved_is_zero(void **state)
{
	static const uint8_t no_functions[2] = {0, 0};
	struct bat_table table;
	struct bat_error err;

	(void)state;
	memset(&table, 0xff, sizeof(table));
	memset(&err, 0xff, sizeof(err));
	assert_true(bat_decode_as(BAT_HASHED, no_functions, sizeof(no_functions), &table, &err));
	assert_int_equal(table.reserved[0] | table.reserved[1] | table.reserved[2] | table.reserved[3], 0);
	bat_free(&table);
	assert_false(bat_decode_as(BAT_HASHED, no_functions, 1, &table, &err));
	assert_int_equal(err.reserved[0] | err.reserved[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_agree),
		cmocka_unit_test(structs_are_as_large_as_released),
		cmocka_unit_test(reserved_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
