/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sets of mappings against a plain array of what each address holds, and the shape of
 * their trees.  map_set.c is compiled into this file with an allocator that counts what is
 * held and fails on demand.
 */
#include "tests/support/cmocka.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/prng.h"

#define BLOCK 16 /* before each allocation, its size; about what malloc needs itself */

static unsigned long allowed = ULONG_MAX; /* allocations until one fails */
static size_t held;                       /* bytes */

static void *counting_malloc(size_t size)
{
	unsigned char *block = allowed ? malloc(BLOCK + size) : NULL;

	if (!block)
		return NULL;
	allowed--;
	memcpy(block, &size, sizeof(size));
	held += BLOCK + size;
	return block + BLOCK;
}

static void counting_free(void *at)
{
	size_t size;

	if (!at)
		return;
	memcpy(&size, (unsigned char *)at - BLOCK, sizeof(size));
	held -= BLOCK + size;
	free((unsigned char *)at - BLOCK);
}

static void *counting_calloc(size_t count, size_t size)
{
	void *block = counting_malloc(count * size);

	return block ? memset(block, 0, count * size) : NULL;
}

#define malloc counting_malloc
#define calloc counting_calloc
#define free counting_free
#include "src/addrspace/map_set.c"
#undef malloc
#undef calloc
#undef free

#define ADDRESSES 20000
#define SETS 3

/* Per address: 0 for nothing, else the flags of the mapping there and where in the file
 * the address is.  Each mapping has flags of its own, and a file unless they are even. */
struct model {
	uint32_t flags[ADDRESSES];
	uint64_t offset[ADDRESSES];
};

static struct model models[SETS];

static struct mapping numbered(uint64_t start, uint64_t end, uint64_t number)
{
	return (struct mapping){start, end, number * 1000000, number % 2 ? 5 : 0, (uint32_t)number};
}

static void paint(struct model *model, uint64_t start, uint64_t end, const struct mapping *m)
{
	for (uint64_t at = start; at < end; at++) {
		model->flags[at] = m ? m->flags : 0;
		model->offset[at] = m && m->file ? m->offset + (at - m->start) : 0;
	}
}

/* A walk through a tree. */
struct walk {
	uint64_t end; /* of what came before */
	uint64_t file_start, file_end;
	bool tight; /* no allocation has failed */
};

static void check_leaf(const struct node *leaf, struct walk *walk)
{
	assert_int_equal(leaf->count, leaf->len);
	for (size_t i = 0; i < leaf->len; i++) {
		const struct mapping *m = &leaf->at[i];
		assert_true(walk->end <= m->start && m->start < m->end);
		assert_true(!m->file || (m->start >= walk->file_start && m->end <= walk->file_end));
		walk->end = m->end;
	}
}

static void check_node(const struct node *node, unsigned height, struct walk *walk)
{
	size_t count = 0, short_pair = most_rows(height ? height - 1 : 0) / 2;

	assert_true(node->owners && node->len && node->len <= node->cap && node->cap <= most_rows(height));
	if (!height) {
		check_leaf(node, walk);
		return;
	}
	for (size_t i = 0; i < node->len; i++) {
		const struct child *child = &children(node)[i];
		assert_int_equal(child->start, row_start(row(child->node, height - 1, 0)));
		check_node(child->node, height - 1, walk);
		count += child->node->count;
		assert_true(!i || !walk->tight || child[-1].node->len + child->node->len > (int)short_pair);
	}
	assert_int_equal(node->count, count);
}

static void check_tree(const struct map_set *set, bool tight)
{
	struct walk walk = {.tight = tight};
	size_t least = LEAF_MOST / 2 + 1; /* of a tree so high, as map_set.c says */

	if (!set)
		return;
	assert_true(set->owners && (set->root || !set->height));
	if (!set->root)
		return;
	map_set_range(set, &walk.file_start, &walk.file_end);
	check_node(set->root, set->height, &walk);
	assert_true(!set->height || set->root->len > 1);
	for (unsigned height = 1; height < set->height; height++)
		least *= INNER_MOST / 4;
	assert_true(!tight || !set->height || set->root->count >= least);
}

static void check_mapping(const struct mapping *m, const struct model *model, uint64_t at)
{
	assert_int_equal(m ? m->flags : 0, model->flags[at]);
	assert_true(!m || (m->start <= at && at < m->end));
	assert_true(!m || !m->file || m->offset + (at - m->start) == model->offset[at]);
}

/* Each address, below `limit`, and each way to ask. */
static void check_like(const struct map_set *set, const struct model *model, uint64_t limit)
{
	size_t count = map_set_count(set), i = 0, runs = 0;
	struct mapping *list = calloc(count + 1, sizeof(*list));

	assert_non_null(list);
	map_set_list(set, list);
	for (uint64_t at = 0; at < limit; at++) {
		const struct mapping *found = map_set_find(set, at), *above = map_set_above(set, at);
		check_mapping(found, model, at);
		i += i < count && list[i].end <= at;
		runs += model->flags[at] && (!at || model->flags[at - 1] != model->flags[at]);
		assert_int_equal(above != NULL, i < count);
		if (above)
			assert_memory_equal(above, &list[i], sizeof(list[i]));
		assert_true(!found || found == above);
	}
	assert_int_equal(count, runs);
	free(list);
}

static void replace(struct map_set **set, struct model *model, uint64_t start, uint64_t end, uint64_t number)
{
	struct mapping insert = numbered(start, end, number);

	assert_true(map_set_replace(set, start, end, number ? &insert : NULL));
	paint(model, start, end, number ? &insert : NULL);
}

static void be_shared(struct map_set **set, struct model *model, struct map_set *with, const struct model *like)
{
	map_set_release(*set);
	*set = map_set_share(with);
	*model = *like;
}

/* The mappings of another set, by their list. */
static void be_updated(struct map_set **set, struct model *model, const struct map_set *to, const struct model *like)
{
	size_t count = map_set_count(to);
	struct mapping *list = calloc(count + 1, sizeof(*list));

	assert_non_null(list);
	map_set_list(to, list);
	assert_true(map_set_update(set, list, count));
	*model = *like;
	free(list);
}

static void release_all(struct map_set **sets)
{
	for (size_t i = 0; i < SETS; i++)
		map_set_release(sets[i]);
	assert_int_equal(held, 0);
}

/* Sets that share their mappings now and then must not see each other's. */
static void random_step(struct map_set **sets, struct prng *prng, uint64_t step, uint64_t limit, uint64_t longest)
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
		uint64_t at = kind == 0 ? k : kind == 1 ? ADDRESSES - 2 - k : prng_below(&prng, ADDRESSES - 2);
		if (prng_below(&prng, kind == 3 ? 20 : 800) == 0)
			random_step(sets, &prng, step, ADDRESSES, 700);
		else
			replace(&sets[a], &models[a], at, at + 1 + prng_below(&prng, 2), prng_below(&prng, 9) ? step : 0);
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

/* What is behind the cut is where it was in the file. */
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
	assert_true(map_set_replace(&set, 0, UINT64_MAX, &(struct mapping){0, UINT64_MAX, 5, 1, 0}));
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

/* Mapping k of many one behind the other. */
static void put(struct map_set **set, uint64_t k)
{
	struct mapping m = numbered(k * 10, k * 10 + 8, 2 * k + 1);

	assert_true(map_set_replace(set, m.start, m.end, &m));
}

static void ascending_mappings_fill_their_leaves(void **state)
{
	struct map_set *set = NULL;
	size_t leaf = BLOCK + sizeof(struct node) + LEAF_MOST * sizeof(struct mapping) + sizeof(struct child);

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
		assert_true(!map_set_find(sets[k], k * 10) && (!k || map_set_find(sets[k], k * 10 - 10)));
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
			if (k % stride && !map_set_replace(&set, (base + k) * 10, (base + k) * 10 + 10, NULL))
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
				assert_true(map_set_replace(&set, (front + k) * 10, (front + k) * 10 + 9, NULL));
		check_tree(set, true);
	}
	map_set_release(set);
}

static void keep_of_leaf(struct map_set **set, uint64_t leaf, uint64_t keep)
{
	uint64_t first = leaf * LEAF_MOST;

	assert_true(map_set_replace(set, (first + keep) * 10, (first + LEAF_MOST) * 10, NULL));
}

/* A mapping that takes the place of one in the next leaf: there are as many as before, and
 * yet that leaf and the one behind it have become few enough for one. */
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
	struct mapping *list = calloc(UPDATED + 1, sizeof(*list)), *again = calloc(UPDATED, sizeof(*list));

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

#define COPIED 200

static const uint32_t new_numbers[] = {[5] = 9}; /* of the files of numbered() */

static void check_renumbered(const struct map_set *copy, const struct map_set *set)
{
	size_t count = map_set_count(set);
	struct mapping *want = calloc(count + 1, sizeof(*want)), *list = calloc(count + 1, sizeof(*list));

	assert_true(want && list);
	assert_int_equal(map_set_count(copy), count);
	map_set_list(set, want);
	map_set_list(copy, list);
	for (size_t i = 0; i < count; i++)
		want[i].file = new_numbers[want[i].file];
	assert_memory_equal(list, want, count * sizeof(*want));
	check_tree(copy, true);
	free(want);
	free(list);
}

/* Sets that share most of their mappings: the copies take no more than they do. */
static void renumbered_copies_share(void **state)
{
	struct map_set *sets[COPIED] = {NULL}, *copies[COPIED];
	struct renumbered done = {.numbers = new_numbers};

	(void)state;
	for (uint64_t k = 0; k < 5000; k++)
		put(&sets[1], k);
	for (size_t i = 2; i < COPIED; i++) {
		sets[i] = map_set_share(sets[i - 1]);
		put(&sets[i], i * 25);
		assert_true(map_set_replace(&sets[i], i * 10, i * 10 + 3, NULL));
	}
	size_t before = held;
	for (size_t i = 0; i < COPIED; i++)
		assert_true(map_set_renumber(sets[i], &done, &copies[i]));
	renumbered_free(&done);
	assert_in_range(held - before, 1, before);
	assert_null(copies[0]);
	for (size_t i = 0; i < COPIED; i++) {
		check_renumbered(copies[i], sets[i]);
		map_set_release(sets[i]);
		map_set_release(copies[i]);
	}
	assert_int_equal(held, 0);
}

static void every_allocation_of_a_copy_may_fail(void **state)
{
	struct map_set *set = NULL, *copy = NULL;
	bool copied = false;

	(void)state;
	for (uint64_t k = 0; k < 700; k++)
		put(&set, k);
	size_t before = held;
	for (unsigned long now = 0; !copied; now++) {
		struct renumbered done = {.numbers = new_numbers};
		allowed = now;
		copied = map_set_renumber(set, &done, &copy);
		allowed = ULONG_MAX;
		renumbered_free(&done);
		assert_true(copied || held == before);
	}
	check_renumbered(copy, set);
	map_set_release(copy);
	map_set_release(set);
	assert_int_equal(held, 0);
}

/* Each address is as in one of the two or holds nothing.  Where one replaced the other what
 * is in both is out of reach of the change, and stays. */
static void check_between(const struct map_set *set, const struct model *a, const struct model *b,
			  bool replaced, uint64_t limit)
{
	for (uint64_t at = 0; at < limit; at++) {
		const struct mapping *m = map_set_find(set, at);
		uint32_t flags = m ? m->flags : 0;
		assert_true(flags == a->flags[at] || flags == b->flags[at] || !flags);
		if (replaced && a->flags[at] == b->flags[at])
			assert_int_equal(flags, a->flags[at]);
	}
}

/* Every allocation of a change fails once; the model after it is models[2]. */
static void change_without_memory(struct map_set **set, struct map_set *other, uint64_t start, uint64_t end,
				  uint64_t number, uint64_t limit)
{
	struct mapping insert = numbered(start, end, number);

	models[2] = models[0];
	paint(&models[2], start, end, number ? &insert : NULL);
	for (unsigned long limit_now = 0;; limit_now++) {
		allowed = limit_now;
		bool done = map_set_replace(set, start, end, number ? &insert : NULL);
		allowed = ULONG_MAX;
		check_tree(*set, false);
		if (done)
			break;
		check_between(*set, &models[0], &models[2], true, limit);
		assert_in_range(limit_now, 0, 100);
	}
	check_like(*set, &models[2], limit);
	check_like(other, &models[1], limit);
	models[0] = models[2];
}

static void update_without_memory(struct map_set **set, struct map_set *to, uint64_t limit)
{
	struct mapping list[400];
	size_t count = map_set_count(to);
	bool done = false;

	assert_in_range(count, 0, 400);
	map_set_list(to, list);
	for (unsigned long limit_now = 0; !done; limit_now++) {
		allowed = limit_now;
		done = map_set_update(set, list, count);
		allowed = ULONG_MAX;
		check_tree(*set, false);
		check_between(*set, &models[0], &models[1], false, limit);
	}
	check_like(*set, &models[1], limit);
	models[0] = models[1];
}

static void every_allocation_may_fail(void **state)
{
	enum { LIMIT = 400 };

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct prng prng = {seed};
		struct map_set *set = NULL, *other = NULL;
		memset(models, 0, sizeof(models));
		for (uint64_t step = 1; step <= 150; step++) {
			uint64_t start = prng_below(&prng, LIMIT), length = prng_below(&prng, 9) ? 3 : LIMIT / 3;
			uint64_t end = start + 1 + prng_below(&prng, length);
			if (prng_below(&prng, 4) == 0)
				be_shared(&other, &models[1], set, &models[0]);
			else if (prng_below(&prng, 12) == 0)
				update_without_memory(&set, other, LIMIT);
			change_without_memory(&set, other, start, end < LIMIT ? end : LIMIT,
					      prng_below(&prng, 5) ? step : 0, LIMIT);
		}
		map_set_release(set);
		map_set_release(other);
		assert_int_equal(held, 0);
	}
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
		cmocka_unit_test(renumbered_copies_share),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(every_allocation_of_a_copy_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
