/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last snapshot of each process, while they are gone through in their order. */
#ifndef ADDRSPACE_LAST_SNAPSHOTS_H
#define ADDRSPACE_LAST_SNAPSHOTS_H

#include "src/addrspace/snapshots.h"
#include "src/base/map.h"

struct last_snapshots {
	struct map by_pid; /* indices of snapshots */
};

/* For at most so many processes.  False when out of memory. */
BC_MUST_USE bool last_snapshots_init(struct last_snapshots *lasts, size_t count);
void last_snapshots_free(struct last_snapshots *lasts);

/* The index of a process's last snapshot.  False: there is none yet. */
bool last_snapshot_find(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			uint32_t pid, uint32_t *number);

/* From now on the snapshot with this index is the last one of its process. */
void last_snapshot_set(struct last_snapshots *lasts, const struct snapshots *snapshots, uint32_t number);

#endif
