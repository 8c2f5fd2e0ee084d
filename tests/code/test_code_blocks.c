/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether code and table show the same blocks.  The source is part of this file: a table of another
 * number of blocks is made by no release of llvm-bolt of the same input. */
#include "src/code/blocks.c"

#include "tests/support/cmocka.h"

static void blocks_of_code_and_table(void **state)
{
	struct block blocks[] = {{.start = 0}, {.start = 4}, {.start = 8}};
	struct input_block listed[] = {{.offset = 0, .index = 0}, {.offset = 8, .index = 2}};
	const struct graph graph = {.blocks = blocks, .count = BC_COUNT(blocks), .size = 12};
	struct input_function function = {.block_count = 3, .blocks = {listed, 2, 2}};

	(void)state;
	assert_true(is_same_graph(&graph, &function)); /* it lacks one */
	function.block_count = 4;
	assert_false(is_same_graph(&graph, &function));
	function.block_count = 3;
	listed[1].index = 1; /* another number */
	assert_false(is_same_graph(&graph, &function));
	listed[1].index = 3; /* beyond the code's */
	assert_false(is_same_graph(&graph, &function));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_of_code_and_table)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
