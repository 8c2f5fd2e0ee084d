/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "bat/bat.h"
#include "tests/support/cmocka.h"

static void versions_agree(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", BAT_VERSION_MAJOR, BAT_VERSION_MINOR,
		 BAT_VERSION_PATCH);
	assert_string_equal(text, PROJECT_VERSION);
	assert_int_equal(bat_version(), BAT_VERSION_NUMBER);
}

/* Programs that are linked with this release run with all later ones of the same major version:
 * sizes do not change within it, on any of the 64-bit processors. */
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
	assert_true(
		bat_decode_as(BAT_LAYOUT_HASHED, no_functions, sizeof(no_functions), &table, &err));
	assert_int_equal(
		table.reserved[0] | table.reserved[1] | table.reserved[2] | table.reserved[3], 0);
	bat_free(&table);
	assert_false(bat_decode_as(BAT_LAYOUT_HASHED, no_functions, 1, &table, &err));
	assert_int_equal(err.reserved[0] | err.reserved[1], 0);
}

static bool visit_none(void *ctx, const struct bat_field *field)
{
	(void)ctx;
	(void)field;
	return true;
}

/* A layout of a later release: refused by each call that takes one. */
static void layouts_that_are_not_known(void **state)
{
	static const uint8_t no_functions[2] = {0, 0};
	struct bat_table table, empty;
	struct bat_error err;
	uint8_t *data = (uint8_t *)&err;
	size_t size = 1;

	(void)state;
	assert_true(
		bat_decode_as(BAT_LAYOUT_HASHED, no_functions, sizeof(no_functions), &empty, &err));
	for (unsigned layout = BAT_LAYOUT_HASHED + 1; layout < 300; layout += 37) {
		memset(&table, 0xff, sizeof(table));
		assert_null(bat_layout_name((enum bat_layout)layout));
		assert_false(bat_decode_as((enum bat_layout)layout, no_functions, 2, &table, &err));
		assert_int_equal(err.code, BAT_ERROR_ARGUMENT);
		assert_null(table.fragments);
		assert_false(bat_fields((enum bat_layout)layout, no_functions, 2, visit_none, NULL,
					&err));
		assert_int_equal(err.code, BAT_ERROR_ARGUMENT);
		assert_false(bat_encode(&empty, (enum bat_layout)layout, &data, &size, &err));
		assert_int_equal(err.code, BAT_ERROR_ARGUMENT);
		assert_true(!data && !size);
	}
	bat_free(&empty);
}

/* What could not be made can be freed, and an error need not be wanted. */
static void without_an_error(void **state)
{
	static const uint8_t cut[1] = {1};
	struct bat_table table;
	struct bat_error err;
	uint8_t *data = (uint8_t *)&err;
	size_t size = 1;

	(void)state;
	memset(&table, 0xff, sizeof(table));
	assert_false(bat_decode(cut, 1, &table, NULL));
	bat_free(&table);
	memset(&table, 0xff, sizeof(table));
	assert_false(bat_decode_offsets(NULL, 0, &table, NULL));
	bat_free(&table);
	assert_false(bat_decode_as(BAT_LAYOUT_DELTA, cut, 1, &table, NULL));
	bat_free(&table);
	assert_false(bat_fields(BAT_LAYOUT_FIXED, NULL, 0, visit_none, NULL, NULL));
	/* An entry that the layout cannot store. */
	struct bat_fragment cold = {.cold = true, .parent = BAT_NO_PARENT};
	table = (struct bat_table){
		.layout = BAT_LAYOUT_FIXED, .fragments = &cold, .fragment_count = 1};
	assert_false(bat_encode(&table, BAT_LAYOUT_HASHED, &data, &size, NULL));
	assert_true(!data && !size);
	bat_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_agree),
		cmocka_unit_test(structs_are_as_large_as_released),
		cmocka_unit_test(reserved_is_zero),
		cmocka_unit_test(layouts_that_are_not_known),
		cmocka_unit_test(without_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
