/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of functions of a small binary with a table of its own, worked out by hand. */
#include "src/figures/shown_code.h"

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static struct tiny_binary tiny;
static struct code_parts parts;

/* `hot` lies at 0x1000, 0x40 bytes, and its cold part at 0x1300, 0x30 bytes.  Both have a copy of
 * the code from 0x20 on; an entry of each is that of a deleted block. */
static void open_parts(void)
{
	static struct bat_entry entries[] = {
		{0, 0},         {0x10, 0x60 << 1}, {0x20, 0x20 << 1}, {0x50, 0x70 << 1},
		{0, 0x20 << 1}, {0x10, 0x10 << 1}, {0x30, 0x90 << 1},
	};
	static uint32_t function_of[] = {0, 3, 4, 5};

	tiny_binary_init(&tiny);
	tiny.binary.function_of = function_of;
	tiny.binary.bat.entries = entries;
	tiny.binary.bat.entry_count = BC_COUNT(entries);
	tiny.fragments[0].entry_count = 4;
	tiny.fragments[1].first_entry = 4;
	tiny.functions[0].size = 0x40;
	tiny.functions[3].size = 0x30;
	assert_true(code_parts_init(&parts, &tiny.binary));
}

static void close_parts(void)
{
	code_parts_free(&parts);
	tiny_binary_fini(&tiny);
}

static void assert_pieces(const struct code_piece_vec *found, const struct code_piece *expected,
			  size_t count)
{
	assert_int_equal(found->len, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found->at[i].input, expected[i].input);
		assert_int_equal(found->at[i].size, expected[i].size);
		assert_int_equal(found->at[i].address, expected[i].address);
		assert_int_equal(found->at[i].cold, expected[i].cold);
	}
}

static void whole_fragments(void **state)
{
	static const struct code_piece moved[] = {{0, 0x40, 0x1000, false},
						  {0, 0x30, 0x1300, true}},
				       unmoved[] = {{0, 0x80, 0x1100, false}};
	struct code_piece_vec found = {0};

	(void)state;
	open_parts();
	assert_true(code_parts_moved(&parts, &tiny.functions[0]));
	assert_false(code_parts_moved(&parts, &tiny.functions[1]));
	assert_true(code_parts_whole(&parts, &tiny.functions[0], &found));
	assert_pieces(&found, moved, BC_COUNT(moved));
	assert_true(code_parts_whole(&parts, &tiny.functions[1], &found));
	assert_pieces(&found, unmoved, BC_COUNT(unmoved));
	tiny.functions[1].size = UINT64_C(1) << 33; /* no offset reaches its end */
	assert_true(code_parts_pieces(&parts, &tiny.functions[1], &found));
	assert_int_equal(found.at[0].size, UINT32_MAX);
	code_piece_vec_free(&found);
	close_parts();
}

static void pieces_by_input(void **state)
{
	static const struct code_piece expected[] = {
		{0, 0x10, 0x1000, false},    {0x10, 0x20, 0x1310, true},
		{0x20, 0x20, 0x1020, false}, {0x20, 0x10, 0x1300, true},
		{0x60, 0x10, 0x1010, false},
	};
	static const struct {
		uint64_t input, address; /* 0: there is none */
	} places[] = {
		{0, 0x1000}, {0xf, 0x1000},  {0x10, 0x1310}, {0x1f, 0x1310}, {0x2f, 0x1300},
		{0x5f, 0},   {0x60, 0x1010}, {0x6f, 0x1010}, {0x70, 0},      {UINT64_C(1) << 32, 0},
	};
	struct code_piece_vec found = {0};

	(void)state;
	open_parts();
	assert_null(code_piece_at(&found, 0));
	assert_true(code_parts_pieces(&parts, &tiny.functions[0], &found));
	assert_pieces(&found, expected, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(places); i++) {
		const struct code_piece *piece = code_piece_at(&found, places[i].input);
		assert_int_equal(piece ? piece->address : 0, places[i].address);
	}
	code_piece_vec_free(&found);
	close_parts();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_fragments),
		cmocka_unit_test(pieces_by_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
