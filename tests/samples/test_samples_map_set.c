/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What changes of sets of mappings do, and the shape of their trees. */
#include "tests/samples/map_set_model.h"

/* Sets that share their mappings now and then must not see each other's. */
static void random_step(struct map_set **sets, struct prng *prng, uint64_t step, uint64_t limit,
			uint64_t longest)
{
	size_t a = prng_below(prng, SETS), b = prng_below(prng, SETS);
	uint64_t start = prng_below(prng, limit), most = prng_below(prng, 8) ? longest : limit;
	uint64_t end = start + 1 + prng_below(prng, limit - start < most ? limit - start : most);
	uint64_t other = prng_below(prng, 40);

	if (a != b && other < 4)
		be_shared(&sets[a], &models[a], sets[b], &models[b]);
	else if (a != b && other == 4)
		be_updated(&sets[a], &models[a], sets[b], &models[b]);
	else
		replace(&sets[a], &models[a], start, end, prng_below(prng, 4) ? step : 0);
}

static void short_sets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct prng prng = {seed};
		struct map_set *sets[SETS] = {NULL};
		uint64_t limit = seed % 2 ? 48 : 400;
		memset(models, 0, sizeof(models));
		for (uint64_t step = 1; step <= 60; step++) {
			random_step(sets, &prng, step, limit, seed % 4 < 2 ? limit : 3);
			for (size_t i = 0; i < SETS; i++) {
				check_tree(sets[i], true);
				if (step % 4 == 0)
					check_like(sets[i], &models[i], limit);
			}
		}
		release_all(sets);
	}
}

/* Thousands of mappings, in runs up and down, in between and over each other. */
static void long_sets(void **state)
{
	struct map_set *sets[SETS] = {NULL};
	struct prng prng = {7};

	(void)state;
	memset(models, 0, sizeof(models));
	for (uint64_t step = 1; step <= 40000; step++) {
		size_t a = prng_below(&prng, SETS);
		uint64_t kind = step / 1000 % 4, k = step % 1000 * 13;
		uint64_t at = kind == 0 ? k :
			      kind == 1 ? ADDRESSES - 2 - k :
					  prng_below(&prng, ADDRESSES - 2);
		if (prng_below(&prng, kind == 3 ? 20 : 800) == 0)
			random_step(sets, &prng, step, ADDRESSES, 700);
		else
			replace(&sets[a], &models[a], at, at + 1 + prng_below(&prng, 2),
				prng_below(&prng, 9) ? step : 0);
		if (step % 100 == 0)
			check_tree(sets[step / 100 % SETS], true);
		if (step % 4000 == 0)
			for (size_t i = 0; i < SETS; i++)
				check_like(sets[i], &models[i], ADDRESSES);
	}
	replace(&sets[0], &models[0], 0, ADDRESSES, 0);
	assert_int_equal(map_set_count(sets[0]), 0);
	replace(&sets[0], &models[0], 3, 9, 1);
	check_like(sets[0], &models[0], ADDRESSES);
	release_all(sets);
}

/* What is after the cut is where it was in the file. */
static void a_hole_leaves_two_rests(void **state)
{
	struct map_set *set = NULL;
	struct mapping list[4];

	(void)state;
	assert_true(map_set_replace(&set, 10, 40, &(struct mapping){10, 40, 7, 3, 9}));
	assert_true(map_set_replace(&set, 50, 90, &(struct mapping){50, 90, 7, 0, 8}));
	assert_true(map_set_replace(&set, 20, 30, NULL));
	assert_true(map_set_replace(&set, 60, 70, NULL));
	assert_int_equal(map_set_count(set), 4);
	map_set_list(set, list);
	assert_memory_equal(&list[0], (&(struct mapping){10, 20, 7, 3, 9}), sizeof(list[0]));
	assert_memory_equal(&list[1], (&(struct mapping){30, 40, 27, 3, 9}), sizeof(list[0]));
	assert_memory_equal(&list[2], (&(struct mapping){50, 60, 7, 0, 8}), sizeof(list[0]));
	assert_memory_equal(&list[3], (&(struct mapping){70, 90, 7, 0, 8}), sizeof(list[0]));
	map_set_release(set);
}

static void the_range_is_of_files_and_stays(void **state)
{
	struct map_set *set = NULL, *copy;
	uint64_t start = 1, end = 1;

	(void)state;
	map_set_range(set, &start, &end);
	assert_true(start == 0 && end == 0);
	assert_true(map_set_replace(&set, 5, 10, &(struct mapping){5, 10, 0, 0, 0}));
	map_set_range(set, &start, &end);
	assert_true(start == 0 && end == 0);
	assert_true(map_set_replace(&set, 20, 30, &(struct mapping){20, 30, 0, 1, 0}));
	copy = map_set_share(set);
	assert_true(map_set_replace(&copy, 0, 15, &(struct mapping){12, 14, 0, 2, 0}));
	map_set_range(set, &start, &end);
	assert_true(start == 20 && end == 30);
	assert_true(map_set_replace(&copy, 0, UINT64_MAX, NULL));
	map_set_range(copy, &start, &end);
	assert_true(start == 12 && end == 30 && map_set_count(copy) == 0);
	map_set_release(set);
	map_set_release(copy);
}

static void the_ends_of_addresses(void **state)
{
	struct map_set *set = NULL;

	(void)state;
	assert_true(
		map_set_replace(&set, 0, UINT64_MAX, &(struct mapping){0, UINT64_MAX, 5, 1, 0}));
	assert_non_null(map_set_find(set, 0));
	assert_non_null(map_set_find(set, UINT64_MAX - 1));
	assert_null(map_set_find(set, UINT64_MAX));
	assert_null(map_set_above(set, UINT64_MAX));
	assert_true(map_set_update(&set, NULL, 0));
	assert_int_equal(map_set_count(set), 0);
	map_set_release(set);
}

static void the_empty_set_is_null(void **state)
{
	struct map_set *set = NULL;

	(void)state;
	assert_null(map_set_find(set, 0));
	assert_null(map_set_above(set, 0));
	assert_null(map_set_share(set));
	assert_int_equal(map_set_count(set), 0);
	map_set_list(set, NULL);
	assert_true(map_set_update(&set, NULL, 0));
	assert_true(map_set_replace(&set, 1, 2, NULL));
	assert_null(set);
	map_set_release(set);
}

static void ascending_mappings_fill_their_leaves(void **state)
{
	struct map_set *set = NULL;
	size_t leaf = BLOCK + sizeof(struct map_node) + LEAF_MOST * sizeof(struct mapping) +
		      sizeof(struct map_child);

	(void)state;
	for (uint64_t k = 0; k < 50000; k++)
		put(&set, k);
	check_tree(set, true);
	assert_in_range(held, 0, (50000 / LEAF_MOST + 1) * leaf * 21 / 20); /* with inner nodes */
	map_set_release(set);
}

#define FORKS 24000

static void a_fork_that_maps_one_more_is_cheap(void **state)
{
	struct map_set **sets = calloc(FORKS + 1, sizeof(struct map_set *));

	(void)state;
	assert_non_null(sets);
	for (uint64_t k = 0; k < FORKS; k++) {
		sets[k + 1] = map_set_share(sets[k]);
		put(&sets[k + 1], k);
	}
	assert_in_range(held, 0, (size_t)FORKS * 2500);
	for (uint64_t k = 0; k <= FORKS; k++) {
		assert_int_equal(map_set_count(sets[k]), k);
		assert_true(!map_set_find(sets[k], k * 10) &&
			    (!k || map_set_find(sets[k], k * 10 - 10)));
		map_set_release(sets[k]);
	}
	free(sets);
	assert_int_equal(held, 0);
}

/* Leaves lose all but one mapping, whichever it is, over and over: memory goes with
 * the number of mappings, and check_tree() looks at the height. */
static void thin_sets_are_small(void **state)
{
	struct map_set *set = NULL;
	struct prng prng = {3};

	(void)state;
	for (uint64_t round = 0; round < 12; round++) {
		uint64_t base = round % 3 * 20000, stride = round % 2 ? LEAF_MOST : LEAF_MOST / 2;
		for (uint64_t k = 0; k < 20000; k++)
			put(&set, base + k);
		for (uint64_t k = 0; k < 20000; k++)
			if (k % stride &&
			    !map_set_replace(&set, (base + k) * 10, (base + k) * 10 + 10, NULL))
				fail();
		check_tree(set, true);
		assert_in_range(held, 0, 1000 + map_set_count(set) * 6 * sizeof(struct mapping));
	}
	while (map_set_count(set) > 1) {
		uint64_t at = prng_below(&prng, 60000 * 10);
		assert_true(map_set_replace(&set, at, at + 500, NULL));
	}
	check_tree(set, true);
	assert_int_equal(set->height, 0);
	assert_in_range(held, 0, 200 + LEAF_MOST * sizeof(struct mapping));
	map_set_release(set);
}

/* A node is filled until it splits, then all but one of each leaf goes: no tree gets
 * higher than its mappings need. */
static void no_tree_is_higher_than_it_must(void **state)
{
	struct map_set *set = NULL;
	struct prng prng = {11};
	uint64_t front = 1 << 20;

	(void)state;
	for (int round = 0; round < 400; round++) {
		front += prng_below(&prng, 2) ? 1000 : (uint64_t)-2000;
		for (uint64_t k = 0; k < 3 * LEAF_MOST; k++)
			put(&set, front + k);
		for (uint64_t k = 0; k < 3 * LEAF_MOST; k++)
			if (k != LEAF_MOST / 2)
				assert_true(map_set_replace(&set, (front + k) * 10,
							    (front + k) * 10 + 9, NULL));
		check_tree(set, true);
	}
	map_set_release(set);
}

static void keep_of_leaf(struct map_set **set, uint64_t leaf, uint64_t keep)
{
	uint64_t first = leaf * LEAF_MOST;

	assert_true(map_set_replace(set, (first + keep) * 10, (first + LEAF_MOST) * 10, NULL));
}

/* A mapping that replaces one in the next leaf: there are as many as before, and
 * yet that leaf and the one after it have become few enough for one. */
static void a_leaf_may_lose_what_another_gains(void **state)
{
	struct map_set *set = NULL;
	uint64_t few = LEAF_MOST / 4 + 1, at = (LEAF_MOST - 1) * 10;

	(void)state;
	for (uint64_t k = 0; k < 3 * LEAF_MOST; k++)
		put(&set, k);
	keep_of_leaf(&set, 0, LEAF_MOST - 1);
	keep_of_leaf(&set, 1, few);
	keep_of_leaf(&set, 2, LEAF_MOST / 2 + 1 - few);
	assert_int_equal(set->root->len, 3);
	assert_true(map_set_replace(&set, at, at + 19, &(struct mapping){at, at + 19, 0, 0, 0}));
	assert_int_equal(set->root->len, 2);
	check_tree(set, true);
	map_set_release(set);
}

static void what_is_inserted_may_be_one_of_the_set(void **state)
{
	struct map_set *set = NULL;

	(void)state;
	for (uint64_t k = 0; k < 1000; k++)
		put(&set, k);
	assert_true(map_set_replace(&set, 0, UINT64_MAX, map_set_find(set, 9000)));
	assert_int_equal(map_set_count(set), 1);
	assert_int_equal(map_set_find(set, 9000)->flags, 1801);
	map_set_release(set);
}

#define UPDATED 10000

static void an_update_changes_what_differs(void **state)
{
	struct map_set *set = NULL, *copy;
	struct mapping *list = calloc(UPDATED + 1, sizeof(*list)),
		       *again = calloc(UPDATED, sizeof(*list));

	(void)state;
	assert_true(list && again);
	for (uint64_t k = 0; k < UPDATED; k++)
		put(&set, k);
	map_set_list(set, list);
	copy = map_set_share(set);
	size_t before = held;
	assert_true(map_set_update(&copy, list, UPDATED));
	assert_ptr_equal(copy, set);
	list[17].flags++;
	list[5000].offset++;
	memmove(&list[6000], &list[6001], (UPDATED - 6000) * sizeof(*list));
	list[UPDATED - 2].end--;
	assert_true(map_set_update(&copy, list, UPDATED - 1));
	map_set_list(copy, again);
	assert_memory_equal(list, again, (UPDATED - 1) * sizeof(*list));
	assert_in_range(held - before, 1, 20000);
	map_set_list(set, again);
	assert_int_equal(again[6000].start, 60000);
	check_tree(copy, true);
	map_set_release(set);
	map_set_release(copy);
	free(list);
	free(again);
	assert_int_equal(held, 0);
}

/* What sets say of their memory is what they hold, shared or not. */
static void the_memory_of_sets(void **state)
{
	struct map_set *set = NULL, *child;

	(void)state;
	assert_int_equal(held, 0);
	assert_int_equal(map_set_memory(NULL), 0);
	for (uint64_t i = 0; i < 10000; i++) {
		const struct mapping mapping = {10 * i, 10 * i + 5, 0, 1, 0};
		assert_true(map_set_replace(&set, mapping.start, mapping.end, &mapping));
		if (i % 1000 == 0)
			assert_in_range(map_set_memory(set), held / 2, held);
	}
	size_t alone = map_set_memory(set);
	child = map_set_share(set);
	assert_in_range(map_set_memory(set) + map_set_memory(child), alone - 1, alone);
	const struct mapping more = {10000, 10001, 0, 1, 0};
	assert_true(map_set_replace(&child, more.start, more.end, &more));
	assert_in_range(map_set_memory(set) + map_set_memory(child), held / 2, held);
	map_set_release(set);
	assert_in_range(map_set_memory(child), held / 2, held);
	map_set_release(child);
}

/* What a change of a shared set copies is known before. */
static void the_memory_of_a_change(void **state)
{
	static const uint64_t at[] = {10000, 50000, 99990, 0};
	struct map_set *set = NULL, *child;

	(void)state;
	assert_int_equal(map_set_copied(NULL, 0, 1), 0);
	for (uint64_t i = 0; i < 10000; i++) {
		const struct mapping mapping = {10 * i, 10 * i + 5, 0, 1, 0};
		assert_int_equal(map_set_copied(set, mapping.start, mapping.end), 0);
		assert_true(map_set_replace(&set, mapping.start, mapping.end, &mapping));
	}
	child = map_set_share(set);
	for (size_t i = 0; i < BC_COUNT(at); i++) {
		const struct mapping more = {at[i], at[i] + 5, 0, 2, 0};
		size_t before = held, copied = map_set_copied(child, more.start, more.end);
		assert_true(copied > sizeof(struct mapping));
		assert_true(map_set_replace(&child, more.start, more.end, &more));
		assert_in_range(held - before, copied / 2, 2 * copied + 200);
		assert_int_equal(map_set_copied(child, more.start, more.end), 0);
	}
	/* Over several leaves, of which the first and the last one stay. */
	size_t one = map_set_copied(child, 30000, 30001);
	assert_true(map_set_copied(child, 30000, 40000) > one);
	map_set_release(child);
	map_set_release(set);
	assert_int_equal(held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_sets),
		cmocka_unit_test(long_sets),
		cmocka_unit_test(a_hole_leaves_two_rests),
		cmocka_unit_test(the_range_is_of_files_and_stays),
		cmocka_unit_test(the_ends_of_addresses),
		cmocka_unit_test(the_empty_set_is_null),
		cmocka_unit_test(ascending_mappings_fill_their_leaves),
		cmocka_unit_test(a_fork_that_maps_one_more_is_cheap),
		cmocka_unit_test(thin_sets_are_small),
		cmocka_unit_test(no_tree_is_higher_than_it_must),
		cmocka_unit_test(a_leaf_may_lose_what_another_gains),
		cmocka_unit_test(what_is_inserted_may_be_one_of_the_set),
		cmocka_unit_test(an_update_changes_what_differs),
		cmocka_unit_test(the_memory_of_sets),
		cmocka_unit_test(the_memory_of_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
