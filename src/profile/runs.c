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

bool runs_add(struct runs *runs, const struct bat_table *bat, const struct bat_fragment *fragment,
	      uint32_t from, uint32_t to, uint64_t count, uint32_t *edges)
{
	uint32_t first, last;

	*edges = bat_run(bat, fragment, from, to, &first, &last);
	if (!*edges)
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
	*runs = (struct runs){0};
}
