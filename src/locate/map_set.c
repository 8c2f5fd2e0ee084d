/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/locate/map_set.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8

struct map_set *map_set_share(struct map_set *set)
{
	if (set)
		set->owners++;
	return set;
}

void map_set_release(struct map_set *set)
{
	if (set && --set->owners == 0)
		free(set);
}

/* Index of the first mapping that ends above `at`. */
static size_t first_above(const struct map_set *set, uint64_t at)
{
	size_t low = 0, high = set ? set->len : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (set->at[mid].end > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Make *set our own, with room for `len` mappings and for those it has. */
static bool make_own(struct map_set **set, size_t len)
{
	struct map_set *old = *set;
	size_t cap = FIRST_CAPACITY;

	if (old && old->owners == 1 && len <= old->cap)
		return true;
	while (cap < len || (old && cap < old->len))
		cap *= 2;
	if (cap > UINT32_MAX)
		return false;
	struct map_set *own = malloc(sizeof(*own) + cap * sizeof(own->at[0]));
	if (!own)
		return false;
	*own = (struct map_set){.owners = 1, .cap = (uint32_t)cap, .image_start = UINT64_MAX};
	if (old) {
		own->len = old->len;
		own->image_start = old->image_start;
		own->image_end = old->image_end;
		memcpy(own->at, old->at, old->len * sizeof(own->at[0]));
	}
	map_set_release(old);
	*set = own;
	return true;
}

static void note_image(struct map_set *set, const struct mapping *mapping)
{
	if (mapping->start < set->image_start)
		set->image_start = mapping->start;
	if (mapping->end > set->image_end)
		set->image_end = mapping->end;
}

bool map_set_replace(struct map_set **set, uint64_t start, uint64_t end,
		     const struct mapping *insert)
{
	/* Mappings [from, to) overlap the range.  What they leave over and the
	 * new one, at most three, take their place. */
	size_t len = *set ? (*set)->len : 0, from = first_above(*set, start), to = from;
	struct mapping parts[3];
	size_t count = 0;

	while (to < len && (*set)->at[to].start < end)
		to++;
	if (from == to && !insert)
		return true;
	if (from < to && (*set)->at[from].start < start) {
		parts[count] = (*set)->at[from];
		parts[count++].end = start;
	}
	if (insert)
		parts[count++] = *insert;
	if (from < to && (*set)->at[to - 1].end > end) {
		parts[count] = (*set)->at[to - 1];
		parts[count++].start = end;
	}
	if (!make_own(set, len - (to - from) + count))
		return false;
	struct mapping *at = (*set)->at;
	memmove(&at[from + count], &at[to], (len - to) * sizeof(*at));
	memcpy(&at[from], parts, count * sizeof(*at));
	(*set)->len = (uint32_t)(len - (to - from) + count);
	if (insert && insert->is_image)
		note_image(*set, insert);
	return true;
}

const struct mapping *map_set_find(const struct map_set *set, uint64_t at)
{
	size_t i = first_above(set, at);

	return set && i < set->len && set->at[i].start <= at ? &set->at[i] : NULL;
}
