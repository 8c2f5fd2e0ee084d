/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/map_node.h"

#include <stdlib.h>
#include <string.h>

void map_node_share_children(const struct map_node *node, unsigned height)
{
	for (size_t i = 0; height && i < node->len; i++)
		map_children(node)[i].node->owners++;
}

void map_node_release(struct map_node *node, unsigned height)
{
	if (--node->owners)
		return;
	for (size_t i = 0; height && i < node->len; i++)
		map_node_release(map_children(node)[i].node, height - 1);
	free(node);
}

struct map_node *map_node_new(unsigned height, size_t cap)
{
	struct map_node *node = malloc(sizeof(*node) + cap * map_row_size(height));

	if (node)
		*node = (struct map_node){.owners = 1, .cap = (uint16_t)cap};
	return node;
}

void map_node_replace(struct map_node *node, unsigned height, size_t from, size_t to,
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

struct map_node *map_node_copy(const struct map_node *node, unsigned height, size_t from, size_t to, size_t cap)
{
	struct map_node *copy = map_node_new(height, cap);

	if (!copy)
		return NULL;
	map_node_replace(copy, height, 0, 0, map_row(node, height, from), to - from);
	map_node_share_children(copy, height);
	return copy;
}

bool map_node_own(struct map_node **slot, unsigned height, size_t len)
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
