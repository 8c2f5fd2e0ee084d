/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fall-throughs that were not recorded: the newest entry of a branch stack says
 * where it went, not how far it ran from there.  The guess is perf2bolt's: the mean
 * length of the fall-throughs after the same branch, else the instruction that it
 * went to.
 */
#ifndef PROFILE_IMPUTE_H
#define PROFILE_IMPUTE_H

#include "src/base/counts.h"
#include "src/elf/binary.h"
#include "src/samples/trace.h"

/* What was seen of the traces of one branch to one place.  Zeroed at first. */
struct impute {
	struct trace_end branch, from;
	uint64_t bytes, count; /* sums over those that have an end */
};

/* Where a trace ends.  All traces of a branch and a place that it went to must be
 * given in a row, the one without an end last, as trace_key() sorts them.
 *
 * from  where it begins */
struct trace_end impute_end(struct impute *impute, const struct binary *binary,
			    const struct count_row *row, struct output_place from);

#endif
