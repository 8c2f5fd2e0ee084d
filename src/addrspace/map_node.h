/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The nodes of a map_set: a B-tree whose nodes count their owners, which are parents and sets.  A
 * node that has one owner, as all nodes above it have, is changed in place.  Any other is copied
 * first, from the root down; what the copy points to has one owner more then.
 */
#ifndef ADDRSPACE_MAP_NODE_H
#define ADDRSPACE_MAP_NODE_H

#include "src/addrspace/map_set.h"

#ifndef LEAF_MOST /* a test has short nodes, for high trees */
#define LEAF_MOST 63  /* mappings of a leaf; odd: of one less, too, a half and one are more than half */
#define INNER_MOST 64 /* children of an inner node */
#endif

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
	uint32_t height; /* of `root`; 0: a leaf */
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
		size_t next = map_row_start(low + size) <= at, last = map_row_start(low + (len - 1) * size) <= at;
		low += (next + (last & (len > 2))) * size;
	}
	return (size_t)(low - rows) / size;
}

/* The same for changes, most of which are at the right edge. */
static inline size_t map_row_to_change(const struct map_node *node, unsigned height, uint64_t at)
{
	size_t last = node->len - (size_t)1;

	return map_row_start(map_row(node, height, last)) <= at ? last : map_row_upto(node, height, at);
}

/* Index of the first mapping of a leaf that ends above `at`. */
static inline size_t map_leaf_above(const struct map_node *leaf, uint64_t at)
{
	if (!leaf->len)
		return 0;
	size_t i = map_row_to_change(leaf, 0, at);

	return i + (leaf->at[i].end <= at);
}

struct map_node *map_node_new(unsigned height, size_t cap);

/* One owner less. */
void map_node_release(struct map_node *node, unsigned height);

/* One owner more for each child. */
void map_node_share_children(const struct map_node *node, unsigned height);

/* Puts `rows` in place of rows [from, to) of a node that has one owner and enough capacity.  The
 * node owns them from then on. */
void map_node_replace(struct map_node *node, unsigned height, size_t from, size_t to, const void *rows,
		      size_t count);

/* A copy of rows [from, to), or NULL when out of memory. */
struct map_node *map_node_copy(const struct map_node *node, unsigned height, size_t from, size_t to, size_t cap);

/* Makes *slot a node with one owner, with capacity for `len` rows and for those it has.  Copies are
 * as short as they can be: often they are shared again before they grow.  Returns false when out
 * of memory. */
BC_MUST_USE bool map_node_own(struct map_node **slot, unsigned height, size_t len);

#endif
