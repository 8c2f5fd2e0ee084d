/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last snapshot of each process, while they are gone through in their order. */
#ifndef ADDRSPACE_LAST_SNAPSHOTS_H
#define ADDRSPACE_LAST_SNAPSHOTS_H

#include "src/addrspace/snapshots.h"

struct last_snapshots {
	uint32_t *slots; /* hashed by pid: the number of a snapshot + 1, or 0 */
	size_t mask;
};

/* Room for so many processes.  False when out of memory. */
BC_MUST_USE bool last_snapshots_init(struct last_snapshots *lasts, size_t count);
void last_snapshots_free(struct last_snapshots *lasts);

/* Where the number of a process's last snapshot + 1 stands: 0 if there is none yet.  To be set to
 * one of a snapshot with that pid. */
uint32_t *last_snapshot_of(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			   uint32_t pid);

#endif
