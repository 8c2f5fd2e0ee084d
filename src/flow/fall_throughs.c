/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/fall_throughs.h"

#include <stdlib.h>
#include <string.h>

static bool is_empty(const struct fall_throughs *falls)
{
	return !falls->fragment && !falls->graph;
}

/* Runs through some of `all` entries or blocks. */
static bool begin(struct fall_throughs *falls, uint32_t all)
{
	if (all > falls->capacity) {
		uint64_t *steps = calloc(all, sizeof(*steps));
		if (!steps)
			return false;
		free(falls->steps);
		falls->steps = steps;
		falls->capacity = all;
	}
	falls->first = UINT32_MAX;
	falls->last = 0;
	return true;
}

static void add(struct fall_throughs *falls, uint32_t first, uint32_t last, uint64_t count)
{
	falls->steps[first] += count;
	falls->steps[last] -= count; /* modulo 2^64: the sums come out right */
	falls->first = first < falls->first ? first : falls->first;
	falls->last = last > falls->last ? last : falls->last;
}

#define NO_BLOCK UINT32_MAX

/* For all entries of a fragment, the block entry at or before each. */
static bool list_blocks(struct fall_throughs *falls, const struct bat_entry *entries,
			const struct bat_fragment *fragment)
{
	uint32_t block = NO_BLOCK;

	if (falls->blocks_of == fragment)
		return true;
	if (fragment->entry_count > falls->blocks_capacity) {
		uint32_t *blocks = realloc(falls->blocks, fragment->entry_count * sizeof(*blocks));
		if (!blocks)
			return false;
		falls->blocks = blocks;
		falls->blocks_capacity = fragment->entry_count;
	}
	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		if (!bat_entry_is_branch(entries[i]))
			block = i;
		falls->blocks[i] = block;
	}
	falls->blocks_of = fragment;
	return true;
}

/* Most blocks have few branches, and most fall-throughs few entries: longer ways are not walked
 * again for each. */
#define FEW 32

/* Back to the block entry of an entry; NO_BLOCK if the fragment begins with branch entries. */
static bool block_before(struct fall_throughs *falls, const struct bat_entry *entries,
			 const struct bat_fragment *fragment, uint32_t *entry)
{
	for (uint32_t i = *entry, steps = 0; steps < FEW; i--, steps++) {
		if (bat_entry_is_branch(entries[i]) && i)
			continue;
		*entry = bat_entry_is_branch(entries[i]) ? NO_BLOCK : i;
		return true;
	}
	if (!list_blocks(falls, entries, fragment))
		return false;
	*entry = falls->blocks[*entry];
	return true;
}

/* The last entry at or below an offset, from one that is. */
static uint32_t last_entry(const struct bat_table *bat, const struct bat_fragment *fragment,
			   uint32_t from, uint32_t to)
{
	const struct bat_entry *entries = bat->entries + fragment->first_entry;

	for (uint32_t i = from; i < from + FEW; i++)
		if (i + 1 == fragment->entry_count || entries[i + 1].output > to)
			return i;
	return (uint32_t)(bat_entry_at(bat, fragment, to) - entries);
}

/* The first and the last block, as bat_trace_blocks() has them, but without a walk over the entries
 * between. */
static bool find_ends(struct fall_throughs *falls, const struct bat_table *bat,
		      const struct bat_fragment *fragment, uint32_t from, uint32_t to,
		      uint32_t *first, uint32_t *last)
{
	const struct bat_entry *entries = bat->entries + fragment->first_entry;
	const struct bat_entry *entry = from < to ? bat_entry_at(bat, fragment, from) : NULL;

	*first = *last = NO_BLOCK;
	if (!entry)
		return true;
	*first = (uint32_t)(entry - entries);
	*last = last_entry(bat, fragment, *first, to);
	uint32_t end = entries[*last].output;
	if (!block_before(falls, entries, fragment, first) ||
	    !block_before(falls, entries, fragment, last))
		return false;
	if (*first != NO_BLOCK && entries[*first].output == end)
		*first = NO_BLOCK; /* it stays at one location */
	return true;
}

bool fall_throughs_add(struct fall_throughs *falls, const struct bat_table *bat,
		       const struct bat_fragment *fragment, uint32_t from, uint32_t to,
		       uint64_t count, bool *any)
{
	uint32_t first, last;

	if (!find_ends(falls, bat, fragment, from, to, &first, &last))
		return false;
	*any = first != NO_BLOCK && last > first;
	if (!*any)
		return true;
	if (is_empty(falls) && !begin(falls, fragment->entry_count))
		return false;
	falls->fragment = fragment;
	add(falls, first, last, count);
	return true;
}

bool fall_throughs_add_blocks(struct fall_throughs *falls, const struct graph *graph,
			      uint32_t first, uint32_t last, uint64_t count)
{
	if (is_empty(falls) && !begin(falls, graph->count))
		return false;
	falls->graph = graph;
	add(falls, first, last, count);
	return true;
}

static void take_fragment(const struct fall_throughs *falls, const struct bat_entry *entries,
			  fall_throughs_edge_fn *edge, void *ctx)
{
	uint64_t count = 0;
	uint32_t block = falls->first;

	for (uint32_t i = falls->first; i <= falls->last; i++) {
		if (bat_entry_is_branch(entries[i]))
			continue;
		if (count)
			edge(ctx, bat_entry_input(entries[block]), bat_entry_input(entries[i]),
			     entries[i].output, count);
		count += falls->steps[i];
		block = i;
	}
}

static void take_graph(const struct fall_throughs *falls, fall_throughs_edge_fn *edge, void *ctx)
{
	const struct block *blocks = falls->graph->blocks;
	uint64_t count = 0;

	for (uint32_t i = falls->first; i < falls->last; i++) {
		count += falls->steps[i];
		if (count)
			edge(ctx, blocks[i].last, blocks[i + 1].start, NO_OUTPUT, count);
	}
}

void fall_throughs_take(struct fall_throughs *falls, const struct bat_table *bat,
			fall_throughs_edge_fn *edge, void *ctx)
{
	if (is_empty(falls))
		return;
	if (falls->fragment)
		take_fragment(falls, bat->entries + falls->fragment->first_entry, edge, ctx);
	else
		take_graph(falls, edge, ctx);
	memset(falls->steps + falls->first, 0,
	       (falls->last - falls->first + 1) * sizeof(*falls->steps));
	falls->fragment = NULL;
	falls->graph = NULL;
}

void fall_throughs_free(struct fall_throughs *falls)
{
	free(falls->steps);
	free(falls->blocks);
	*falls = (struct fall_throughs){0};
}
