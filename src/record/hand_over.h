/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From what was counted for files to binaries: files with the same code are one, offsets become
 * vaddrs, and what the types of branches say is settled.
 */
#ifndef RECORD_HAND_OVER_H
#define RECORD_HAND_OVER_H

#include "src/record/run_files.h"

/* recorder_flush() of these files.  event: the name of basic samples.  What turns out not to be
 * kept moves in the ledgers. */
BC_MUST_USE bool hand_over(struct run_files *files, const struct processes *processes,
			   const char *event, const struct recorded_taker *to,
			   struct recorder_stats *stats, struct bc_error *err);

/* recorder_counts() of these files. */
BC_MUST_USE bool counts_so_far(const struct run_files *files, const struct build_id *digest,
			       const char *event, struct recorded_counts **out, uint64_t *samples,
			       struct bc_error *err);

#endif
