/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/maps.h"

#include <stdlib.h>

static const char deleted[] = " (deleted)";

struct text region_path_without_deleted(struct text path)
{
	return text_ends(path, deleted) ? text_first(path, path.len - strlen(deleted)) : path;
}

/* memfd and System V segments have names that look like paths (proc(5)). */
enum region_kind region_kind_of(struct text path)
{
	if (!path.len)
		return REGION_ANONYMOUS;
	if (path.at[0] != '/' || text_starts(path, "//") || text_starts(path, "/memfd:") ||
	    text_starts(path, "/SYSV") || text_starts(path, "/anon_hugepage"))
		return REGION_SPECIAL;
	return REGION_FILE;
}

bool region_equal(const struct region *a, const struct region *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->path == b->path && a->build_id == b->build_id && a->flags == b->flags;
}

void maps_free(struct maps *maps)
{
	free(maps->at);
	free(maps->starts);
	*maps = (struct maps){0};
}

static bool reserve(struct maps *maps, size_t more)
{
	size_t cap = maps->cap ? maps->cap : 16;

	while (cap - maps->len < more)
		cap *= 2;
	if (cap == maps->cap)
		return true;
	struct region *at = realloc(maps->at, cap * sizeof(*at));
	if (!at)
		return false;
	maps->at = at;
	maps->cap = cap;
	return true;
}

/* The first region that ends above an address, or len. */
static size_t first_above(const struct maps *maps, uint64_t at)
{
	size_t low = 0, high = maps->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (maps->at[mid].end <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct region part_behind(struct region region, uint64_t from)
{
	if (region.path) /* else there is no file */
		region.offset += from - region.start;
	region.start = from;
	return region;
}

/* Replace regions [first, last) by up to three: what is left of the outer two,
 * and one between them. */
static void splice(struct maps *maps, size_t first, size_t last, const struct region *parts,
		   size_t count)
{
	memmove(maps->at + first + count, maps->at + last, (maps->len - last) * sizeof(*maps->at));
	memcpy(maps->at + first, parts, count * sizeof(*parts));
	maps->len += count - (last - first);
}

static bool replace(struct maps *maps, uint64_t start, uint64_t end, const struct region *insert)
{
	struct region parts[3];
	size_t count = 0, first, last;

	if (!reserve(maps, 2))
		return false;
	free(maps->starts);
	maps->starts = NULL;
	bool behind_all = !maps->len || maps->at[maps->len - 1].end <= start;
	first = last = behind_all ? maps->len : first_above(maps, start);
	while (last < maps->len && maps->at[last].start < end)
		last++;
	if (first < last && maps->at[first].start < start) {
		parts[count] = maps->at[first];
		parts[count++].end = start;
	}
	if (insert)
		parts[count++] = *insert;
	if (first < last && maps->at[last - 1].end > end)
		parts[count++] = part_behind(maps->at[last - 1], end);
	if (count || first < last)
		splice(maps, first, last, parts, count);
	return true;
}

bool maps_put(struct maps *maps, const struct region *region)
{
	return replace(maps, region->start, region->end, region);
}

bool maps_cut(struct maps *maps, uint64_t start, uint64_t end)
{
	return start >= end || replace(maps, start, end, NULL);
}

bool maps_copy(struct maps *to, const struct maps *from)
{
	struct maps copy = {0};

	if (from->len) {
		if (!reserve(&copy, from->len))
			return false;
		memcpy(copy.at, from->at, from->len * sizeof(*copy.at));
		copy.len = from->len;
	}
	*to = copy;
	return true;
}

bool maps_index(struct maps *maps)
{
	uint64_t *starts = malloc((maps->len + 1) * sizeof(*starts));

	if (!starts)
		return false;
	for (size_t i = 0; i < maps->len; i++)
		starts[i] = maps->at[i].start;
	free(maps->starts);
	maps->starts = starts;
	return true;
}

/* How many regions start at or below an address.  The step is a conditional
 * move, not a branch: random addresses would mispredict every second one. */
static size_t count_up_to(const uint64_t *starts, size_t len, uint64_t at)
{
	const uint64_t *base = starts;

	if (!len)
		return 0;
	while (len > 1) {
		size_t half = len / 2;
		base += base[half] <= at ? half : 0;
		len -= half;
	}
	return (size_t)(base - starts) + (*base <= at);
}

static bool holds(const struct region *region, uint64_t at)
{
	return at - region->start < region->end - region->start;
}

const struct region *maps_find(const struct maps *maps, struct run_addr at)
{
	size_t count = count_up_to(maps->starts, maps->len, at.v);

	return count && holds(&maps->at[count - 1], at.v) ? &maps->at[count - 1] : NULL;
}

void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count, uint32_t *out)
{
	const struct region *last = NULL;

	for (size_t i = 0; i < count; i++) {
		/* Here, in the next one (sorted batches), or anywhere. */
		if (last && !holds(last, at[i].v)) {
			last = last + 1 < maps->at + maps->len ? last + 1 : NULL;
			if (last && !holds(last, at[i].v))
				last = NULL;
		}
		if (!last)
			last = maps_find(maps, at[i]);
		out[i] = last ? (uint32_t)(last - maps->at) : MAPS_NOWHERE;
	}
}
