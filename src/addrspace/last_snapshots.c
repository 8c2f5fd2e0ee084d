/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/last_snapshots.h"

bool last_snapshots_init(struct last_snapshots *lasts, size_t count)
{
	*lasts = (struct last_snapshots){0};
	return map_reserve(&lasts->by_pid, count);
}

void last_snapshots_free(struct last_snapshots *lasts)
{
	map_free(&lasts->by_pid);
}

static uint64_t hash(uint64_t seed, uint32_t pid)
{
	return hash_end(hash_mix(seed, pid));
}

static bool matches(const struct snapshot *all, uint32_t number, uint32_t pid)
{
	return all[number].pid == pid;
}
DEFINE_MAP(by_pid, const struct snapshot *, uint32_t, hash, matches);

bool last_snapshot_find(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			uint32_t pid, uint32_t *number)
{
	return by_pid_find(&lasts->by_pid, snapshots->all.at, pid, number);
}

void last_snapshot_set(struct last_snapshots *lasts, const struct snapshots *snapshots, uint32_t number)
{
	uint32_t pid = snapshots->all.at[number].pid;
	struct map_slot *slot = by_pid_slot(&lasts->by_pid, snapshots->all.at, pid);

	if (slot)
		map_slot_set(slot, number);
	else
		by_pid_put(&lasts->by_pid, pid, number);
}
