/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/count_table.h"

void snapshots_free(struct snapshots *snapshots)
{
	strings_free(&snapshots->strings);
	region_vec_free(&snapshots->regions);
	number_vec_free(&snapshots->numbers);
	snapshot_vec_free(&snapshots->all);
	free(snapshots->slots);
	free(snapshots->by_time);
	free(snapshots->by_id);
	*snapshots = (struct snapshots){0};
}

static uint64_t hash(const struct region *r)
{
	uint64_t h = count_mix(count_mix(count_mix(r->flags, r->start), r->end), r->offset);

	h = count_mix(count_mix(h, r->inode), (uint64_t)r->major << 32 | r->minor);
	h = count_mix(h, (uint64_t)r->path << 32 | r->build_id);
	return h ^ h >> 32;
}

static uint32_t *probe(const struct snapshots *s, const struct region *region)
{
	size_t mask = s->slot_count - 1;

	for (size_t i = (size_t)hash(region) & mask;; i = (i + 1) & mask)
		if (!s->slots[i] || region_equal(&s->regions.at[s->slots[i] - 1], region))
			return &s->slots[i];
}

static bool grow(struct snapshots *s)
{
	struct snapshots bigger = *s;

	bigger.slot_count = s->slot_count ? 2 * s->slot_count : 256;
	bigger.slots = calloc(bigger.slot_count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (uint32_t i = 0; i < s->regions.len; i++)
		*probe(&bigger, &s->regions.at[i]) = i + 1;
	free(s->slots);
	*s = bigger;
	return true;
}

bool snapshots_intern(struct snapshots *s, const struct region *region, uint32_t *out)
{
	if (s->regions.len >= s->slot_count / 4 * 3 && !grow(s))
		return false;
	uint32_t *slot = probe(s, region);
	if (!*slot) {
		if (s->regions.len >= UINT32_MAX - 1 || !region_vec_push(&s->regions, *region))
			return false;
		*slot = (uint32_t)s->regions.len;
	}
	*out = *slot - 1;
	return true;
}

bool snapshots_add(struct snapshots *s, uint32_t pid, uint32_t id, uint64_t time,
		   const struct maps *maps, struct bc_error *err)
{
	struct snapshot snapshot = {pid, id, time, (uint32_t)s->numbers.len, (uint32_t)maps->len};

	if (s->all.len >= SNAPSHOTS_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " maps", SNAPSHOTS_MOST);
	if (maps->len > SNAPSHOTS_REGIONS_MOST - s->numbers.len)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps",
			       SNAPSHOTS_REGIONS_MOST);
	for (size_t i = 0; i < maps->len; i++) {
		uint32_t number;
		if (!snapshots_intern(s, &maps->at[i], &number) ||
		    !number_vec_push(&s->numbers, number)) {
			s->numbers.len = snapshot.first;
			return bc_fail_nomem(err);
		}
	}
	free(s->by_time);
	free(s->by_id);
	s->by_time = s->by_id = NULL;
	return snapshot_vec_push(&s->all, snapshot) || bc_fail_nomem(err);
}

/* The snapshots that are being sorted: qsort passes nothing to the comparison. */
struct key {
	uint32_t pid;
	uint64_t value;
	uint32_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static uint32_t *sorted(const struct snapshots *s, bool by_time)
{
	struct key *keys = malloc((s->all.len + 1) * sizeof(*keys));
	uint32_t *out = malloc((s->all.len + 1) * sizeof(*out));

	if (keys && out) {
		for (uint32_t i = 0; i < s->all.len; i++)
			keys[i] = (struct key){s->all.at[i].pid,
					       by_time ? s->all.at[i].time : s->all.at[i].id, i};
		if (s->all.len)
			qsort(keys, s->all.len, sizeof(*keys), by_key);
		for (uint32_t i = 0; i < s->all.len; i++)
			out[i] = keys[i].index;
	} else {
		free(out);
		out = NULL;
	}
	free(keys);
	return out;
}

bool snapshots_index(struct snapshots *s, struct bc_error *err)
{
	if (!s->by_time)
		s->by_time = sorted(s, true);
	if (!s->by_id)
		s->by_id = sorted(s, false);
	if (!s->by_time || !s->by_id)
		return bc_fail_nomem(err);
	for (size_t i = 1; i < s->all.len; i++) {
		const struct snapshot *a = &s->all.at[s->by_id[i - 1]], *b = &s->all.at[s->by_id[i]];
		if (a->pid == b->pid && a->id == b->id)
			return bc_fail(err, BC_FORMAT, "process %" PRIu32
				       " has two maps with the id %" PRIu32, a->pid, a->id);
	}
	return true;
}

/* The last one whose (pid, time or id) is not above the one given, or NULL. */
static const struct snapshot *last_up_to(const struct snapshots *s, const uint32_t *order,
					 bool by_time, uint32_t pid, uint64_t value)
{
	size_t low = 0, high = s->all.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct snapshot *at = &s->all.at[order[mid]];
		uint64_t own = by_time ? at->time : at->id;
		if (at->pid < pid || (at->pid == pid && own <= value))
			low = mid + 1;
		else
			high = mid;
	}
	const struct snapshot *found = low ? &s->all.at[order[low - 1]] : NULL;
	return found && found->pid == pid ? found : NULL;
}

const struct snapshot *snapshots_of_id(const struct snapshots *s, uint32_t pid, uint32_t id)
{
	const struct snapshot *found = last_up_to(s, s->by_id, false, pid, id);

	return found && found->id == id ? found : NULL;
}

const struct snapshot *snapshots_at(const struct snapshots *s, uint32_t pid, uint64_t time)
{
	return last_up_to(s, s->by_time, true, pid, time);
}

uint32_t snapshots_next_id(const struct snapshots *s, uint32_t pid)
{
	uint32_t next = 0;

	for (size_t i = 0; i < s->all.len; i++)
		if (s->all.at[i].pid == pid && s->all.at[i].id >= next)
			next = s->all.at[i].id + 1;
	return next;
}

bool snapshots_maps(const struct snapshots *s, const struct snapshot *snapshot, struct maps *out)
{
	struct maps maps = {0};

	maps.at = malloc((snapshot->count + 1) * sizeof(*maps.at));
	if (!maps.at)
		return false;
	maps.len = maps.cap = snapshot->count;
	for (uint32_t i = 0; i < snapshot->count; i++)
		maps.at[i] = s->regions.at[s->numbers.at[snapshot->first + i]];
	if (!maps.cap)
		maps.cap = 1;
	if (!maps_index(&maps)) {
		maps_free(&maps);
		return false;
	}
	*out = maps;
	return true;
}
