/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/map_set.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8
#define PART_MOST 256 /* mappings of a short set */

struct map_set *map_set_share(struct map_set *set)
{
	if (set)
		set->owners++;
	return set;
}

static void release_short(struct map_set *set)
{
	if (set && --set->owners == 0)
		free(set);
}

void map_set_release(struct map_set *set)
{
	if (set && set->parts && set->owners == 1)
		for (size_t i = 0; i < set->len; i++)
			release_short(set->parts[i]);
	release_short(set);
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
	release_short(old);
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

static bool replace_short(struct map_set **set, uint64_t start, uint64_t end,
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

/* Index of the first part that ends above `at`; of all parts only the last can be empty. */
static size_t part_above(const struct map_set *list, uint64_t at)
{
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct map_set *part = list->parts[mid];
		if (part->len && part->at[part->len - 1].end > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static struct map_set *new_list(const struct map_set *like, size_t cap)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	struct map_set *list = cap > UINT32_MAX ? NULL : malloc(sizeof(*list) + cap * sizeof(list->parts[0]));

	if (!list)
		return NULL;
	*list = (struct map_set){.owners = 1, .cap = (uint32_t)cap, .image_start = like->image_start,
				 .image_end = like->image_end};
	list->parts = (struct map_set **)(void *)list->at;
	return list;
}

/* The only owner of the list itself, with room for one more part. */
static bool own_list(struct map_set **set)
{
	struct map_set *old = *set;

	if (old->owners == 1 && old->len < old->cap)
		return true;
	struct map_set *own = new_list(old, old->len < old->cap ? old->cap : 2 * (size_t)old->cap);
	if (!own)
		return false;
	own->len = old->len;
	for (size_t i = 0; i < old->len; i++)
		own->parts[i] = map_set_share(old->parts[i]);
	map_set_release(old);
	*set = own;
	return true;
}

static void remove_parts(struct map_set *list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		release_short(list->parts[i]);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	memmove(&list->parts[from], &list->parts[to], (list->len - to) * sizeof(list->parts[0]));
	list->len -= (uint32_t)(to - from);
}

/* The upper half of a part becomes the next one. */
static bool split_part(struct map_set *list, size_t index)
{
	struct map_set *part = list->parts[index], *upper = NULL;
	uint32_t half = part->len / 2, rest = part->len - half;

	if (!make_own(&upper, rest))
		return false;
	memcpy(upper->at, &part->at[half], rest * sizeof(upper->at[0]));
	upper->len = rest;
	part->len = half;
	memmove(&list->parts[index + 2], &list->parts[index + 1],
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		(list->len - index - 1) * sizeof(list->parts[0]));
	list->parts[index + 1] = upper;
	list->len++;
	return true;
}

static bool become_list(struct map_set **set)
{
	struct map_set *list = new_list(*set, FIRST_CAPACITY);

	if (!list)
		return false;
	list->parts[0] = *set;
	list->len = 1;
	*set = list;
	return split_part(list, 0);
}

static bool replace_in_list(struct map_set **set, uint64_t start, uint64_t end,
			    const struct mapping *insert)
{
	if (!own_list(set))
		return false;
	struct map_set *list = *set;
	size_t first = part_above(list, start), last;

	if (first == list->len)
		first--; /* behind all of them */
	for (last = first; last + 1 < list->len && list->parts[last + 1]->at[0].start < end;)
		last++;
	/* Of the parts that it reaches into, all but the first and the last are within it. */
	if (last > first) {
		if (!replace_short(&list->parts[last], start, end, NULL))
			return false;
		remove_parts(list, first + 1, last + (list->parts[last]->len == 0));
	}
	if (!replace_short(&list->parts[first], start, end, insert))
		return false;
	if (insert && insert->is_image)
		note_image(list, insert);
	if (!list->parts[first]->len && list->len > 1)
		remove_parts(list, first, first + 1);
	else if (list->parts[first]->len > PART_MOST)
		return split_part(list, first);
	return true;
}

bool map_set_replace(struct map_set **set, uint64_t start, uint64_t end,
		     const struct mapping *insert)
{
	if (*set && (*set)->parts)
		return replace_in_list(set, start, end, insert);
	return replace_short(set, start, end, insert) &&
	       (!*set || (*set)->len <= PART_MOST || become_list(set));
}

const struct mapping *map_set_find(const struct map_set *set, uint64_t at)
{
	if (set && set->parts) {
		size_t part = part_above(set, at);
		set = part < set->len ? set->parts[part] : NULL;
	}
	size_t i = first_above(set, at);

	return set && i < set->len && set->at[i].start <= at ? &set->at[i] : NULL;
}
