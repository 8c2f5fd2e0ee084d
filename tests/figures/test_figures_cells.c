/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page_heat.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"

/* Heat with buckets of one byte. */
static struct heat heat_of(const struct heat_run *runs, size_t count)
{
	struct heat heat = {.bucket = 1};

	for (size_t i = 0; i < count; i++) {
		assert_true(heat_run_vec_push(&heat.runs, runs[i]));
		heat.buckets += runs[i].count;
		heat.hits += runs[i].count * runs[i].hits;
	}
	return heat;
}

static void assert_cells(const struct heat_run *runs, size_t count, size_t room,
			 const char *expected)
{
	struct heat heat = heat_of(runs, count);
	char *text = NULL;
	size_t size = 0;
	struct json json = {.out = open_memstream(&text, &size), .page = true};

	assert_true(cells_write(&json, NULL, &heat, room));
	fclose(json.out);
	assert_string_equal(text, expected);
	free(text);
	heat_free(&heat);
}

static void nothing_ran(void **state)
{
	(void)state;
	assert_cells(
		NULL, 0, 100,
		"{\"cell\":64,\"wanted\":64,\"begin\":0,\"end\":0,\"cells\":0,\"sum\":0,\"max\":0,\"data\":\"\"}");
}

/* Bytes 100 to 199, of cells 1 (28 bytes), 2 (64) and 3 (8), and 10 bytes of cell 8: numbers 0, 84,
 * 0, 192, 0, 24, 2 * 4, 1000, each of a byte but the last two: c0 01, e8 07. */
static void cells_are_runs(void **state)
{
	const struct heat_run runs[] = {{100, 100, 3}, {512, 10, 100}};

	(void)state;
	assert_cells(
		runs, 2, 100,
		"{\"cell\":64,\"wanted\":64,\"begin\":64,\"end\":576,\"cells\":4,\"sum\":1300,\"max\":1000,"
		"\"data\":\"AFQAwAEAGAjoBw==\"}");
}

/* Three cells of one value are 1, 3, 64: "AQNA". */
static void equal_cells_are_one_run(void **state)
{
	const struct heat_run runs[] = {{640, 192, 1}};

	(void)state;
	assert_cells(
		runs, 1, 100,
		"{\"cell\":64,\"wanted\":64,\"begin\":640,\"end\":832,\"cells\":3,\"sum\":192,\"max\":64,\"data\":\"AQNA\"}");
}

/* What does not fit becomes larger cells: here 256 bytes, 0 52 (300), 2 * 1 ... */
static void larger_cells_fit(void **state)
{
	const struct heat_run runs[] = {{100, 100, 3}, {512, 10, 100}};

	(void)state;
	assert_cells(
		runs, 2, 12,
		"{\"cell\":256,\"wanted\":64,\"begin\":0,\"end\":768,\"cells\":2,\"sum\":1300,\"max\":1000,"
		"\"data\":\"AKwCAugH\"}");
}

/* At the end of all memory. */
static void the_last_bytes_have_a_cell(void **state)
{
	const struct heat_run runs[] = {{UINT64_MAX - 9, 9, 1}};

	(void)state;
	assert_cells(
		runs, 1, 100,
		"{\"cell\":64,\"wanted\":64,\"begin\":18446744073709551552,\"end\":18446744073709551615,\"cells\":1,"
		"\"sum\":9,\"max\":9,\"data\":\"AAk=\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_ran),
		cmocka_unit_test(cells_are_runs),
		cmocka_unit_test(equal_cells_are_one_run),
		cmocka_unit_test(larger_cells_fit),
		cmocka_unit_test(the_last_bytes_have_a_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
