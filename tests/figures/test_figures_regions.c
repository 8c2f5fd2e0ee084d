/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The regions of tiny_binary.h's functions with sizes of their own, by hand. */
#include "src/figures/page_heat.h"

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static void assert_regions(const struct tiny_binary *tiny, size_t most,
			   const struct code_region *expected, size_t count)
{
	struct region_vec found;

	assert_true(regions_take(&tiny->binary, most, &found));
	assert_int_equal(found.len, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found.at[i].begin, expected[i].begin);
		assert_int_equal(found.at[i].end, expected[i].end);
		assert_int_equal(found.at[i].place, expected[i].place);
	}
	region_vec_free(&found);
}

/* Those shorter than 64 bytes go first, then than 128, then than 256, until there are no more than
 * wanted. */
static void short_regions_are_left_out(void **state)
{
	static const uint64_t sizes[TINY_FUNCTIONS] = {0x100, 0x40, 0x20, 0x80, 0x100, 0x80};
	static const struct code_region all[] = {
		{0x1000, 0x1100, PLACE_HOT}, {0x1100, 0x1140, PLACE_IGNORED},
		{0x1200, 0x1220, PLACE_PLT}, {0x1300, 0x1380, PLACE_COLD},
		{0x1400, 0x1500, PLACE_HOT}, {0x1500, 0x1580, PLACE_COLD},
	};
	const struct code_region five[] = {all[0], all[1], all[3], all[4], all[5]},
				 four[] = {all[0], all[3], all[4], all[5]};
	static const struct code_region one[] = {{0x1000, 0x1500, PLACE_HOT}};
	struct section text = {.name = text_of(".text")};
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.binary.image.sections = &text;
	for (size_t i = 0; i < TINY_FUNCTIONS; i++)
		tiny.functions[i].size = sizes[i];
	assert_regions(&tiny, 6, all, BC_COUNT(all));
	assert_regions(&tiny, 5, five, BC_COUNT(five));
	assert_regions(&tiny, 4, four, BC_COUNT(four));
	assert_regions(&tiny, 3, one, BC_COUNT(one));
	tiny_binary_fini(&tiny);
}

/* `plain` and what is after it; `hot` is empty. */
static void neighbors_of_a_section_are_one(void **state)
{
	static const struct code_region joined[] = {
		{0x1100, 0x1280, PLACE_IGNORED},
		{0x1300, 0x1380, PLACE_COLD},
		{0x1400, 0x1480, PLACE_HOT},
		{0x1500, 0x1580, PLACE_COLD},
	};
	const struct code_region apart[] = {
		{0x1100, 0x1180, PLACE_IGNORED},
		{0x1200, 0x1280, PLACE_IGNORED},
		joined[1],
		joined[2],
		joined[3],
	};
	struct section sections[] = {{.name = text_of(".text")}, {.name = text_of(".fini")}};
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.binary.image.sections = sections;
	tiny.functions[0].size = 0;
	tiny.functions[2].kind = FUNCTION_CODE;
	assert_regions(&tiny, 10, joined, BC_COUNT(joined));
	tiny.functions[2].section = 1;
	assert_regions(&tiny, 10, apart, BC_COUNT(apart));
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_regions_are_left_out),
		cmocka_unit_test(neighbors_of_a_section_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
