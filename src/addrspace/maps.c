/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/maps.h"

#include <stdlib.h>

void maps_free(struct maps *maps)
{
	free(maps->at);
	free(maps->starts);
	*maps = (struct maps){0};
}

bool maps_of(const struct map_set *set, struct maps *out)
{
	struct maps maps = {.len = map_set_count(set)};

	maps.at = malloc((maps.len + 1) * sizeof(*maps.at));
	maps.starts = malloc((maps.len + 1) * sizeof(*maps.starts));
	if (!maps.at || !maps.starts) {
		maps_free(&maps);
		return false;
	}
	map_set_list(set, maps.at);
	for (size_t i = 0; i < maps.len; i++)
		maps.starts[i] = maps.at[i].start;
	*out = maps;
	return true;
}

/* How many mappings start at or below an address.  The step is a conditional
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

static bool holds(const struct mapping *mapping, uint64_t at)
{
	return at - mapping->start < mapping->end - mapping->start;
}

const struct mapping *maps_find(const struct maps *maps, struct run_addr at)
{
	size_t count = count_up_to(maps->starts, maps->len, at.v);

	return count && holds(&maps->at[count - 1], at.v) ? &maps->at[count - 1] : NULL;
}

void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count, uint32_t *out)
{
	const struct mapping *last = NULL;

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
