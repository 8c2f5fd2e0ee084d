/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/fragments.h"

#include "tests/support/cmocka.h"

/* By address: a global and its part, two local ones of one name in two files of
 * which only the second was split, and names that only look like parts. */
static struct symbol list[] = {
	{.address = 0x10, .name = "f"},
	{.address = 0x20, .name = "f.cold", .local = true, .file = 1},
	{.address = 0x30, .name = "g", .local = true, .file = 1},
	{.address = 0x40, .name = "g", .local = true, .file = 2},
	{.address = 0x50, .name = "g.cold.12", .local = true, .file = 2},
	{.address = 0x60, .name = ".cold"},
	{.address = 0x70, .name = "h.coldest"},
	{.address = 0x80, .name = "$d.cold"}, /* a mapping symbol, and no part */
	{.address = 0x80, .name = "h"},
	{.address = 0x90, .name = "part.warm"},
	{.address = 0xa0, .name = "hidden", .local = true, .file = 3},
	{.address = 0xb0, .name = "hidden.cold", .local = true, .file = 2},
};
static const char *files[] = {"", "a.c", "b.c", ""};
static const struct symbol_table symbols = {.at = list, .count = BC_COUNT(list), .files = files};

static void parts(void **state)
{
	static const struct {
		uint64_t address;
		bool is_part;
	} wanted[] = {{0x10, true}, {0x20, true},  {0x30, false}, {0x40, true},
		      {0x50, true}, {0x60, false}, {0x70, false}, {0x80, false},
		      {0x90, true}, {0xa0, true},  {0xc0, false}};
	struct fragment_vec fragments = {0};

	(void)state;
	assert_true(fragments_find(&symbols, &fragments));
	assert_int_equal(fragments.len, 4);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct function f = {.address = wanted[i].address};
		assert_int_equal(fragments_is_part(&fragments, &symbols, &f), wanted[i].is_part);
	}
	fragment_vec_free(&fragments);
	assert_false(fragments_is_part(&fragments, &symbols, &(struct function){.address = 0x20}));
}

static bool related(const char *a, const char *b)
{
	return fragments_related(&(struct function){.primary = a},
				 &(struct function){.primary = b});
}

static void relations(void **state)
{
	(void)state;
	assert_true(related("f", "f.cold"));
	assert_true(related("f.cold.1/2", "f/1"));
	assert_true(related("f.cold", "f.cold.0"));
	assert_false(related("f", "f"));
	assert_false(related("f", "g.cold"));
	assert_false(related("ff", "f.cold"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts), cmocka_unit_test(relations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
