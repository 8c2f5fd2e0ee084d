/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A B-tree whose nodes count their owners: parents, and sets.  A node that has one, as all
 * nodes above it have, is changed in place.  Any other is copied first, from the root down;
 * what the copy points to has one owner more then.
 *
 * No node stays empty, but none has to be half full either: one at the right edge, where
 * mappings come one behind the other, begins with one row.  Instead, two neighbours below
 * the same parent are made one when together they fill at most half a node.  So, with M rows in
 * a full inner node, two neighbours have more than M / 2 children, which are at least M / 4 pairs
 * of neighbours: each level has M / 4 times as many pairs as the one above.  That bounds
 * the height and the memory, whatever is cut.
 */
#include "src/addrspace/map_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef LEAF_MOST /* a test has short nodes, for high trees */
#define LEAF_MOST 63  /* mappings of a leaf; odd: of one less, too, a half and one are more than half */
#define INNER_MOST 64 /* children of an inner node */
#endif
#define FIRST_CAPACITY 7 /* doubled, and one more: what malloc adds makes each a power of two */

struct node {
	uint32_t owners;
	uint16_t len, cap; /* in rows: of a leaf (height 0) in `at`, else of children() */
	size_t count;      /* of mappings, in all of it */
	struct mapping at[];
};

struct child {
	uint64_t start; /* of its first mapping: one that is not on the way is not looked at */
	struct node *node;
};

struct map_set {
	uint32_t owners;
	uint32_t height; /* of `root`; 0: a leaf */
	struct node *root; /* NULL: no mappings */
	uint64_t file_start, file_end;
};

/* Cut [start, end), insert *insert unless it is NULL. */
struct change {
	uint64_t start, end;
	const struct mapping *insert;
};

static size_t row_size(unsigned height)
{
	return height ? sizeof(struct child) : sizeof(struct mapping);
}

static size_t most_rows(unsigned height)
{
	return height ? INNER_MOST : LEAF_MOST;
}

static struct child *children(const struct node *inner)
{
	return (struct child *)(void *)inner->at;
}

static unsigned char *row(const struct node *node, unsigned height, size_t index)
{
	return (unsigned char *)node->at + index * row_size(height);
}

/* Rows of both kinds begin with it. */
static uint64_t row_start(const unsigned char *row)
{
	return *(const uint64_t *)(const void *)row;
}

/* Index of the last row that starts at `at` or below, else 0; of a node with rows.  Quarters,
 * as three rows that are looked at together take little longer than one, and conditions
 * that become no branches, as which way to go is anyone's guess. */
static inline size_t row_upto(const struct node *node, unsigned height, uint64_t at)
{
	const unsigned char *rows = row(node, height, 0), *low = rows;
	size_t size = row_size(height), len = node->len;

	while (len > 3) {
		size_t quarter = len / 4 * size;
		const unsigned char *a = low + quarter, *b = a + quarter, *c = b + quarter;
		low = row_start(a) <= at ? a : low;
		low = row_start(b) <= at ? b : low;
		low = row_start(c) <= at ? c : low;
		len -= len / 4 * 3;
	}
	if (len > 1) { /* it is this, the next or, of three, the last */
		size_t next = row_start(low + size) <= at, last = row_start(low + (len - 1) * size) <= at;
		low += (next + (last & (len > 2))) * size;
	}
	return (size_t)(low - rows) / size;
}

/* The same for changes, most of which are at the right edge. */
static size_t row_to_change(const struct node *node, unsigned height, uint64_t at)
{
	size_t last = node->len - (size_t)1;

	return row_start(row(node, height, last)) <= at ? last : row_upto(node, height, at);
}

/* Index of the first mapping of a leaf that ends above `at`. */
static size_t first_above(const struct node *leaf, uint64_t at)
{
	if (!leaf->len)
		return 0;
	size_t i = row_to_change(leaf, 0, at);

	return i + (leaf->at[i].end <= at);
}

static void share_children(const struct node *node, unsigned height)
{
	for (size_t i = 0; height && i < node->len; i++)
		children(node)[i].node->owners++;
}

static void release_node(struct node *node, unsigned height)
{
	if (--node->owners)
		return;
	for (size_t i = 0; height && i < node->len; i++)
		release_node(children(node)[i].node, height - 1);
	free(node);
}

static struct node *new_node(unsigned height, size_t cap)
{
	struct node *node = malloc(sizeof(*node) + cap * row_size(height));

	if (node)
		*node = (struct node){.owners = 1, .cap = (uint16_t)cap};
	return node;
}

/* In place of rows [from, to) of a node of our own, with room, put others, which
 * it owns from now on. */
static void replace_rows(struct node *node, unsigned height, size_t from, size_t to,
			 const void *rows, size_t count)
{
	for (size_t i = from; height && i < to; i++) {
		node->count -= children(node)[i].node->count;
		release_node(children(node)[i].node, height - 1);
	}
	if (to < node->len)
		memmove(row(node, height, from + count), row(node, height, to),
			(node->len - to) * row_size(height));
	if (count)
		memcpy(row(node, height, from), rows, count * row_size(height));
	node->len = (uint16_t)(node->len - (to - from) + count);
	for (size_t i = from; height && i < from + count; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it does not follow what memcpy wrote */
		node->count += children(node)[i].node->count;
	if (!height)
		node->count = node->len;
}

/* A copy of rows [from, to). */
static struct node *copy_rows(const struct node *node, unsigned height, size_t from, size_t to, size_t cap)
{
	struct node *copy = new_node(height, cap);

	if (!copy)
		return NULL;
	replace_rows(copy, height, 0, 0, row(node, height, from), to - from);
	share_children(copy, height);
	return copy;
}

/* Make *slot our own, with room for `len` rows and for those it has.  Copies are as short
 * as they can be: often they are shared again before they grow. */
static bool make_own(struct node **slot, unsigned height, size_t len)
{
	struct node *old = *slot;
	size_t cap = len > old->len ? len : old->len;

	if (old->owners == 1 && len <= old->cap)
		return true;
	if (old->owners == 1 && cap <= 2 * (size_t)old->cap)
		cap = 2 * (size_t)old->cap + 1;
	if (cap > most_rows(height))
		cap = most_rows(height);
	struct node *own = copy_rows(old, height, 0, old->len, cap);
	if (!own)
		return false;
	release_node(old, height);
	*slot = own;
	return true;
}

/* What a change does to a leaf: rows [from, to), which overlap the range, make place for
 * the new one and for what is left over of them. */
struct leaf_change {
	size_t from, to, count;
	struct mapping rows[3];
};

static struct leaf_change plan(const struct node *leaf, const struct change *c)
{
	struct leaf_change p;

	p.from = first_above(leaf, c->start);
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

static size_t len_after(const struct node *leaf, const struct leaf_change *p)
{
	return leaf->len - (p->to - p->from) + p->count;
}

static bool change_leaf(struct node **slot, const struct change *c)
{
	struct leaf_change p = plan(*slot, c);

	if (p.from == p.to && !p.count)
		return true;
	if (!make_own(slot, 0, len_after(*slot, &p)))
		return false;
	replace_rows(*slot, 0, p.from, p.to, p.rows, p.count);
	return true;
}

/* Can a change make a node longer than it may be?  Each adds at most one child, or two mappings. */
static bool is_full(const struct node *node, unsigned height, const struct change *c)
{
	/* NOLINTBEGIN(clang-analyzer-core.NullDereference): as in replace_rows() */
	if (!c->insert && node->len && c->start <= row_start(row(node, height, 0)))
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
static size_t split_at(const struct node *node, unsigned height, bool last, const struct change *c)
{
	if (last && !height && c->insert && first_above(node, c->start) == node->len)
		return node->len;
	if (last && height && row_upto(node, height, c->start) + 1 == node->len)
		return node->len - (size_t)1;
	return node->len / 2;
}

/* The upper part of a child becomes the next one. */
static bool split_child(struct node **slot, unsigned height, size_t index, const struct change *c)
{
	if (!make_own(slot, height, (*slot)->len + (size_t)1))
		return false;
	struct child *child = &children(*slot)[index];
	struct node *old = child->node, *lower, *upper;
	bool last = index + 1 == (*slot)->len;
	size_t at = split_at(old, height - 1, last, c), rest = old->len - at;

	upper = copy_rows(old, height - 1, at, old->len, rest ? rest : FIRST_CAPACITY);
	if (!upper)
		return false;
	lower = rest ? copy_rows(old, height - 1, 0, at, at) : old;
	if (!lower) {
		release_node(upper, height - 1);
		return false;
	}
	(*slot)->count -= upper->count;
	child->node = lower;
	if (rest)
		release_node(old, height - 1);
	replace_rows(*slot, height, index + 1, index + 1,
		     &(struct child){rest ? row_start(row(upper, height - 1, 0)) : c->start, upper}, 1);
	return true;
}

/* Make one of child `index` and the next if that fills at most half a node.  Where they meet
 * there may be two such children again.  Out of memory they stay two. */
static void join(struct node *node, unsigned height, size_t index)
{
	if (index + 1 >= node->len)
		return;
	struct child *child = &children(node)[index];
	struct node *upper = child[1].node;
	size_t seam = child->node->len, len = seam + upper->len;

	if (len > most_rows(height - 1) / 2 || !make_own(&child->node, height - 1, len))
		return;
	share_children(upper, height - 1);
	replace_rows(child->node, height - 1, seam, seam, upper->at, upper->len);
	node->count += upper->count;
	replace_rows(node, height, index + 1, index + 2, NULL, 0);
	if (height > 1)
		join(child->node, height - 1, seam - 1);
}

static bool change_node(struct node **slot, unsigned height, const struct change *c);

/* A child that becomes empty goes. */
static bool change_child(struct node *node, unsigned height, size_t index, const struct change *c)
{
	struct child *child = &children(node)[index];
	size_t before = child->node->count;
	bool done = change_node(&child->node, height - 1, c);

	node->count += child->node->count - before;
	if (child->node->len)
		child->start = row_start(row(child->node, height - 1, 0));
	else
		replace_rows(node, height, index, index + 1, NULL, 0);
	return done;
}

/* All but the first of the children that a change reaches into: those between the first
 * and the last are within it. */
static bool cut_behind(struct node *node, unsigned height, size_t first, const struct change *c)
{
	if (first + 1 >= node->len || children(node)[first + 1].start >= c->end)
		return true;
	struct change cut = {c->start, c->end, NULL};
	size_t last = row_upto(node, height, c->end - 1);

	if (!change_child(node, height, last, &cut))
		return false;
	replace_rows(node, height, first + 1, last, NULL, 0);
	return true;
}

/* On the way down a full child is split before it is changed, so that there is always room
 * for one more above it.  Callers see to it for the root. */
static bool change_node(struct node **slot, unsigned height, const struct change *c)
{
	if (!height)
		return change_leaf(slot, c);
	if (!make_own(slot, height, (*slot)->len))
		return false;
	size_t before = (*slot)->count, first = row_to_change(*slot, height, c->start);

	if (is_full(children(*slot)[first].node, height - 1, c)) {
		if (!split_child(slot, height, first, c))
			return false;
		first = row_to_change(*slot, height, c->start);
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
		own->root = new_node(0, FIRST_CAPACITY);
	return own->root;
}

/* A full root becomes the only child of a new one, which splits it. */
static bool raise_root(struct map_set *set, const struct change *c)
{
	if (!is_full(set->root, set->height, c))
		return true;
	struct node *root = new_node(set->height + 1, 2);
	if (!root)
		return false;
	struct child child = {row_start(row(set->root, set->height, 0)), set->root};

	set->height++;
	set->root = root;
	replace_rows(root, set->height, 0, 0, &child, 1);
	return true;
}

/* A root with one child makes place for it, an empty one goes. */
static void lower_root(struct map_set *set)
{
	while (set->root->len == 1 && set->height) {
		struct node *root = set->root, *child = children(root)[0].node;
		child->owners++;
		release_node(root, set->height--);
		set->root = child;
	}
	if (!set->root->len) {
		release_node(set->root, set->height);
		set->root = NULL;
		set->height = 0;
	}
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
		release_node(set->root, set->height);
	free(set);
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

const struct mapping *map_set_find(const struct map_set *set, uint64_t at)
{
	if (!set || !set->root)
		return NULL;
	const struct node *node = set->root;

	for (unsigned height = set->height; height; height--)
		node = children(node)[row_upto(node, 1, at)].node;
	const struct mapping *m = &node->at[row_upto(node, 0, at)];

	return at - m->start < m->end - m->start ? m : NULL;
}

/* Mappings that follow each other in a leaf. */
struct run {
	const struct mapping *at;
	size_t len;
};

/* From the first mapping on that ends above `at`; none: len is 0. */
static struct run run_above(const struct map_set *set, uint64_t at)
{
	const struct node *node = set ? set->root : NULL, *next = NULL;
	unsigned next_height = 0;

	if (!node)
		return (struct run){NULL, 0};
	for (unsigned height = set->height; height; height--) {
		size_t i = row_upto(node, 1, at);
		if (i + 1 < node->len) {
			next = children(node)[i + 1].node;
			next_height = height - 1;
		}
		node = children(node)[i].node;
	}
	size_t i = first_above(node, at);
	if (i == node->len && next) {
		for (node = next, i = 0; next_height; next_height--)
			node = children(node)[0].node;
	}
	return (struct run){&node->at[i], node->len - i};
}

const struct mapping *map_set_above(const struct map_set *set, uint64_t at)
{
	struct run run = run_above(set, at);

	return run.len ? run.at : NULL;
}

size_t map_set_count(const struct map_set *set)
{
	return set && set->root ? set->root->count : 0;
}

void map_set_list(const struct map_set *set, struct mapping *out)
{
	struct run run = run_above(set, 0);

	while (run.len) {
		memcpy(out, run.at, run.len * sizeof(*out));
		out += run.len;
		run = run_above(set, out[-1].end);
	}
}

static bool gather(const struct node *node, unsigned height, const uint8_t *wanted,
		   struct number_set *without, struct mapping_vec *out)
{
	size_t before = out->len;

	if (number_set_has(without, (uintptr_t)node))
		return true;
	for (size_t i = 0; i < node->len; i++) {
		bool ok = height ? gather(children(node)[i].node, height - 1, wanted, without, out)
				 : !wanted[node->at[i].file] || mapping_vec_push(out, node->at[i]);
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

/* ---- copies with other numbers ---- */

struct renumbered_node {
	const struct node *before; /* NULL: a free row */
	struct node *copy;         /* owned */
	unsigned height;
};

void renumbered_free(struct renumbered *done)
{
	for (size_t i = 0; i < done->capacity; i++)
		if (done->rows[i].before)
			release_node(done->rows[i].copy, done->rows[i].height);
	free(done->rows);
	*done = (struct renumbered){.numbers = done->numbers};
}

/* The row of a node, or the free one where it belongs. */
static struct renumbered_node *renumbered_row(const struct renumbered *done, const struct node *before)
{
	size_t mask = done->capacity - 1, i = ((uintptr_t)before * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (done->rows[i].before && done->rows[i].before != before)
		i = (i + 1) & mask;
	return &done->rows[i];
}

static bool renumbered_grow(struct renumbered *done)
{
	size_t capacity = done->capacity ? 2 * done->capacity : 64;
	struct renumbered bigger = {done->numbers, calloc(capacity, sizeof(*bigger.rows)), capacity, done->used};

	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < done->capacity; i++)
		if (done->rows[i].before)
			*renumbered_row(&bigger, done->rows[i].before) = done->rows[i];
	free(done->rows);
	*done = bigger;
	return true;
}

static struct node *renumbered_node(const struct node *node, unsigned height, struct renumbered *done);

/* A copy of a node whose children are the copies of its children. */
static struct node *renumber_children(const struct node *node, unsigned height, struct renumbered *done)
{
	struct node *copy = new_node(height, node->len);

	for (size_t i = 0; copy && i < node->len; i++) {
		struct child child = {children(node)[i].start,
				      renumbered_node(children(node)[i].node, height - 1, done)};
		if (!child.node) {
			release_node(copy, height);
			return NULL;
		}
		replace_rows(copy, height, i, i, &child, 1);
	}
	return copy;
}

static struct node *renumber_leaf(const struct node *leaf, const uint32_t *numbers)
{
	struct node *copy = copy_rows(leaf, 0, 0, leaf->len, leaf->len);

	for (size_t i = 0; copy && i < copy->len; i++)
		copy->at[i].file = numbers[copy->at[i].file];
	return copy;
}

/* The copy of a node, with one owner more; NULL when out of memory. */
static struct node *renumbered_node(const struct node *node, unsigned height, struct renumbered *done)
{
	struct node *copy = done->capacity ? renumbered_row(done, node)->copy : NULL;

	if (!copy) {
		copy = height ? renumber_children(node, height, done) : renumber_leaf(node, done->numbers);
		if (!copy)
			return NULL;
		if (done->used >= done->capacity / 4 * 3 && !renumbered_grow(done)) {
			release_node(copy, height);
			return NULL;
		}
		*renumbered_row(done, node) = (struct renumbered_node){node, copy, height};
		done->used++;
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

void map_set_range(const struct map_set *set, uint64_t *start, uint64_t *end)
{
	bool any = set && set->file_end;

	*start = any ? set->file_start : 0;
	*end = any ? set->file_end : 0;
}

static bool same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->file == b->file &&
	       a->flags == b->flags;
}

/* The next mapping of a walk.  A leaf is looked for once, not for each of its mappings. */
static void step(const struct map_set *set, struct run *run)
{
	uint64_t end = run->at->end;

	run->at++;
	if (!--run->len)
		*run = run_above(set, end);
}

bool map_set_update(struct map_set **set, const struct mapping *sorted, size_t count)
{
	struct run old = run_above(*set, 0);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct mapping *new = &sorted[i];
		if (old.len && old.at->start < new->start) {
			if (!map_set_replace(set, end, new->start, NULL))
				return false;
			old = run_above(*set, new->start);
		}
		end = new->end;
		if (old.len && same(old.at, new)) {
			step(*set, &old);
			continue;
		}
		if (!map_set_replace(set, new->start, end, new))
			return false;
		old = run_above(*set, end);
	}
	return !old.len || map_set_replace(set, end, UINT64_MAX, NULL);
}
