/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/map_set.h"

#include <stdlib.h>
#include <string.h>

#include "src/addrspace/map_node.h"

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
		bool ok = height ? gather(map_children(node)[i].node, height - 1, wanted, without, out)
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
