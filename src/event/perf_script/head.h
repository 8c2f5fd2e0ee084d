/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fields of a perf script line that stand before its branch stack:
 *
 *   [comm] pid|tid|pid/tid [[cpu]] [misc] [time:] [period] [event:] [ip] ...
 *
 * Which of them there are depends on what perf was asked for.  A comm can hold
 * anything, blanks and digits included.
 */
#ifndef EVENT_PERF_SCRIPT_HEAD_H
#define EVENT_PERF_SCRIPT_HEAD_H

#include "src/event/line.h"
#include "src/event/event.h"

struct head {
	uint32_t pid; /* or a tid, if only that was printed; NO_PID if -1 */
	bool has_tid; /* both were printed: pid really is the pid */
	bool has_time;
	uint64_t time; /* in ns */
	bool has_ip;
	struct run_addr ip;
	struct run_addr data; /* what stands before ip in a column of its own; or 0 */
	struct text event; /* with its colon; points into the line */
	struct text rest;  /* what follows */
};

/* Read the first `size` bytes of a line.  BC_FORMAT. */
BC_MUST_USE bool head_parse(const struct line *line, size_t size, struct head *out,
			    struct bc_error *err);

/* Read "pid/tid" or a single number, which is both.  -1 is NO_PID. */
bool head_parse_task(struct text word, uint32_t *pid, uint32_t *tid);

#endif
