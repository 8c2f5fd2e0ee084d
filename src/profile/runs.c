/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/runs.h"

#include <stdlib.h>
#include <string.h>

static bool begin(struct runs *runs, const struct bat_fragment *fragment)
{
	if (fragment->entry_count > runs->room) {
		uint64_t *steps = calloc(fragment->entry_count, sizeof(*steps));
		if (!steps)
			return false;
		free(runs->steps);
		runs->steps = steps;
		runs->room = fragment->entry_count;
	}
	runs->fragment = fragment;
	runs->first = UINT32_MAX;
	runs->last = 0;
	return true;
}

bool runs_add(struct runs *runs, const struct bat_table *bat, const struct bat_fragment *fragment,
	      uint32_t from, uint32_t to, uint64_t count, uint32_t *edges)
{
	uint32_t first, last;

	*edges = bat_run(bat, fragment, from, to, &first, &last);
	if (!*edges)
		return true;
	if (!runs->fragment && !begin(runs, fragment))
		return false;
	runs->steps[first] += count;
	runs->steps[last] -= count; /* modulo 2^64: the sums come out right */
	runs->first = first < runs->first ? first : runs->first;
	runs->last = last > runs->last ? last : runs->last;
	return true;
}

void runs_take(struct runs *runs, const struct bat_table *bat, runs_edge_fn *edge, void *ctx)
{
	if (!runs->fragment)
		return;
	const struct bat_entry *entries = bat->entries + runs->fragment->first_entry;
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
	memset(runs->steps + runs->first, 0, (runs->last - runs->first + 1) * sizeof(*runs->steps));
	runs->fragment = NULL;
}

void runs_free(struct runs *runs)
{
	free(runs->steps);
	*runs = (struct runs){0};
}
