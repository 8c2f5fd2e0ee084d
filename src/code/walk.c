/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/walk.h"

#include "src/base/sort.h"

DEFINE_SEARCH(blocks_above, struct block, uint32_t, item->start <= key)

/* The block that holds an offset, which is inside the function. */
static uint32_t block_at(const struct graph *graph, uint32_t offset)
{
	size_t above = blocks_above(graph->blocks, graph->count, offset);

	return above ? (uint32_t)above - 1 : 0;
}

/* Does the fall-through continue after a call that the block before ends with? */
static bool continues_call(const struct graph *graph, uint32_t block, const struct fall_through *fall)
{
	const struct block *b = &graph->blocks[block];

	if (!fall->may_follow_call || !block || fall->from != b->start)
		return false;
	if (!fall->after_return && b->entered)
		return false;
	return b[-1].to_next && b[-1].calls;
}

enum walk_result graph_walk(const struct graph *graph, const struct fall_through *fall,
			    uint32_t *first, uint32_t *last)
{
	if (!graph->count || fall->from >= graph->size || fall->to >= graph->size)
		return WALK_INVALID;
	*first = block_at(graph, fall->from);
	*last = block_at(graph, fall->to);
	*first -= continues_call(graph, *first, fall);
	if (*first < *last && graph->blocks[*first].reach < *last)
		return WALK_INVALID;
	return *first < *last ? WALK_EDGES : WALK_ONE_BLOCK;
}
