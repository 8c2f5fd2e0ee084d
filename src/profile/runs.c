/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/runs.h"

#include <stdlib.h>
#include <string.h>

static bool is_empty(const struct runs *runs)
{
	return !runs->fragment && !runs->graph;
}

/* Runs through some of `all` entries or blocks. */
static bool begin(struct runs *runs, uint32_t all)
{
	if (all > runs->room) {
		uint64_t *steps = calloc(all, sizeof(*steps));
		if (!steps)
			return false;
		free(runs->steps);
		runs->steps = steps;
		runs->room = all;
	}
	runs->first = UINT32_MAX;
	runs->last = 0;
	return true;
}

static void add(struct runs *runs, uint32_t first, uint32_t last, uint64_t count)
{
	runs->steps[first] += count;
	runs->steps[last] -= count; /* modulo 2^64: the sums come out right */
	runs->first = first < runs->first ? first : runs->first;
	runs->last = last > runs->last ? last : runs->last;
}

#define NO_BLOCK UINT32_MAX

/* Of all entries of a fragment, the block entry at or before each. */
static bool list_blocks(struct runs *runs, const struct bat_entry *entries, const struct bat_fragment *fragment)
{
	uint32_t block = NO_BLOCK;

	if (runs->blocks_of == fragment)
		return true;
	if (fragment->entry_count > runs->blocks_room) {
		uint32_t *blocks = realloc(runs->blocks, fragment->entry_count * sizeof(*blocks));
		if (!blocks)
			return false;
		runs->blocks = blocks;
		runs->blocks_room = fragment->entry_count;
	}
	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		if (!bat_entry_is_branch(entries[i]))
			block = i;
		runs->blocks[i] = block;
	}
	runs->blocks_of = fragment;
	return true;
}

/* Blocks have few branches, and runs few entries: longer ways are not walked again for each run. */
#define FEW 32

/* Back to the block entry of an entry; NO_BLOCK if the fragment begins with branch entries. */
static bool block_before(struct runs *runs, const struct bat_entry *entries,
			 const struct bat_fragment *fragment, uint32_t *entry)
{
	for (uint32_t i = *entry, steps = 0; steps < FEW; i--, steps++) {
		if (bat_entry_is_branch(entries[i]) && i)
			continue;
		*entry = bat_entry_is_branch(entries[i]) ? NO_BLOCK : i;
		return true;
	}
	if (!list_blocks(runs, entries, fragment))
		return false;
	*entry = runs->blocks[*entry];
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

/* What bat_trace_blocks() tells, but for how many edges there are: no walk along the run. */
static bool find_ends(struct runs *runs, const struct bat_table *bat, const struct bat_fragment *fragment,
		      uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	const struct bat_entry *entries = bat->entries + fragment->first_entry;
	const struct bat_entry *entry = from < to ? bat_entry_at(bat, fragment, from) : NULL;

	*first = *last = NO_BLOCK;
	if (!entry)
		return true;
	*first = (uint32_t)(entry - entries);
	*last = last_entry(bat, fragment, *first, to);
	uint32_t end = entries[*last].output;
	if (!block_before(runs, entries, fragment, first) || !block_before(runs, entries, fragment, last))
		return false;
	if (*first != NO_BLOCK && entries[*first].output == end)
		*first = NO_BLOCK; /* it stays in one place */
	return true;
}

bool runs_add(struct runs *runs, const struct bat_table *bat, const struct bat_fragment *fragment,
	      uint32_t from, uint32_t to, uint64_t count, bool *any)
{
	uint32_t first, last;

	if (!find_ends(runs, bat, fragment, from, to, &first, &last))
		return false;
	*any = first != NO_BLOCK && last > first;
	if (!*any)
		return true;
	if (is_empty(runs) && !begin(runs, fragment->entry_count))
		return false;
	runs->fragment = fragment;
	add(runs, first, last, count);
	return true;
}

bool runs_add_blocks(struct runs *runs, const struct graph *graph, uint32_t first,
		     uint32_t last, uint64_t count)
{
	if (is_empty(runs) && !begin(runs, graph->count))
		return false;
	runs->graph = graph;
	add(runs, first, last, count);
	return true;
}

static void take_fragment(const struct runs *runs, const struct bat_entry *entries,
			  runs_edge_fn *edge, void *ctx)
{
	uint64_t count = 0;
	uint32_t block = runs->first;

	for (uint32_t i = runs->first; i <= runs->last; i++) {
		if (bat_entry_is_branch(entries[i]))
			continue;
		if (count)
			edge(ctx, bat_entry_input(entries[block]), bat_entry_input(entries[i]), count);
		count += runs->steps[i];
		block = i;
	}
}

static void take_graph(const struct runs *runs, runs_edge_fn *edge, void *ctx)
{
	const struct block *blocks = runs->graph->blocks;
	uint64_t count = 0;

	for (uint32_t i = runs->first; i < runs->last; i++) {
		count += runs->steps[i];
		if (count)
			edge(ctx, blocks[i].last, blocks[i + 1].start, count);
	}
}

void runs_take(struct runs *runs, const struct bat_table *bat, runs_edge_fn *edge, void *ctx)
{
	if (is_empty(runs))
		return;
	if (runs->fragment)
		take_fragment(runs, bat->entries + runs->fragment->first_entry, edge, ctx);
	else
		take_graph(runs, edge, ctx);
	memset(runs->steps + runs->first, 0, (runs->last - runs->first + 1) * sizeof(*runs->steps));
	runs->fragment = NULL;
	runs->graph = NULL;
}

void runs_free(struct runs *runs)
{
	free(runs->steps);
	free(runs->blocks);
	*runs = (struct runs){0};
}
