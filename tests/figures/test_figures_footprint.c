/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cache lines and pages of a few bytes, and the shares of curves, by hand. */
#include "src/figures/page_heat.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"

static struct heat heat_of(const struct heat_run *runs, size_t count, uint64_t bucket)
{
	struct heat heat = {.bucket = bucket};

	for (size_t i = 0; i < count; i++) {
		assert_true(heat_run_vec_push(&heat.runs, runs[i]));
		heat.buckets += runs[i].count;
		heat.hits += runs[i].count * runs[i].hits;
	}
	return heat;
}

/* Bytes 0 to 99, hit 9 times each, and byte 8192, 5 times: 576 hits in the first line, 324 in the
 * second, 5 in the last, of 905 in all. The first two lines hold 99 %, which are 896. */
static void units_of_both(void **state)
{
	static const struct heat_run of_output[] = {{0, 100, 9}, {8192, 1, 5}},
				     of_input[] = {{7, 1, 1}};
	static const char *const expected[] = {
		"[{\"unit\":64,\"output\":{\"all\":3,\"held\":2},\"input\":null},"
		"{\"unit\":4096,\"output\":{\"all\":2,\"held\":1},\"input\":null},"
		"{\"unit\":2097152,\"output\":{\"all\":1,\"held\":1},\"input\":null}]",
		"[{\"unit\":64,\"output\":{\"all\":3,\"held\":2},\"input\":{\"all\":1,\"held\":1}},"
		"{\"unit\":4096,\"output\":{\"all\":2,\"held\":1},\"input\":{\"all\":1,\"held\":1}},"
		"{\"unit\":2097152,\"output\":{\"all\":1,\"held\":1},\"input\":{\"all\":1,\"held\":1}}]",
	};
	struct heat output = heat_of(of_output, BC_COUNT(of_output), 1),
		    input = heat_of(of_input, BC_COUNT(of_input), 1);

	(void)state;
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		char *text = NULL;
		size_t size = 0;
		struct json json = {.out = open_memstream(&text, &size), .page = true};
		assert_true(footprint_write(&json, NULL, &output, i ? &input : NULL));
		fclose(json.out);
		assert_string_equal(text, expected[i]);
		free(text);
	}
	heat_free(&output);
	heat_free(&input);
}

static void assert_curves(struct quality_sources *sources, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	struct json json = {.out = open_memstream(&text, &size), .page = true};

	assert_true(curve_write(&json, NULL, sources));
	fclose(json.out);
	assert_string_equal(text, expected);
	free(text);
}

/* Functions of 1, 0 and 3 samples, and what is outside of all; two buckets of 6 hits, one of 4.
 * Counts that add up to 2^64 are none, and no share of them either. */
static void curves(void **state)
{
	static const struct heat_run runs[] = {{5, 1, 4}, {9, 2, 6}}, none[] = {{5, 1, 0}};
	struct flat_function functions[] = {
		{.samples = 50}, {.samples = 1}, {.samples = 0}, {.samples = 3}};
	struct quality_sources sources = {.heat = heat_of(runs, BC_COUNT(runs), HEAT_BUCKET)};

	(void)state;
	sources.flat.functions =
		(struct flat_function_vec){functions, BC_COUNT(functions), BC_COUNT(functions)};
	assert_curves(&sources,
		      "{\"functions\":[[1,75],[2,100]],\"bytes\":[[64,37.5],[128,75],[192,100]]}");
	heat_free(&sources.heat);
	sources.heat = heat_of(none, BC_COUNT(none), HEAT_BUCKET);
	sources.flat.functions.len = 1;
	assert_curves(&sources, "{\"functions\":[],\"bytes\":[[64,0]]}");
	heat_free(&sources.heat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_both),
		cmocka_unit_test(curves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
