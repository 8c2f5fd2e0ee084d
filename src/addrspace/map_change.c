/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changes of a map_set.
 *
 * No node stays empty, but none has to be half full either: one at the right edge, where
 * mappings come one behind the other, begins with one row.  Instead, two neighbours below
 * the same parent are made one when together they fill at most half a node.  So, with M rows in
 * a full inner node, two neighbours have more than M / 2 children, which are at least M / 4 pairs
 * of neighbours: each level has M / 4 times as many pairs as the one above.  That bounds
 * the height and the memory, whatever is cut.
 */
#include <assert.h>
#include <stdlib.h>

#include "src/addrspace/map_node.h"

#define FIRST_LEAF_ROWS 7 /* doubled, and one more: what malloc adds makes each a power of two */

/* Cut [start, end), insert *insert unless it is NULL. */
struct change {
	uint64_t start, end;
	const struct mapping *insert;
};

/* What a change does to a leaf: rows [from, to), which overlap the range, make place for
 * the new one and for what is left over of them. */
struct leaf_change {
	size_t from, to, count;
	struct mapping rows[3];
};

static struct leaf_change plan(const struct map_node *leaf, const struct change *c)
{
	struct leaf_change p;

	p.from = map_leaf_above(leaf, c->start);
	p.count = 0;
	for (p.to = p.from; p.to < leaf->len && leaf->at[p.to].start < c->end;)
		p.to++;
	if (p.from < p.to && leaf->at[p.from].start < c->start) {
		p.rows[p.count] = leaf->at[p.from];
		p.rows[p.count++].end = c->start;
	}
	if (c->insert)
		p.rows[p.count++] = *c->insert;
	if (p.from < p.to && leaf->at[p.to - 1].end > c->end) {
		struct mapping rest = leaf->at[p.to - 1];
		rest.offset += rest.file ? c->end - rest.start : 0;
		rest.start = c->end;
		p.rows[p.count++] = rest;
	}
	return p;
}

static size_t len_after(const struct map_node *leaf, const struct leaf_change *p)
{
	return leaf->len - (p->to - p->from) + p->count;
}

static bool change_leaf(struct map_node **slot, const struct change *c)
{
	struct leaf_change p = plan(*slot, c);

	if (p.from == p.to && !p.count)
		return true;
	if (!map_node_own(slot, 0, len_after(*slot, &p)))
		return false;
	map_node_replace(*slot, 0, p.from, p.to, p.rows, p.count);
	return true;
}

/* Can a change make a node longer than it may be?  Each adds at most one child, or two mappings. */
static bool is_full(const struct map_node *node, unsigned height, const struct change *c)
{
	/* NOLINTBEGIN(clang-analyzer-core.NullDereference): as in map_node_replace() */
	if (!c->insert && node->len && c->start <= map_row_start(map_row(node, height, 0)))
		return false; /* nothing of it is before the cut: no row is added, and there may be no room
				 for a split, as cut_behind() makes none on its way */
	if (height)
		return node->len == INNER_MOST;
	if (node->len + 2 <= LEAF_MOST)
		return false;
	/* NOLINTEND(clang-analyzer-core.NullDereference) */
	struct leaf_change p = plan(node, c);

	return len_after(node, &p) > LEAF_MOST;
}

/* Where to split a full node: in the middle, but what grows at the right edge leaves full
 * nodes behind.  The new leaf is empty then, until the change is made, for which it has room. */
static size_t split_at(const struct map_node *node, unsigned height, bool last, const struct change *c)
{
	if (last && !height && c->insert && map_leaf_above(node, c->start) == node->len)
		return node->len;
	if (last && height && map_row_upto(node, height, c->start) + 1 == node->len)
		return node->len - (size_t)1;
	return node->len / 2;
}

/* The upper part of a child becomes the next one. */
static bool split_child(struct map_node **slot, unsigned height, size_t index, const struct change *c)
{
	if (!map_node_own(slot, height, (*slot)->len + (size_t)1))
		return false;
	struct map_child *child = &map_children(*slot)[index];
	struct map_node *old = child->node, *lower, *upper;
	bool last = index + 1 == (*slot)->len;
	size_t at = split_at(old, height - 1, last, c), rest = old->len - at;

	upper = map_node_copy(old, height - 1, at, old->len, rest ? rest : FIRST_LEAF_ROWS);
	if (!upper)
		return false;
	lower = rest ? map_node_copy(old, height - 1, 0, at, at) : old;
	if (!lower) {
		map_node_release(upper, height - 1);
		return false;
	}
	(*slot)->count -= upper->count;
	child->node = lower;
	if (rest)
		map_node_release(old, height - 1);
	map_node_replace(*slot, height, index + 1, index + 1,
		     &(struct map_child){rest ? map_row_start(map_row(upper, height - 1, 0)) : c->start, upper}, 1);
	return true;
}

/* Make one of child `index` and the next if that fills at most half a node.  Where they meet
 * there may be two such children again.  Out of memory they stay two. */
static void join(struct map_node *node, unsigned height, size_t index)
{
	if (index + 1 >= node->len)
		return;
	struct map_child *child = &map_children(node)[index];
	struct map_node *upper = child[1].node;
	size_t seam = child->node->len, len = seam + upper->len;

	if (len > map_rows_most(height - 1) / 2 || !map_node_own(&child->node, height - 1, len))
		return;
	map_node_share_children(upper, height - 1);
	map_node_replace(child->node, height - 1, seam, seam, upper->at, upper->len);
	node->count += upper->count;
	map_node_replace(node, height, index + 1, index + 2, NULL, 0);
	if (height > 1)
		join(child->node, height - 1, seam - 1);
}

static bool change_node(struct map_node **slot, unsigned height, const struct change *c);

/* A child that becomes empty goes. */
static bool change_child(struct map_node *node, unsigned height, size_t index, const struct change *c)
{
	struct map_child *child = &map_children(node)[index];
	size_t before = child->node->count;
	bool done = change_node(&child->node, height - 1, c);

	node->count += child->node->count - before;
	if (child->node->len)
		child->start = map_row_start(map_row(child->node, height - 1, 0));
	else
		map_node_replace(node, height, index, index + 1, NULL, 0);
	return done;
}

/* All but the first of the children that a change reaches into: those between the first
 * and the last are within it. */
static bool cut_behind(struct map_node *node, unsigned height, size_t first, const struct change *c)
{
	if (first + 1 >= node->len || map_children(node)[first + 1].start >= c->end)
		return true;
	struct change cut = {c->start, c->end, NULL};
	size_t last = map_row_upto(node, height, c->end - 1);

	if (!change_child(node, height, last, &cut))
		return false;
	map_node_replace(node, height, first + 1, last, NULL, 0);
	return true;
}

/* On the way down a full child is split before it is changed, so that there is always room
 * for one more above it.  Callers see to it for the root. */
static bool change_node(struct map_node **slot, unsigned height, const struct change *c)
{
	if (!height)
		return change_leaf(slot, c);
	if (!map_node_own(slot, height, (*slot)->len))
		return false;
	size_t before = (*slot)->count, first = map_row_to_change(*slot, height, c->start);

	if (is_full(map_children(*slot)[first].node, height - 1, c)) {
		if (!split_child(slot, height, first, c))
			return false;
		first = map_row_to_change(*slot, height, c->start);
	}
	if (!cut_behind(*slot, height, first, c) || !change_child(*slot, height, first, c))
		return false;
	/* When it has more than before, no child has less. */
	for (size_t i = first + 2; (*slot)->count <= before && i-- > (first ? first - 1 : 0);)
		join(*slot, height, i);
	return true;
}

/* Make *set our own but for its nodes, with a root. */
static bool own_set(struct map_set **set)
{
	struct map_set *old = *set, *own = old;

	if (!old || old->owners > 1) {
		own = malloc(sizeof(*own));
		if (!own)
			return false;
		*own = old ? *old : (struct map_set){.file_start = UINT64_MAX};
		own->owners = 1;
		if (own->root)
			own->root->owners++;
		map_set_release(old);
		*set = own;
	}
	if (!own->root)
		own->root = map_node_new(0, FIRST_LEAF_ROWS);
	return own->root;
}

/* A full root becomes the only child of a new one, which splits it. */
static bool raise_root(struct map_set *set, const struct change *c)
{
	if (!is_full(set->root, set->height, c))
		return true;
	struct map_node *root = map_node_new(set->height + 1, 2);
	if (!root)
		return false;
	struct map_child child = {map_row_start(map_row(set->root, set->height, 0)), set->root};

	set->height++;
	set->root = root;
	map_node_replace(root, set->height, 0, 0, &child, 1);
	return true;
}

/* A root with one child makes place for it, an empty one goes. */
static void lower_root(struct map_set *set)
{
	while (set->root->len == 1 && set->height) {
		struct map_node *root = set->root, *child = map_children(root)[0].node;
		child->owners++;
		map_node_release(root, set->height--);
		set->root = child;
	}
	if (!set->root->len) {
		map_node_release(set->root, set->height);
		set->root = NULL;
		set->height = 0;
	}
}

static void note_file(struct map_set *set, const struct mapping *mapping)
{
	if (mapping->start < set->file_start)
		set->file_start = mapping->start;
	if (mapping->end > set->file_end)
		set->file_end = mapping->end;
}

bool map_set_replace(struct map_set **set, uint64_t start, uint64_t end,
		     const struct mapping *insert)
{
	struct mapping new = insert ? *insert : (struct mapping){0}; /* it may be one of the set */
	struct change c = {start, end, insert ? &new : NULL};
	const struct mapping *old = insert ? NULL : map_set_above(*set, start);

	assert(start < end);
	assert(!insert || (start <= insert->start && insert->start < insert->end && insert->end <= end));
	if (!insert && (!old || old->start >= end))
		return true;
	if (!own_set(set))
		return false;
	if (new.file) /* too wide a range does no harm */
		note_file(*set, &new);
	bool done = raise_root(*set, &c) && change_node(&(*set)->root, (*set)->height, &c);
	lower_root(*set);
	return done;
}
