/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/line_map.h"

#include "src/base/attr.h"
#include "tests/support/cmocka.h"

static void add(struct source_row_vec *rows, uint32_t function, uint32_t line, const char *tokens)
{
	for (; *tokens; tokens++)
		assert_true(source_row_vec_push(
			rows, (struct source_row){function, line, (unsigned char)*tokens}));
}

static void free_all(struct source_row_vec rows[2], struct line_pair_vec *map)
{
	source_row_vec_free(&rows[0]);
	source_row_vec_free(&rows[1]);
	line_pair_vec_free(map);
}

/* The new function has a line more, one less, and one that became two. */
static void changed(void **state)
{
	struct source_row_vec rows[2] = {0};
	struct line_pair_vec map = {0};

	(void)state;
	add(&rows[0], 7, 10, "abc");
	add(&rows[0], 7, 11, "def");
	add(&rows[0], 7, 13, "ghi");
	add(&rows[0], 7, 14, "pqr");
	add(&rows[0], 7, 15, "stu");
	add(&rows[1], 7, 20, "abc");
	add(&rows[1], 7, 21, "xyz");
	add(&rows[1], 7, 22, "deff");
	add(&rows[1], 7, 24, "ghk");
	add(&rows[1], 7, 26, "stu");
	/* Functions of one build only. */
	add(&rows[0], 3, 1, "abc");
	add(&rows[1], 9, 1, "abc");
	assert_true(line_map_make(&rows[0], &rows[1], &map));
	assert_int_equal(line_map_find(&map, 7, 10), 20);
	assert_int_equal(line_map_find(&map, 7, 11), 22);
	assert_int_equal(line_map_find(&map, 7, 13), 24);
	assert_int_equal(line_map_find(&map, 7, 14), 0);
	assert_int_equal(line_map_find(&map, 7, 15), 26);
	assert_int_equal(line_map_find(&map, 7, 12), 0);
	assert_int_equal(line_map_find(&map, 3, 1), 0);
	assert_int_equal(line_map_find(&map, 9, 1), 0);
	free_all(rows, &map);
}

/* Lines that are all alike are distinguished by how far they are from their neighbors. */
static void by_distance(void **state)
{
	static const uint32_t old_lines[] = {5, 8, 9, 14}, new_lines[] = {30, 35, 38, 39, 44};
	struct source_row_vec rows[2] = {0};
	struct line_pair_vec map = {0};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(old_lines); i++)
		add(&rows[0], 1, old_lines[i], "m");
	for (size_t i = 0; i < BC_COUNT(new_lines); i++)
		add(&rows[1], 1, new_lines[i], "m");
	assert_true(line_map_make(&rows[0], &rows[1], &map));
	for (size_t i = 0; i < BC_COUNT(old_lines); i++)
		assert_int_equal(line_map_find(&map, 1, old_lines[i]), old_lines[i] + 30);
	free_all(rows, &map);
}

/* A function of so many lines that a table of them is too large has no lines that are the same, and
 * the one after it has. */
static void too_many(void **state)
{
	struct source_row_vec rows[2] = {0};
	struct line_pair_vec map = {0};

	(void)state;
	for (uint32_t i = 1; i < 5000; i++) {
		add(&rows[0], 1, i, "m");
		add(&rows[1], 1, i, "m");
	}
	add(&rows[0], 2, 4, "m");
	add(&rows[1], 2, 6, "m");
	assert_true(line_map_make(&rows[0], &rows[1], &map));
	assert_int_equal(map.len, 1);
	assert_int_equal(line_map_find(&map, 2, 4), 6);
	free_all(rows, &map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed),
		cmocka_unit_test(by_distance),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
