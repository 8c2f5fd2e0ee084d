/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs through a graph that is stated block by block. */
#include <stdio.h>
#include <string.h>

#include "src/code/cfg.h"
#include "tests/support/cmocka.h"

static struct block blocks[] = {
	{.start = 0x00, .last = 0x08, .reach = 2, .to_next = true, .entered = true},
	{.start = 0x10, .last = 0x1b, .reach = 2, .to_next = true, .calls = true},
	{.start = 0x20, .last = 0x28, .reach = 2, .to_next = false},
	{.start = 0x30, .last = 0x3b, .reach = 5, .to_next = true, .calls = true},
	{.start = 0x40, .last = 0x48, .reach = 5, .to_next = true, .entered = true},
	{.start = 0x50, .last = 0x58, .reach = 5, .to_next = false},
};
static const struct graph graph = {.blocks = blocks, .count = 6, .size = 0x60};
static char edges[256];

static void gives(struct fall_through fall, enum walk_result result, const char *wanted)
{
	uint32_t first, last;

	edges[0] = '\0';
	assert_int_equal(graph_walk(&graph, &fall, &first, &last), result);
	for (uint32_t i = first; result == WALK_EDGES && i < last; i++)
		snprintf(edges + strlen(edges), sizeof(edges) - strlen(edges), "%x %x; ",
			 blocks[i].last, blocks[i + 1].start);
	assert_string_equal(edges, wanted);
}

static void plain_runs(void **state)
{
	(void)state;
	gives((struct fall_through){.from = 0, .to = 4}, WALK_ONE_BLOCK, "");
	gives((struct fall_through){.from = 4, .to = 0x12}, WALK_EDGES, "8 10; ");
	gives((struct fall_through){.from = 0, .to = 0x28}, WALK_EDGES, "8 10; 1b 20; ");
	gives((struct fall_through){.from = 0x10, .to = 0x1b}, WALK_ONE_BLOCK, "");
	gives((struct fall_through){.from = 0x5f, .to = 0x5f}, WALK_ONE_BLOCK, "");
}

static void invalid_runs(void **state)
{
	static const struct graph none = {.size = 0x60};
	struct fall_through all = {.from = 0, .to = 0x5f};
	uint32_t first, last;

	(void)state;
	gives((struct fall_through){.from = 0x10, .to = 0x30}, WALK_INVALID, "");
	gives((struct fall_through){.from = 0x10, .to = 0x60}, WALK_INVALID, "");
	gives((struct fall_through){.from = 0x60, .to = 0x60}, WALK_INVALID, "");
	assert_int_equal(graph_walk(&none, &all, &first, &last), WALK_INVALID);
}

/* A run from outside to the beginning of a block: the block before made a call. */
static void call_continuation(void **state)
{
	(void)state;
	gives((struct fall_through){.from = 0x20, .to = 0x28, .may_follow_call = true}, WALK_EDGES,
	      "1b 20; ");
	gives((struct fall_through){.from = 0x20, .to = 0x28}, WALK_ONE_BLOCK, "");
	gives((struct fall_through){.from = 0x21, .to = 0x28, .may_follow_call = true},
	      WALK_ONE_BLOCK, "");
	/* not where the block before does not call or cannot continue */
	gives((struct fall_through){.from = 0x10, .to = 0x18, .may_follow_call = true},
	      WALK_ONE_BLOCK, "");
	gives((struct fall_through){.from = 0x30, .to = 0x38, .may_follow_call = true},
	      WALK_ONE_BLOCK, "");
	/* at an entry only a return shows a call; never at the very beginning */
	gives((struct fall_through){.from = 0x40, .to = 0x48, .may_follow_call = true},
	      WALK_ONE_BLOCK, "");
	gives(
		(struct fall_through){
			.from = 0x40, .to = 0x48, .may_follow_call = true, .after_return = true},
		WALK_EDGES, "3b 40; ");
	gives(
		(struct fall_through){
			.from = 0, .to = 8, .may_follow_call = true, .after_return = true},
		WALK_ONE_BLOCK, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_runs),
		cmocka_unit_test(invalid_runs),
		cmocka_unit_test(call_continuation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
