/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What must hold for snapshots, wherever they were read from. */
#ifndef TESTS_HOSTILE_FUZZ_SUPPORT_CHECK_SNAPSHOTS_H
#define TESTS_HOSTILE_FUZZ_SUPPORT_CHECK_SNAPSHOTS_H

#include "src/samples/snapshots.h"

/* A small damaged file can ask for many mappings; of more than these only the first
 * snapshots are looked at. */
#define CHECK_REGIONS_MOST 20000

/* Regions ascend, do not overlap and are found by their addresses. */
void check_mappings(const struct maps *maps);

/* The mappings of each snapshot do; each is found by its process and id, and by its time. */
void check_snapshots(const struct snapshots *all);

/* The first `count` of both have the same processes, ids, times and mappings; build-ids as
 * well, if they are asked for. */
void check_same_snapshots(const struct snapshots *a, const struct snapshots *b, size_t count,
			  bool build_ids);

/* The mappings of all snapshots, each as often as it is there. */
size_t count_mappings(const struct snapshots *all);

#endif
