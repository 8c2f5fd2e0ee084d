/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of mappings whose nodes are so short that a full one has full ones below it, down to the
 * leaf: no change may make any of them longer than it may be. */
#define LEAF_MOST  7
#define INNER_MOST 4
#include "src/samples/map_set.c"

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define ADDRESSES 2100

static uint32_t model[ADDRESSES]; /* flags of the mapping there, or 0 */

static void check_lengths(const struct map_node *node, unsigned height)
{
	assert_true(node->len && node->len <= node->cap && node->cap <= map_rows_most(height));
	for (size_t i = 0; height && i < node->len; i++)
		check_lengths(map_children(node)[i].node, height - 1);
}

static void change(struct map_set **set, uint64_t start, uint64_t end, uint32_t flags)
{
	struct mapping insert = {start, end, 0, 1, flags};

	assert_true(map_set_replace(set, start, end, flags ? &insert : NULL));
	for (uint64_t at = start; at < end; at++)
		model[at] = flags;
	if (*set && (*set)->root)
		check_lengths((*set)->root, (*set)->height);
}

static void check_like_model(const struct map_set *set)
{
	for (uint64_t at = 0; at < ADDRESSES; at++) {
		const struct mapping *m = map_set_find(set, at);
		assert_int_equal(m ? m->flags : 0, model[at]);
	}
}

/* Many short mappings, and now and then a change of many: the node that it reaches into last
 * was not on the way down. */
static void wide_changes_of_full_trees(void **state)
{
	unsigned highest = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct prng prng = {seed};
		struct map_set *set = NULL;
		uint64_t space = 100 + prng_below(&prng, 1000), rare = 1 + prng_below(&prng, 60);
		memset(model, 0, sizeof(model));
		for (uint32_t step = 1; step <= 600; step++) {
			bool wide = !prng_below(&prng, rare);
			uint64_t start = prng_below(&prng, space);
			uint64_t end = start + 1 + (wide ? prng_below(&prng, space / 2) : 0);
			change(&set, start, end, !wide || prng_below(&prng, 2) ? step : 0);
			highest = set && set->height > highest ? set->height : highest;
		}
		check_like_model(set);
		map_set_release(set);
	}
	assert_in_range(highest, 4, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_changes_of_full_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
