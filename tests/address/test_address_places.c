/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Backwards through BAT, in the binary of tests/support/tiny_binary.h: expectations
 * follow from its table, by hand. */
#include "src/elf/binary.h"
#include "src/address/places.h"

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

struct found {
	uint64_t at[8];
	size_t count;
};

static bool take(void *ctx, struct vaddr at)
{
	struct found *found = ctx;

	assert_true(found->count < 8);
	found->at[found->count++] = at.v;
	return true;
}

static const struct function *function_at(const struct tiny_binary *tiny, uint64_t address)
{
	return functions_find(&tiny->binary.functions, (struct vaddr){address});
}

/* hot: entries 0, 10, 1c, 20, 2c, 30 came from 0, 20, 2c, 40, 4e, 60;
 * hot.cold: 0, 8, 10 from 80, 8a, 90. */
static const struct {
	uint64_t function;
	uint32_t offset;
	size_t count;
	uint64_t place;
} rows[] = {
	{0x1000, 0x0, 1, 0x1000},
	{0x1000, 0xf, 1, 0x100f},
	{0x1000, 0x10, 0, 0}, /* BOLT dropped it */
	{0x1000, 0x20, 1, 0x1010},
	{0x1000, 0x2b, 1, 0x101b},
	{0x1000, 0x2c, 1, 0x101c},
	{0x1000, 0x2f, 1, 0x101f},
	{0x1000, 0x30, 0, 0},
	{0x1000, 0x41, 1, 0x1021},
	{0x1000, 0x4b, 1, 0x102b},
	{0x1000, 0x4c, 0, 0},
	{0x1000, 0x4e, 1, 0x102c},
	{0x1000, 0x60, 1, 0x1030}, /* the last block of the hot part is long enough to have these,
				      too: */
	{0x1000, 0x80, 2, 0x1050},
	{0x1000, 0x8a, 2, 0x105a},
	{0x1000, 0x90, 3, 0x1060},
	{0x1000, 0xb0, 1, 0x1330},
	{0x1100, 0x4, 1, 0x1104}, /* not touched: its own */
	{0x1400, 0xc, 1, 0x1408},
	{0x1400, 0x8, 0, 0},
};

static void all_places_of_an_input_offset(void **state)
{
	struct tiny_binary tiny;
	struct places places;

	(void)state;
	tiny_binary_init(&tiny);
	assert_true(places_init(&places, &tiny.binary));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct found found = {0};
		places_of_input(&places, function_at(&tiny, rows[i].function), rows[i].offset, take,
				&found);
		if (found.count != rows[i].count || (found.count && found.at[0] != rows[i].place))
			fail_msg("row %zu: %zu places, first 0x%lx", i, found.count,
				 (unsigned long)found.at[0]);
	}
	places_free(&places);
	tiny_binary_fini(&tiny);
}

/* Forward, then back, from every byte of every function. */
static void back_is_the_inverse_of_forward(void **state)
{
	struct tiny_binary tiny;
	struct places places;

	(void)state;
	tiny_binary_init(&tiny);
	assert_true(places_init(&places, &tiny.binary));
	for (uint64_t at = 0x1000; at < 0x1500; at++) {
		struct output_place place = binary_place(&tiny.binary, (struct vaddr){at}, NULL);
		struct input_place input;
		struct found found = {0};
		bool back = false;
		if (!place.function || !binary_translate(&tiny.binary, place, false, &input))
			continue;
		places_of_input(&places, input.function, input.offset, take, &found);
		for (size_t i = 0; i < found.count; i++)
			back |= found.at[i] == at;
		assert_true(back);
	}
	places_free(&places);
	tiny_binary_fini(&tiny);
}

static void the_nearest_below(void **state)
{
	struct tiny_binary tiny;
	struct places places;
	uint32_t below = 0;

	(void)state;
	tiny_binary_init(&tiny);
	assert_true(places_init(&places, &tiny.binary));
	assert_true(places_nearest_below(&places, function_at(&tiny, 0x1000), 0x1f, &below));
	assert_int_equal(below, 0xf);
	assert_true(places_nearest_below(&places, function_at(&tiny, 0x1000), 0x4d, &below));
	assert_int_equal(below, 0x4b);
	assert_false(places_nearest_below(&places, function_at(&tiny, 0x1000), 0, &below));
	places_free(&places);
	tiny_binary_fini(&tiny);
}

static void functions_by_name(void **state)
{
	struct tiny_binary tiny;
	struct places places;
	size_t count;

	(void)state;
	tiny_binary_init(&tiny);
	assert_true(places_init(&places, &tiny.binary));
	const struct named_place *named = places_named(&places, text_of("hot"), &count);
	assert_int_equal(count, 1);
	assert_int_equal(tiny.binary.functions.at[named->function].address, 0x1000);
	assert_non_null(places_named(&places, text_of("hot.cold"), &count));
	assert_null(places_named(&places, text_of("ho"), &count));
	assert_null(places_named(&places, text_of("hotter"), &count));
	assert_null(places_named(&places, text_of(""), &count));
	assert_null(places_named(&places, (struct text){0},
				 &count)); /* UBSan: memcmp() takes no NULL */
	assert_int_equal(count, 0);
	places_free(&places);
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_places_of_an_input_offset),
		cmocka_unit_test(back_is_the_inverse_of_forward),
		cmocka_unit_test(the_nearest_below),
		cmocka_unit_test(functions_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
