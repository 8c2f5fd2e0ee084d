/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/fallthrough_changes.h"

#include <stdlib.h>

/* Entries of one output offset: [first, end). */
struct group {
	uint32_t first, end;
};

static struct group group_at(const struct bat_entry *entries, uint32_t count, uint32_t first)
{
	struct group g = {first, first + 1};

	while (g.end < count && entries[g.end].output == entries[first].output)
		g.end++;
	return g;
}

static bool has_block(const struct bat_entry *entries, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (!bat_entry_is_branch(entries[i]))
			return true;
	return false;
}

/* Of entries with the same output offset the last one is kept.  A trace that begins at that
 * offset begins with the last one, too.  So the change shows in traces that begin in an
 * earlier block, or in the block of a branch. */
static bool matters(const struct bat_entry *entries, struct group g, bool block_before)
{
	return has_block(entries, g.first, g.end - 1) &&
	       (block_before || bat_entry_is_branch(entries[g.end - 1]));
}

static bool changes(const struct binary *binary, uint32_t fragment)
{
	const struct bat_fragment *f = &binary->bat.fragments[fragment];
	const struct bat_entry *entries = binary->bat.entries + f->first_entry;
	uint64_t size = binary_fragment_size(binary, fragment);
	bool block_before = false;

	for (uint32_t i = 0; i < f->entry_count;) {
		struct group g = group_at(entries, f->entry_count, i);
		if (size && entries[i].output >= size)
			return false; /* there is no code from here on */
		if (matters(entries, g, block_before))
			return true;
		block_before |= has_block(entries, g.first, g.end);
		i = g.end;
	}
	return false;
}

/* The hot fragment of a fragment's function; the fragment itself if that is not known. */
static uint32_t function_of(const struct bat_table *bat, uint32_t fragment)
{
	uint32_t parent = bat->fragments[fragment].parent;

	return parent == BAT_NO_PARENT ? fragment : parent;
}

bool fallthrough_changes(const struct binary *binary, enum bat_layout layout, struct changed_vec *out)
{
	const struct bat_table *bat = &binary->bat;

	if (bat->layout != BAT_HASHED || layout == BAT_HASHED)
		return true;
	uint8_t *seen = calloc(bat->fragment_count + (size_t)1, 1);
	bool ok = seen;
	for (uint32_t i = 0; ok && i < bat->fragment_count; i++) {
		uint32_t function = function_of(bat, i);
		if (seen[function] || !changes(binary, i))
			continue;
		seen[function] = 1;
		ok = changed_vec_push(out, (struct changed_function){binary_fragment_owner(binary, function),
								     bat->fragments[function].address});
	}
	free(seen);
	return ok;
}
