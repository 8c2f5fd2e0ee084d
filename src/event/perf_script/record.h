/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The PERF_RECORD_ lines of perf script:
 *
 *   PERF_RECORD_MMAP2 PID/TID: [START(SIZE) @ OFFSET DEVICE INODE GEN]: r-xp PATH
 *   PERF_RECORD_MMAP2 PID/TID: [START(SIZE) @ OFFSET <BUILD-ID>]: r-xp PATH
 *   PERF_RECORD_MMAP PID/TID: [START(SIZE) @ OFFSET]: x PATH
 *   PERF_RECORD_COMM exec: COMM:PID/TID       without exec: only renamed
 *   PERF_RECORD_FORK(PID:TID):(PARENT PID:PARENT TID)
 *   PERF_RECORD_EXIT(PID:TID):(PARENT PID:PARENT TID)
 */
#ifndef EVENT_PERF_SCRIPT_RECORD_H
#define EVENT_PERF_SCRIPT_RECORD_H

#include "src/event/line.h"
#include "src/event/event.h"

enum record_kind { RECORD_OTHER, RECORD_MAP, RECORD_COMM, RECORD_EXEC, RECORD_FORK, RECORD_EXIT };

struct record {
	enum record_kind kind;
	uint32_t pid, tid;    /* NO_PID: the kernel's */
	uint32_t parent;      /* FORK: the pid that it came from */
	struct map_event map; /* MAP; the path points into the line */
};

/* Where in the first `size` bytes of a line a record stands, or `size`. */
size_t record_find(struct text line, size_t size);

/* Read the record that stands at byte `at` of a line.  BC_FORMAT. */
BC_MUST_USE bool record_parse(const struct line *line, size_t at, struct record *out,
			      struct bc_error *err);

#endif
