/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sets of mappings against a plain array of what each address holds, and the shape of
 * their trees.  The files of map_set.h are compiled into this file with an allocator that counts
 * what is held and fails on demand.
 */
#ifndef TESTS_SAMPLES_MAP_SET_MODEL_H
#define TESTS_SAMPLES_MAP_SET_MODEL_H

#include "tests/support/cmocka.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "tests/support/prng.h"

#define BLOCK 16 /* before each allocation, its size; about what malloc needs itself */

static unsigned long allowed = ULONG_MAX; /* allocations until one fails */
static size_t held;                       /* bytes */

static inline void *counting_malloc(size_t size)
{
	unsigned char *block = allowed ? malloc(BLOCK + size) : NULL;

	if (!block)
		return NULL;
	allowed--;
	memcpy(block, &size, sizeof(size));
	held += BLOCK + size;
	return block + BLOCK;
}

static inline void counting_free(void *at)
{
	size_t size;

	if (!at)
		return;
	memcpy(&size, (unsigned char *)at - BLOCK, sizeof(size));
	held -= BLOCK + size;
	free((unsigned char *)at - BLOCK);
}

static inline void *counting_calloc(size_t count, size_t size)
{
	void *block = counting_malloc(count * size);

	return block ? memset(block, 0, count * size) : NULL;
}

static inline void *counting_realloc(void *at, size_t size)
{
	size_t before = 0;
	void *block = counting_malloc(size);

	if (!block || !at)
		return block;
	memcpy(&before, (unsigned char *)at - BLOCK, sizeof(before));
	memcpy(block, at, before < size ? before : size);
	counting_free(at);
	return block;
}

#define malloc                        counting_malloc
#define realloc                       counting_realloc
#define large_realloc(at, used, size) counting_realloc(at, size)
#define calloc                        counting_calloc
#define free                          counting_free
#include "src/base/map.c"
#include "src/samples/map_set.c"
#undef malloc
#undef realloc
#undef large_realloc
#undef calloc
#undef free

#define ADDRESSES 20000
#define SETS      3

/* Per address: 0 for nothing, else the flags of the mapping there and where in the file
 * the address is.  Each mapping has flags of its own, and a file unless they are even. */
struct model {
	uint32_t flags[ADDRESSES];
	uint64_t offset[ADDRESSES];
};

static struct model models[SETS];

static inline struct mapping numbered(uint64_t start, uint64_t end, uint64_t number)
{
	return (struct mapping){start, end, number * 1000000, number % 2 ? 5 : 0, (uint32_t)number};
}

static inline void paint(struct model *model, uint64_t start, uint64_t end, const struct mapping *m)
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

static inline void check_leaf(const struct map_node *leaf, struct walk *walk)
{
	assert_int_equal(leaf->count, leaf->len);
	for (size_t i = 0; i < leaf->len; i++) {
		const struct mapping *m = &leaf->at[i];
		assert_true(walk->end <= m->start && m->start < m->end);
		assert_true(!m->file || (m->start >= walk->file_start && m->end <= walk->file_end));
		walk->end = m->end;
	}
}

static inline void check_node(const struct map_node *node, unsigned height, struct walk *walk)
{
	size_t count = 0, short_pair = map_rows_most(height ? height - 1 : 0) / 2;

	assert_true(node->owners && node->len && node->len <= node->cap &&
		    node->cap <= map_rows_most(height));
	if (!height) {
		check_leaf(node, walk);
		return;
	}
	for (size_t i = 0; i < node->len; i++) {
		const struct map_child *child = &map_children(node)[i];
		assert_int_equal(child->start, map_row_start(map_row(child->node, height - 1, 0)));
		check_node(child->node, height - 1, walk);
		count += child->node->count;
		assert_true(!i || !walk->tight ||
			    child[-1].node->len + child->node->len > (int)short_pair);
	}
	assert_int_equal(node->count, count);
}

static inline void check_tree(const struct map_set *set, bool tight)
{
	struct walk walk = {.tight = tight};
	size_t least = LEAF_MOST / 2 + 1; /* of a tree so high, as map_change.c says */

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

static inline void check_mapping(const struct mapping *m, const struct model *model, uint64_t at)
{
	assert_int_equal(m ? m->flags : 0, model->flags[at]);
	assert_true(!m || (m->start <= at && at < m->end));
	assert_true(!m || !m->file || m->offset + (at - m->start) == model->offset[at]);
}

/* Each address, below `limit`, and each way to ask. */
static inline void check_like(const struct map_set *set, const struct model *model, uint64_t limit)
{
	size_t count = map_set_count(set), i = 0, runs = 0;
	struct mapping *list = calloc(count + 1, sizeof(*list));

	assert_non_null(list);
	map_set_list(set, list);
	for (uint64_t at = 0; at < limit; at++) {
		const struct mapping *found = map_set_find(set, at),
				     *above = map_set_above(set, at);
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

static inline void replace(struct map_set **set, struct model *model, uint64_t start, uint64_t end,
			   uint64_t number)
{
	struct mapping insert = numbered(start, end, number);

	assert_true(map_set_replace(set, start, end, number ? &insert : NULL));
	paint(model, start, end, number ? &insert : NULL);
}

static inline void be_shared(struct map_set **set, struct model *model, struct map_set *with,
			     const struct model *like)
{
	map_set_release(*set);
	*set = map_set_share(with);
	*model = *like;
}

/* The mappings of another set, by their list. */
static inline void be_updated(struct map_set **set, struct model *model, const struct map_set *to,
			      const struct model *like)
{
	size_t count = map_set_count(to);
	struct mapping *list = calloc(count + 1, sizeof(*list));

	assert_non_null(list);
	map_set_list(to, list);
	assert_true(map_set_update(set, list, count));
	*model = *like;
	free(list);
}

static inline void release_all(struct map_set **sets)
{
	for (size_t i = 0; i < SETS; i++)
		map_set_release(sets[i]);
	assert_int_equal(held, 0);
}

/* Mapping k of many one after the other. */
static inline void put(struct map_set **set, uint64_t k)
{
	struct mapping m = numbered(k * 10, k * 10 + 8, 2 * k + 1);

	assert_true(map_set_replace(set, m.start, m.end, &m));
}

#endif
