/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which block of a function a record of its page comes from.  The source is part of this file. */
#include "src/figures/page_code.c"

#include "tests/support/cmocka.h"

static void blocks_of_records(void **state)
{
	static const struct {
		uint64_t at;
		uint32_t block;
	} rows[] = {{0, 0}, {7, 0}, {8, 1}, {15, 1}, {16, 2}, {100, 2}};
	struct balance_block blocks[] = {{.start = 0}, {.start = 8}, {.start = 16}};
	const struct flow_function flow = {.blocks = {blocks, BC_COUNT(blocks), BC_COUNT(blocks)}};
	const struct flow_function none = {0};
	uint32_t block = 0, first = 0;

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		assert_true(go_to_block(&flow, rows[i].at, &block));
		assert_int_equal(block, rows[i].block);
	}
	assert_false(go_to_block(&none, 0, &first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_of_records)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
