/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/map_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef LEAF_MOST /* a test has short nodes, for high trees */
#define LEAF_MOST                                                                                  \
	63 /* mappings of a leaf; odd: of one less, too, a half and one are more than half */
#define INNER_MOST 64 /* children of an inner node */
#endif

/*
 * The nodes of a map_set: a B-tree whose nodes count their owners, which are parents and sets.  A
 * node that has one owner, as all nodes above it have, is changed in place.  Any other is copied
 * first, from the root down; what the copy points to has one owner more then.
 */
struct map_node {
	uint32_t owners;
	uint16_t len, cap; /* in rows: of a leaf (height 0) in `at`, else of map_children() */
	size_t count;      /* of mappings, in all of it */
	struct mapping at[];
};

struct map_child {
	uint64_t start; /* of its first mapping: one that is not on the way is not looked at */
	struct map_node *node;
};

struct map_set {
	uint32_t owners;
	uint32_t height;       /* of `root`; 0: a leaf */
	struct map_node *root; /* NULL: no mappings */
	uint64_t file_start, file_end;
};

static inline size_t map_row_size(unsigned height)
{
	return height ? sizeof(struct map_child) : sizeof(struct mapping);
}

static inline size_t map_rows_most(unsigned height)
{
	return height ? INNER_MOST : LEAF_MOST;
}

static inline struct map_child *map_children(const struct map_node *inner)
{
	return (struct map_child *)(void *)inner->at;
}

static inline unsigned char *map_row(const struct map_node *node, unsigned height, size_t index)
{
	return (unsigned char *)node->at + index * map_row_size(height);
}

/* Rows of both kinds begin with it. */
static inline uint64_t map_row_start(const unsigned char *row)
{
	return *(const uint64_t *)(const void *)row;
}

/* Index of the last row that starts at `at` or below, else 0; of a node with rows.  Quarters,
 * as three rows that are looked at together take little longer than one, and conditions
 * that become no branches, as which way to go is anyone's guess. */
static inline size_t map_row_upto(const struct map_node *node, unsigned height, uint64_t at)
{
	const unsigned char *rows = map_row(node, height, 0), *low = rows;
	size_t size = map_row_size(height), len = node->len;

	while (len > 3) {
		size_t quarter = len / 4 * size;
		const unsigned char *a = low + quarter, *b = a + quarter, *c = b + quarter;
		low = map_row_start(a) <= at ? a : low;
		low = map_row_start(b) <= at ? b : low;
		low = map_row_start(c) <= at ? c : low;
		len -= len / 4 * 3;
	}
	if (len > 1) { /* it is this, the next or, of three, the last */
		size_t next = map_row_start(low + size) <= at,
		       last = map_row_start(low + (len - 1) * size) <= at;
		low += (next + (last & (len > 2))) * size;
	}
	return (size_t)(low - rows) / size;
}

/* The same for changes, most of which are at the right edge. */
static inline size_t map_row_to_change(const struct map_node *node, unsigned height, uint64_t at)
{
	size_t last = node->len - (size_t)1;

	return map_row_start(map_row(node, height, last)) <= at ? last :
								  map_row_upto(node, height, at);
}

/* Index of the first mapping of a leaf that ends above `at`. */
static inline size_t map_leaf_above(const struct map_node *leaf, uint64_t at)
{
	if (!leaf->len)
		return 0;
	size_t i = map_row_to_change(leaf, 0, at);

	return i + (leaf->at[i].end <= at);
}

/* One owner more for each child. */
static void map_node_share_children(const struct map_node *node, unsigned height)
{
	for (size_t i = 0; height && i < node->len; i++)
		map_children(node)[i].node->owners++;
}

/* One owner less. */
static void map_node_release(struct map_node *node, unsigned height)
{
	if (--node->owners)
		return;
	for (size_t i = 0; height && i < node->len; i++)
		map_node_release(map_children(node)[i].node, height - 1);
	free(node);
}

static struct map_node *map_node_new(unsigned height, size_t cap)
{
	struct map_node *node = malloc(sizeof(*node) + cap * map_row_size(height));

	if (node)
		*node = (struct map_node){.owners = 1, .cap = (uint16_t)cap};
	return node;
}

/* Puts `rows` instead of rows [from, to) of a node that has one owner and enough capacity.  The
 * node owns them from then on. */
static void map_node_replace(struct map_node *node, unsigned height, size_t from, size_t to,
			     const void *rows, size_t count)
{
	for (size_t i = from; height && i < to; i++) {
		node->count -= map_children(node)[i].node->count;
		map_node_release(map_children(node)[i].node, height - 1);
	}
	if (to < node->len)
		memmove(map_row(node, height, from + count), map_row(node, height, to),
			(node->len - to) * map_row_size(height));
	if (count)
		memcpy(map_row(node, height, from), rows, count * map_row_size(height));
	node->len = (uint16_t)(node->len - (to - from) + count);
	for (size_t i = from; height && i < from + count; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it does not follow what memcpy wrote */
		node->count += map_children(node)[i].node->count;
	if (!height)
		node->count = node->len;
}

/* A copy of rows [from, to), or NULL when out of memory. */
static struct map_node *map_node_copy(const struct map_node *node, unsigned height, size_t from,
				      size_t to, size_t cap)
{
	struct map_node *copy = map_node_new(height, cap);

	if (!copy)
		return NULL;
	map_node_replace(copy, height, 0, 0, map_row(node, height, from), to - from);
	map_node_share_children(copy, height);
	return copy;
}

/* Makes *slot a node with one owner, with capacity for `len` rows and for those it has.  Copies are
 * as short as they can be: often they are shared again before they grow.  Returns false when out
 * of memory. */
static bool map_node_own(struct map_node **slot, unsigned height, size_t len)
{
	struct map_node *old = *slot;
	size_t cap = len > old->len ? len : old->len;

	if (old->owners == 1 && len <= old->cap)
		return true;
	if (old->owners == 1 && cap <= 2 * (size_t)old->cap)
		cap = 2 * (size_t)old->cap + 1;
	if (cap > map_rows_most(height))
		cap = map_rows_most(height);
	struct map_node *own = map_node_copy(old, height, 0, old->len, cap);
	if (!own)
		return false;
	map_node_release(old, height);
	*slot = own;
	return true;
}

/*
 * Changes of a map_set.
 *
 * No node stays empty, but none has to be half full either: one at the right edge, where
 * mappings come one after the other, begins with one row.  Instead, two neighbors below
 * the same parent are made one when together they fill at most half a node.  So, with M rows in
 * a full inner node, two neighbors have more than M / 2 children, which are at least M / 4 pairs
 * of neighbors: each level has M / 4 times as many pairs as the one above.  That bounds
 * the height and the memory, whatever is cut.
 */
#define FIRST_LEAF_ROWS 7 /* doubled, and one more: what malloc adds makes each a power of two */

/* Cut [start, end), insert *insert unless it is NULL. */
struct tree_change {
	uint64_t start, end;
	const struct mapping *insert;
};

/* What a change does to a leaf: rows [from, to), which overlap the range, make room for
 * the new one and for what is left over of them. */
struct leaf_change {
	size_t from, to, count;
	struct mapping rows[3];
};

static struct leaf_change plan(const struct map_node *leaf, const struct tree_change *c)
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

static bool change_leaf(struct map_node **slot, const struct tree_change *c)
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
static bool is_full(const struct map_node *node, unsigned height, const struct tree_change *c)
{
	/* NOLINTBEGIN(clang-analyzer-core.NullDereference): as in map_node_replace() */
	if (!c->insert && node->len && c->start <= map_row_start(map_row(node, height, 0)))
		return false; /* nothing of it is before the cut: no row is added, and there may be
				 no room for a split, as cut_behind() makes none on its way */
	if (height)
		return node->len == INNER_MOST;
	if (node->len + 2 <= LEAF_MOST)
		return false;
	/* NOLINTEND(clang-analyzer-core.NullDereference) */
	struct leaf_change p = plan(node, c);

	return len_after(node, &p) > LEAF_MOST;
}

/* Where to split a full node: in the middle, but what grows at the right edge leaves full
 * nodes after.  The new leaf is empty then, until the change is made, for which it has room. */
static size_t split_at(const struct map_node *node, unsigned height, bool last,
		       const struct tree_change *c)
{
	if (last && !height && c->insert && map_leaf_above(node, c->start) == node->len)
		return node->len;
	if (last && height && map_row_upto(node, height, c->start) + 1 == node->len)
		return node->len - (size_t)1;
	return node->len / 2;
}

/* The upper part of a child becomes the next one. */
static bool split_child(struct map_node **slot, unsigned height, size_t index,
			const struct tree_change *c)
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
	map_node_replace(
		*slot, height, index + 1, index + 1,
		&(struct map_child){rest ? map_row_start(map_row(upper, height - 1, 0)) : c->start,
				    upper},
		1);
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

static bool change_node(struct map_node **slot, unsigned height, const struct tree_change *c);

/* A child that becomes empty goes. */
static bool change_child(struct map_node *node, unsigned height, size_t index,
			 const struct tree_change *c)
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
static bool cut_behind(struct map_node *node, unsigned height, size_t first,
		       const struct tree_change *c)
{
	if (first + 1 >= node->len || map_children(node)[first + 1].start >= c->end)
		return true;
	struct tree_change cut = {c->start, c->end, NULL};
	size_t last = map_row_upto(node, height, c->end - 1);

	if (!change_child(node, height, last, &cut))
		return false;
	map_node_replace(node, height, first + 1, last, NULL, 0);
	return true;
}

/* On the way down a full child is split before it is changed, so that there is always room
 * for one more above it.  Callers see to it for the root. */
static bool change_node(struct map_node **slot, unsigned height, const struct tree_change *c)
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

/* Make *set our own except for its nodes, with a root. */
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
static bool raise_root(struct map_set *set, const struct tree_change *c)
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

/* A root with one child makes room for it, an empty one goes. */
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
	struct tree_change c = {start, end, insert ? &new : NULL};
	const struct mapping *old = insert ? NULL : map_set_above(*set, start);

	assert(start < end);
	assert(!insert ||
	       (start <= insert->start && insert->start < insert->end && insert->end <= end));
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

/* Copies of map_sets with other numbers for their files. */
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
static bool remember(struct renumbered *done, const struct map_node *node, struct map_node *copy,
		     unsigned height)
{
	if (!map_reserve(&done->by_node, 1) ||
	    !renumbered_vec_push(&done->nodes, (struct renumbered_node){node, copy, height}))
		return false;
	copies_put(&done->by_node, node, (uint32_t)(done->nodes.len - 1));
	return true;
}

static struct map_node *renumbered_node(const struct map_node *node, unsigned height,
					struct renumbered *done);

/* A copy of a node whose children are the copies of its children. */
static struct map_node *renumber_children(const struct map_node *node, unsigned height,
					  struct renumbered *done)
{
	struct map_node *copy = map_node_new(height, node->len);

	for (size_t i = 0; copy && i < node->len; i++) {
		struct map_child child = {
			map_children(node)[i].start,
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
static struct map_node *renumbered_node(const struct map_node *node, unsigned height,
					struct renumbered *done)
{
	struct map_node *copy;
	uint32_t number;

	if (copies_find(&done->by_node, done, node, &number)) {
		copy = done->nodes.at[number].copy;
	} else {
		copy = height ? renumber_children(node, height, done) :
				renumber_leaf(node, done->numbers);
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

struct map_set *map_set_share(struct map_set *set)
{
	if (set)
		set->owners++;
	return set;
}

void map_set_release(struct map_set *set)
{
	if (!set || --set->owners)
		return;
	if (set->root)
		map_node_release(set->root, set->height);
	free(set);
}

const struct mapping *map_set_find(const struct map_set *set, uint64_t at)
{
	if (!set || !set->root)
		return NULL;
	const struct map_node *node = set->root;

	for (unsigned height = set->height; height; height--)
		node = map_children(node)[map_row_upto(node, 1, at)].node;
	const struct mapping *m = &node->at[map_row_upto(node, 0, at)];

	return at - m->start < m->end - m->start ? m : NULL;
}

/* Mappings that follow each other in a leaf. */
struct leaf_part {
	const struct mapping *at;
	size_t len;
};

/* From the first mapping on that ends above `at`; none: len is 0. */
static struct leaf_part part_above(const struct map_set *set, uint64_t at)
{
	const struct map_node *node = set ? set->root : NULL, *next = NULL;
	unsigned next_height = 0;

	if (!node)
		return (struct leaf_part){NULL, 0};
	for (unsigned height = set->height; height; height--) {
		size_t i = map_row_upto(node, 1, at);
		if (i + 1 < node->len) {
			next = map_children(node)[i + 1].node;
			next_height = height - 1;
		}
		node = map_children(node)[i].node;
	}
	size_t i = map_leaf_above(node, at);
	if (i == node->len && next) {
		for (node = next, i = 0; next_height; next_height--)
			node = map_children(node)[0].node;
	}
	return (struct leaf_part){&node->at[i], node->len - i};
}

const struct mapping *map_set_above(const struct map_set *set, uint64_t at)
{
	struct leaf_part part = part_above(set, at);

	return part.len ? part.at : NULL;
}

size_t map_set_count(const struct map_set *set)
{
	return set && set->root ? set->root->count : 0;
}

/* What others own, too, is not looked into. */
static size_t node_memory(const struct map_node *node, unsigned height)
{
	size_t size = sizeof(*node) + node->cap * map_row_size(height);

	if (node->owners > 1)
		return (height ? node->count * sizeof(struct mapping) : size) / node->owners;
	for (size_t i = 0; height && i < node->len; i++)
		size += node_memory(map_children(node)[i].node, height - 1);
	return size;
}

size_t map_set_memory(const struct map_set *set)
{
	size_t size = set ? sizeof(*set) : 0;

	if (set && set->root)
		size += node_memory(set->root, set->height);
	return set ? size / set->owners : 0;
}

/* The leaf that a change at an address comes to, and what it copies on its way: nodes that others
 * own, too, and all below them. */
static const struct map_node *way_to(const struct map_set *set, uint64_t at, size_t *copied)
{
	const struct map_node *node = set->root;
	bool shared = set->owners > 1;

	*copied = 0;
	for (unsigned height = set->height;; height--) {
		shared |= node->owners > 1;
		*copied += shared ? sizeof(*node) + node->len * map_row_size(height) : 0;
		if (!height)
			return node;
		node = map_children(node)[map_row_upto(node, 1, at)].node;
	}
}

size_t map_set_copied(const struct map_set *set, uint64_t start, uint64_t end)
{
	size_t first, last;

	if (!set || !set->root)
		return 0;
	return way_to(set, start, &first) == way_to(set, end - 1, &last) ? first : first + last;
}

void map_set_list(const struct map_set *set, struct mapping *out)
{
	struct leaf_part part = part_above(set, 0);

	while (part.len) {
		memcpy(out, part.at, part.len * sizeof(*out));
		out += part.len;
		part = part_above(set, out[-1].end);
	}
}

static bool gather(const struct map_node *node, unsigned height, const uint8_t *wanted,
		   struct number_set *without, struct mapping_vec *out)
{
	size_t before = out->len;

	if (number_set_has(without, (uintptr_t)node))
		return true;
	for (size_t i = 0; i < node->len; i++) {
		bool ok = height ? gather(map_children(node)[i].node, height - 1, wanted, without,
					  out) :
				   !wanted[node->at[i].file] || mapping_vec_push(out, node->at[i]);
		if (!ok)
			return false;
	}
	return out->len > before || number_set_add(without, (uintptr_t)node);
}

bool map_set_gather(const struct map_set *set, const uint8_t *wanted, struct number_set *without,
		    struct mapping_vec *out)
{
	return !set || !set->root || gather(set->root, set->height, wanted, without, out);
}

void map_set_range(const struct map_set *set, uint64_t *start, uint64_t *end)
{
	bool any = set && set->file_end;

	*start = any ? set->file_start : 0;
	*end = any ? set->file_end : 0;
}

static bool same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->file == b->file && a->flags == b->flags;
}

/* The next mapping of a walk.  A leaf is looked for once, not for each of its mappings. */
static void step(const struct map_set *set, struct leaf_part *part)
{
	uint64_t end = part->at->end;

	part->at++;
	if (!--part->len)
		*part = part_above(set, end);
}

bool map_set_update(struct map_set **set, const struct mapping *sorted, size_t count)
{
	struct leaf_part old = part_above(*set, 0);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct mapping *new = &sorted[i];
		if (old.len && old.at->start < new->start) {
			if (!map_set_replace(set, end, new->start, NULL))
				return false;
			old = part_above(*set, new->start);
		}
		end = new->end;
		if (old.len && same(old.at, new)) {
			step(*set, &old);
			continue;
		}
		if (!map_set_replace(set, new->start, end, new))
			return false;
		old = part_above(*set, end);
	}
	return !old.len || map_set_replace(set, end, UINT64_MAX, NULL);
}

void maps_free(struct maps *maps)
{
	free(maps->at);
	free(maps->starts);
	*maps = (struct maps){0};
}

bool maps_of(const struct map_set *set, struct maps *out)
{
	struct maps maps = {.len = map_set_count(set)};

	maps.at = malloc((maps.len + 1) * sizeof(*maps.at));
	maps.starts = malloc((maps.len + 1) * sizeof(*maps.starts));
	if (!maps.at || !maps.starts) {
		maps_free(&maps);
		return false;
	}
	map_set_list(set, maps.at);
	for (size_t i = 0; i < maps.len; i++)
		maps.starts[i] = maps.at[i].start;
	*out = maps;
	return true;
}

/* How many mappings start at or below an address.  The step is a conditional
 * move, not a branch: random addresses would mispredict every second one. */
static size_t count_up_to(const uint64_t *starts, size_t len, uint64_t at)
{
	const uint64_t *base = starts;

	if (!len)
		return 0;
	while (len > 1) {
		size_t half = len / 2;
		base += base[half] <= at ? half : 0;
		len -= half;
	}
	return (size_t)(base - starts) + (*base <= at);
}

static bool holds(const struct mapping *mapping, uint64_t at)
{
	return at - mapping->start < mapping->end - mapping->start;
}

const struct mapping *maps_find(const struct maps *maps, struct run_addr at)
{
	size_t count = count_up_to(maps->starts, maps->len, at.v);

	return count && holds(&maps->at[count - 1], at.v) ? &maps->at[count - 1] : NULL;
}

void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count, uint32_t *out)
{
	const struct mapping *last = NULL;

	for (size_t i = 0; i < count; i++) {
		/* Here, in the next one (sorted batches), or anywhere. */
		if (last && !holds(last, at[i].v)) {
			last = last + 1 < maps->at + maps->len ? last + 1 : NULL;
			if (last && !holds(last, at[i].v))
				last = NULL;
		}
		if (!last)
			last = maps_find(maps, at[i]);
		out[i] = last ? (uint32_t)(last - maps->at) : MAPS_NOWHERE;
	}
}

/* What others own, too, is looked through once. */
static bool mark_node(const struct map_node *node, unsigned height, uint8_t *marks,
		      struct number_set *seen, uint64_t *looked)
{
	bool ok = true;

	if (node->owners > 1) {
		uint64_t number = (uint64_t)(uintptr_t)node;
		if (number_set_has(seen, number))
			return true;
		ok = number_set_add(seen, number);
	}
	*looked += node->len;
	for (size_t i = 0; ok && i < node->len; i++) {
		if (height)
			ok = mark_node(map_children(node)[i].node, height - 1, marks, seen, looked);
		else if (node->at[i].file)
			marks[node->at[i].file] = 1;
	}
	return ok;
}

bool map_set_mark(const struct map_set *set, uint8_t *marks, struct number_set *seen,
		  uint64_t *looked)
{
	uint64_t number = (uint64_t)(uintptr_t)set;

	if (!set || !set->root || (set->owners > 1 && number_set_has(seen, number)))
		return true;
	return (set->owners == 1 || number_set_add(seen, number)) &&
	       mark_node(set->root, set->height, marks, seen, looked);
}
