/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Snapshots in a file (.bcmaps):
 *
 *   8 bytes   "BCMAPS\r\n"
 *   u32       version, 1          u32   0
 *   u64       size of what follows when it is decompressed
 *   a zstd frame with its content checksum
 *
 * and in the frame, all numbers LEB128 (signed where they are differences):
 *
 *   strings    count, then for each: length, bytes.  They are numbered from 1
 *              (a build-id: its bytes, or "Go build-id: " and Go's)
 *   regions    count, then for each: start - end of the one before (signed), size,
 *              offset, flags, major, minor, inode, path, build-id (strings; 0: none)
 *   snapshots  count, then for each: pid, id, time - time of the one before
 *              (signed), count of steps, steps
 *
 * A snapshot is written as the way from the last one of its process (from none:
 * the empty map).  A step is n << 2 | KIND:
 *   0  take the next n regions of the last one
 *   1  leave out its next n regions
 *   2  insert n regions, whose numbers follow, each as the difference (signed) to
 *      the number before, first to 0
 * What is left of the last one when the steps end is left out.
 *
 * Little-endian.  docs/addresses.md says why.
 */
#ifndef SAMPLES_BCMAPS_H
#define SAMPLES_BCMAPS_H

#include "src/samples/snapshots.h"
#include "src/base/bytes.h"

#define BCMAPS_MAGIC      "BCMAPS\r\n"
#define BCMAPS_MAGIC_SIZE 8
#define BCMAPS_VERSION    1

/* The most that is decompressed.  What is made of it takes up to seven times as
 * much memory, and SNAPSHOTS_MAPPINGS_MOST mappings. */
#define BCMAPS_CONTENT_MOST (UINT64_C(64) << 20)

/* The most regions in all maps together, counted as often as they are there: each takes time. */
#define BCMAPS_NUMBERS_MOST (UINT32_C(1) << 25)

/* A change of a set copies up to so many mappings in addition. */
#define BCMAPS_CHANGE_COPIES 64

/* What a map of `count` regions takes of SNAPSHOTS_MAPPINGS_MOST: a row of its own, or what its
 * differences to the last one of its process copy. */
static inline uint64_t bcmaps_cost(uint64_t differences, uint64_t count)
{
	return differences < count / BCMAPS_CHANGE_COPIES ? differences * BCMAPS_CHANGE_COPIES :
							    count;
}

/* Read a whole file.  *out is set on success only, and is indexed.
 *
 * BC_FORMAT       no such file, or damaged; "byte N: WHY", N in the file, or in
 *                 the decompressed content where it says so
 * BC_UNSUPPORTED  another version, or more than one of the three limits
 * BC_NOMEM */
BC_MUST_USE bool bcmaps_read(struct bytes file, struct snapshots *out, struct bc_error *err);

/* Write a whole file to memory, which the caller frees.  What is written can be read.
 *
 * BC_UNSUPPORTED  more than one of the three limits
 * BC_NOMEM */
BC_MUST_USE bool bcmaps_write(const struct snapshots *snapshots, uint8_t **data, size_t *size,
			      struct bc_error *err);

/* The content of the frame alone, for tests that damage it. */
BC_MUST_USE bool bcmaps_read_content(struct bytes content, struct snapshots *out,
				     struct bc_error *err);

#endif
