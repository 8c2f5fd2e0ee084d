/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped in one process: ranges that do not overlap, by ascending
 * address.  Processes share a set after a fork until one of them changes it;
 * samples that wait to be counted share it too.  One thread shares, releases
 * and changes sets; any can look up in a set that has an owner.
 */
#ifndef ADDRSPACE_MAP_SET_H
#define ADDRSPACE_MAP_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

struct mapping {
	uint64_t start, end; /* run-time addresses, [start, end) */
	uint64_t base;       /* of the binary: run-time address - vaddr */
	bool is_image;       /* of the binary; else of something else */
};

/* A short set has its mappings in a row.  A long one is a list of short ones, ascending,
 * which sets share in turn: changing one of a million mappings copies few of them. */
struct map_set {
	uint32_t owners;
	uint32_t len, cap; /* of `at`, or of `parts` */
	struct map_set **parts; /* NULL: a short one */
	/* All mappings of the binary lie in [image_start, image_end), now and before. */
	uint64_t image_start, image_end;
	struct mapping at[];
};

/* One more owner.  NULL is a set too, the empty one. */
struct map_set *map_set_share(struct map_set *set);

/* One owner less. */
void map_set_release(struct map_set *set);

/* Cut [start, end) out of every mapping, and put *insert there unless it is
 * NULL.  A set that others own is copied first.  start < end.
 * Returns false when out of memory; *set is as it was then, or lacks some of what was
 * in [start, end). */
BC_MUST_USE bool map_set_replace(struct map_set **set, uint64_t start, uint64_t end,
				 const struct mapping *insert);

/* The mapping that holds an address, or NULL. */
const struct mapping *map_set_find(const struct map_set *set, uint64_t at);

#endif
