/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The executed code of tiny_binary.h's functions, at the locations that the input has for them, by
 * hand. */
#include "src/figures/page_heat.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

/* Bytes of the output. */
static const struct heat_run ran[] = {
	{0x10, 1, 17},   /* before all functions */
	{0x1018, 16, 2}, /* hot: four bytes from input 28 on, four from 2c, eight from 40 */
	{0x107c, 8, 3},  /* four bytes from input ac on; four in no function */
	{0x1104, 2, 5},  /* plain, which lies where it lay */
	{0x1210, 1, 7},  /* a PLT entry, which no function of the input is */
	{0x1304, 8, 11}, /* hot.cold: four bytes from input 84 on, four from 8a */
	{0x1500, 1, 13}, /* of an unknown function */
};

/* `hot` is at 4000 there, `plain` at 5000. */
static const struct heat_run expected[] = {{0x4028, 8, 2},  {0x4040, 8, 2}, {0x4084, 4, 11},
					   {0x408a, 4, 11}, {0x40ac, 4, 3}, {0x5004, 2, 5}};
#define LOST (17 + 4 * 3 + 7 + 13)

static void places_in_the_input(void **state)
{
	struct function functions[] = {
		{.address = 0x4000,
		 .size = 0x100,
		 .extent = 0x100,
		 .kind = FUNCTION_CODE,
		 .primary = "hot",
		 .printed = "hot"},
		{.address = 0x5000,
		 .size = 0x80,
		 .extent = 0x80,
		 .kind = FUNCTION_CODE,
		 .primary = "plain",
		 .printed = "plain"},
	};
	uint32_t output_of[] = {0, 1},
		 input_of[TINY_FUNCTIONS] = {0, 1, NO_FUNCTION, 0, NO_FUNCTION, NO_FUNCTION};
	struct heat heat = {.bucket = 1}, found;
	struct tiny_binary tiny;
	uint64_t lost, hits = 0;

	(void)state;
	tiny_binary_init(&tiny);
	struct pair pair = {.output = &tiny.binary,
			    .functions = {.at = functions, .count = BC_COUNT(functions)},
			    .output_of = output_of,
			    .input_of = input_of};
	assert_true(functions_index(&pair.functions));
	for (size_t i = 0; i < BC_COUNT(ran); i++) {
		assert_true(heat_run_vec_push(&heat.runs, ran[i]));
		hits += ran[i].count * ran[i].hits;
	}
	assert_true(input_heat_take(&heat, &pair, &found, &lost));
	assert_int_equal(lost, LOST);
	assert_int_equal(found.hits, hits - LOST);
	assert_int_equal(found.bucket, 1);
	assert_int_equal(found.runs.len, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		assert_int_equal(found.runs.at[i].first, expected[i].first);
		assert_int_equal(found.runs.at[i].count, expected[i].count);
		assert_int_equal(found.runs.at[i].hits, expected[i].hits);
	}
	heat_free(&found);
	heat_free(&heat);
	free(pair.functions.index.below);
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_in_the_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
