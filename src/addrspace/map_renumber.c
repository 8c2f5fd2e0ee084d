/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of map_sets with other numbers for their files. */
#include <stdlib.h>

#include "src/addrspace/map_node.h"

static uint64_t hash_node(uint64_t seed, const struct map_node *node)
{
	return hash_end(hash_mix(seed, (uintptr_t)node));
}

static bool is_copy_of(const struct renumbered *done, uint32_t number, const struct map_node *node)
{
	return done->nodes.at[number].before == node;
}

DEFINE_MAP(copies, const struct renumbered *, const struct map_node *, hash_node, is_copy_of);

void renumbered_free(struct renumbered *done)
{
	for (size_t i = 0; i < done->nodes.len; i++)
		map_node_release(done->nodes.at[i].copy, done->nodes.at[i].height);
	renumbered_vec_free(&done->nodes);
	map_free(&done->by_node);
	done->by_node = (struct map){0};
}

/* Remembers the copy of a node, and owns it then.  False when out of memory. */
static bool remember(struct renumbered *done, const struct map_node *node, struct map_node *copy, unsigned height)
{
	if (!map_reserve(&done->by_node, 1) ||
	    !renumbered_vec_push(&done->nodes, (struct renumbered_node){node, copy, height}))
		return false;
	copies_put(&done->by_node, node, (uint32_t)(done->nodes.len - 1));
	return true;
}

static struct map_node *renumbered_node(const struct map_node *node, unsigned height, struct renumbered *done);

/* A copy of a node whose children are the copies of its children. */
static struct map_node *renumber_children(const struct map_node *node, unsigned height, struct renumbered *done)
{
	struct map_node *copy = map_node_new(height, node->len);

	for (size_t i = 0; copy && i < node->len; i++) {
		struct map_child child = {map_children(node)[i].start,
				      renumbered_node(map_children(node)[i].node, height - 1, done)};
		if (!child.node) {
			map_node_release(copy, height);
			return NULL;
		}
		map_node_replace(copy, height, i, i, &child, 1);
	}
	return copy;
}

static struct map_node *renumber_leaf(const struct map_node *leaf, const uint32_t *numbers)
{
	struct map_node *copy = map_node_copy(leaf, 0, 0, leaf->len, leaf->len);

	for (size_t i = 0; copy && i < copy->len; i++)
		copy->at[i].file = numbers[copy->at[i].file];
	return copy;
}

/* The copy of a node, with one owner more; NULL when out of memory. */
static struct map_node *renumbered_node(const struct map_node *node, unsigned height, struct renumbered *done)
{
	struct map_node *copy;
	uint32_t number;

	if (copies_find(&done->by_node, done, node, &number)) {
		copy = done->nodes.at[number].copy;
	} else {
		copy = height ? renumber_children(node, height, done) : renumber_leaf(node, done->numbers);
		if (!copy)
			return NULL;
		if (!remember(done, node, copy, height)) {
			map_node_release(copy, height);
			return NULL;
		}
	}
	copy->owners++;
	return copy;
}

bool map_set_renumber(const struct map_set *set, struct renumbered *done, struct map_set **out)
{
	struct map_set *copy = set ? malloc(sizeof(*copy)) : NULL;

	if (set && !copy)
		return false;
	if (set) {
		*copy = *set;
		copy->owners = 1;
		copy->root = set->root ? renumbered_node(set->root, set->height, done) : NULL;
		if (set->root && !copy->root) {
			free(copy);
			return false;
		}
	}
	*out = copy;
	return true;
}
