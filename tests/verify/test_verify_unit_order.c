/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/line_rows.h"
#include "tests/support/cmocka.h"

#define MOST 8

static struct line_rows rows_of(struct line_unit *units, const char *names)
{
	struct line_rows rows = {0};

	for (size_t i = 0; names[i]; i++)
		units[i] = (struct line_unit){.name = (uint32_t)names[i]};
	rows.units.at = units;
	rows.units.len = strlen(names);
	return rows;
}

/* `places`: of each unit of the input its number in the output; NULL: they are no pair */
static void is_order(const char *in, const char *out, const char *places)
{
	struct line_unit units[2][MOST];
	struct line_rows rows[] = {rows_of(units[0], in), rows_of(units[1], out)};
	struct unit_order order;

	assert_true(unit_order_find(&rows[0], &rows[1], &order));
	assert_int_equal(order.same_units, places != NULL);
	assert_int_equal(order.output_of != NULL, order.input_of != NULL);
	for (uint32_t i = 0; places && places[i]; i++) {
		assert_int_equal(unit_of_output(&order, i), places[i] - '0');
		assert_int_equal(unit_of_input(&order, unit_of_output(&order, i)), i);
	}
	unit_order_free(&order);
}

static void units_of_one_name_keep_their_order(void **state)
{
	(void)state;
	is_order("abc", "abc", "012");
	is_order("", "", "");
	is_order("abcd", "acdb", "0312"); /* one was put last */
	is_order("abab", "aabb", "0213");
	is_order("aab", "baa", "120");
}

static void other_units_are_no_order(void **state)
{
	(void)state;
	is_order("abc", "ab", NULL);
	is_order("abc", "abd", NULL);
	is_order("aab", "abb", NULL);
}

/* As long as nothing moved, nothing is allocated for it. */
static void what_is_in_place_has_no_list(void **state)
{
	struct line_unit units[2][MOST];
	struct line_rows rows[] = {rows_of(units[0], "ab"), rows_of(units[1], "ab")};
	struct unit_order order;

	(void)state;
	assert_true(unit_order_find(&rows[0], &rows[1], &order));
	assert_null(order.output_of);
	unit_order_free(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_one_name_keep_their_order),
		cmocka_unit_test(other_units_are_no_order),
		cmocka_unit_test(what_is_in_place_has_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
