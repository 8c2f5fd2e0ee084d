/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/link.h"
#include "bat/fail.h"

#include <stdlib.h>
#include <string.h>

/* How many of `count` fragments by ascending address lie below `address`. */
static uint32_t count_below(const struct bat_fragment *fragments,
			    uint32_t count, uint64_t address)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;

		if (fragments[middle].address < address)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Merge the hot fragments, at the front of `all`, with `cold` ones, from the
 * back so that nothing is overwritten. */
static void merge(struct bat_fragment *all, uint32_t hot_count,
		  const struct bat_fragment *cold, uint32_t cold_count)
{
	while (cold_count) {
		struct bat_fragment *last = &all[hot_count + cold_count - 1];

		if (hot_count && all[hot_count - 1].address >
					 cold[cold_count - 1].address)
			*last = all[--hot_count];
		else
			*last = cold[--cold_count];
	}
}

/* Does HotIndex count hot and cold fragments together?  LLVM 19 wrote it so,
 * which shows if it leaves the hot table. */
static bool counts_all(const struct bat_table *t)
{
	if (t->layout != BAT_LAYOUT_HASHED)
		return false;
	for (uint32_t i = t->hot_count; i < t->fragment_count; i++)
		if (t->fragments[i].stored_hot >= t->hot_count)
			return true;
	return false;
}

/* Set the parents of `cold`, before the hot fragments are merged with it.  A
 * HotIndex counts hot fragments, a parent counts all. */
static void link_hot_index(const struct bat_table *t, struct bat_fragment *cold,
			   uint32_t count)
{
	bool all = counts_all(t);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t index = cold[i].stored_hot;

		cold[i].parent = BAT_NO_PARENT;
		if (all)
			cold[i].parent = (uint32_t)index;
		else if (index < t->hot_count)
			cold[i].parent =
				(uint32_t)index +
				count_below(cold, count,
					    t->fragments[index].address);
	}
}

static bool link_leb(struct bat_table *t, struct bat_error *err)
{
	uint32_t count = t->fragment_count - t->hot_count;
	struct bat_fragment *cold;

	if (!count)
		return true;
	cold = malloc(count * sizeof(*cold));
	if (!cold)
		return bat_fail_nomem(err);
	memcpy(cold, t->fragments + t->hot_count, count * sizeof(*cold));
	link_hot_index(t, cold, count);
	merge(t->fragments, t->hot_count, cold, count);
	free(cold);
	return true;
}

static uint32_t find_hot(const struct bat_table *t, uint64_t address)
{
	const struct bat_fragment *f = bat_find_exact(t, address);

	if (!f || f->cold)
		return BAT_NO_PARENT;
	return (uint32_t)(f - t->fragments);
}

static void link_fixed(struct bat_table *t)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];

		if (f->cold)
			f->parent = find_hot(t, f->stored_hot);
	}
}

bool bat_link(struct bat_table *t, struct bat_error *err)
{
	if (t->layout == BAT_LAYOUT_FIXED)
		link_fixed(t);
	else if (!link_leb(t, err))
		return false;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];

		if (!f->cold)
			f->parent = i;
		else if (f->parent != BAT_NO_PARENT &&
			 t->fragments[f->parent].cold)
			f->parent = BAT_NO_PARENT;
	}
	return true;
}
