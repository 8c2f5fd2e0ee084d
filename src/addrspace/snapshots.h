/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many maps over time, of one process or of several: a program that opens and
 * closes libraries uses an address for one library now and for another later.
 *
 * A region that is in many snapshots is stored once; a snapshot is a list of
 * numbers, 4 bytes a region.
 */
#ifndef ADDRSPACE_SNAPSHOTS_H
#define ADDRSPACE_SNAPSHOTS_H

#include "src/base/vec.h"
#include "src/addrspace/maps.h"

/* The most regions in all snapshots together: 128 MiB of numbers.  A small
 * damaged file can ask for any amount. */
#define SNAPSHOTS_REGIONS_MOST (UINT32_C(1) << 25)

/* The most snapshots. */
#define SNAPSHOTS_MOST (UINT32_C(1) << 20)

struct snapshot {
	uint32_t pid;
	uint32_t id;      /* unique in its process */
	uint64_t time;    /* ns since when it holds, of the clock of the samples */
	uint32_t first;   /* its regions: numbers[first, first + count)          */
	uint32_t count;
};

DEFINE_VEC(region_vec, struct region);
DEFINE_VEC(number_vec, uint32_t);
DEFINE_VEC(snapshot_vec, struct snapshot);

/* Zeroed means empty. */
struct snapshots {
	struct strings strings; /* of all regions */
	struct region_vec regions;
	struct number_vec numbers; /* into regions */
	struct snapshot_vec all;   /* in the order in which they were added */
	uint32_t *slots;           /* hash table: number of a region + 1 */
	size_t slot_count;
	uint32_t *by_time, *by_id; /* indices, sorted; NULL: to be made */
};

void snapshots_free(struct snapshots *snapshots);

/* Add a map, whose strings are in snapshots->strings.
 *
 * BC_UNSUPPORTED  SNAPSHOTS_REGIONS_MOST, SNAPSHOTS_MOST
 * BC_NOMEM */
BC_MUST_USE bool snapshots_add(struct snapshots *snapshots, uint32_t pid, uint32_t id,
			       uint64_t time, const struct maps *maps, struct bc_error *err);

/* The snapshot of an id, or NULL. */
const struct snapshot *snapshots_of_id(const struct snapshots *snapshots, uint32_t pid, uint32_t id);

/* The process's latest snapshot at a time: the last one added of those that are
 * not later.  NULL: none that early, or no such process. */
const struct snapshot *snapshots_at(const struct snapshots *snapshots, uint32_t pid, uint64_t time);

/* The number after the largest id of a process; 0 for a new one. */
uint32_t snapshots_next_id(const struct snapshots *snapshots, uint32_t pid);

/* Sort for the lookups above, which need it after the last addition.
 *
 * BC_FORMAT  a process has two snapshots of one id
 * BC_NOMEM */
BC_MUST_USE bool snapshots_index(struct snapshots *snapshots, struct bc_error *err);

/* The regions of a snapshot, with an index; *out is freed by the caller. */
BC_MUST_USE bool snapshots_maps(const struct snapshots *snapshots, const struct snapshot *snapshot,
				struct maps *out);

/* The number of a region, which is stored if it is new.  False when out of
 * memory. */
BC_MUST_USE bool snapshots_intern(struct snapshots *snapshots, const struct region *region,
				  uint32_t *out);

#endif
