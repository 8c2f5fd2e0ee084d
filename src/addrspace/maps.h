/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped where in one process at one moment: the regions of
 * /proc/PID/maps, whoever told them, and which of them holds an address.
 *
 * A lookup is a binary search over the regions' starts, which stand in an array
 * of their own: 14 steps in 80 KB for 10,000 regions.  A batch looks first
 * where the address before was.
 */
#ifndef ADDRSPACE_MAPS_H
#define ADDRSPACE_MAPS_H

#include "src/base/address.h"
#include "src/base/error.h"
#include "src/base/strings.h"

enum {
	REGION_READ = 1,
	REGION_WRITE = 2,
	REGION_EXEC = 4,
	REGION_SHARED = 8,
};

struct region {
	uint64_t start, end;    /* run-time addresses, [start, end), start < end */
	uint64_t offset;        /* of the file at `start`; 0 if there is no file */
	uint64_t inode;         /* 0: none, or not known                         */
	uint32_t major, minor;  /* of the device                                 */
	uint32_t path;          /* string: as the kernel tells it, with " (deleted)",
	                           [vdso] and the like; 0: anonymous             */
	uint32_t build_id;      /* string: the bytes; 0: not recorded            */
	uint32_t flags;         /* REGION_...                                    */
};

/* All fields; strings by their numbers. */
bool region_equal(const struct region *a, const struct region *b);

/* What a path stands for. */
enum region_kind {
	REGION_ANONYMOUS, /* no path */
	REGION_FILE,      /* a path that begins with a slash, deleted or not */
	REGION_SPECIAL,   /* [heap], [vdso], [vsyscall], [anon:...], //anon, memfd ... */
};
enum region_kind region_kind_of(struct text path);

/* Without " (deleted)". */
struct text region_path_without_deleted(struct text path);

/* Zeroed means empty. */
struct maps {
	struct region *at; /* by ascending start, not overlapping */
	size_t len, cap;
	uint64_t *starts; /* at[i].start, for lookups; made by maps_index() */
};

void maps_free(struct maps *maps);

/* Put a region there; what it covers of others is cut out of them, with their
 * offsets moved on.  region.start < region.end.  False when out of memory.
 * O(1) behind the last region, else O(n). */
BC_MUST_USE bool maps_put(struct maps *maps, const struct region *region);

/* Cut [start, end) out.  False when out of memory. */
BC_MUST_USE bool maps_cut(struct maps *maps, uint64_t start, uint64_t end);

/* A copy without an index.  False when out of memory; *to is unchanged then. */
BC_MUST_USE bool maps_copy(struct maps *to, const struct maps *from);

/* Prepare lookups; to be called again after a change.  8 bytes a region. */
BC_MUST_USE bool maps_index(struct maps *maps);

/* The region that holds an address, or NULL.  Needs the index.  O(log n). */
const struct region *maps_find(const struct maps *maps, struct run_addr at);

/* The same for many: out[i] is the number of the region of at[i], or
 * MAPS_NOWHERE.  Any order will do; neighbours are found at once. */
#define MAPS_NOWHERE UINT32_MAX
void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count,
		   uint32_t *out);

/* The offset in the region's file of a run-time address in it. */
static inline struct file_off region_offset(const struct region *region, struct run_addr at)
{
	return (struct file_off){at.v - region->start + region->offset};
}

#endif
