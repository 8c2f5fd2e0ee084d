/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What processes have mapped now, from /proc, a little at a time: the process of the user for whom
 * least was read comes first.  Those with many mappings come last, and are read in parts, as far
 * as there is room for the mappings of their user.
 *
 * What is mapped in a process cannot be read while it is in execve(), and that waits for file
 * systems of whoever runs it (close-on-exec, FUSE).  So threads read it (file_calls.h).  A process
 * that does not respond in time is unread, comes last as well, and is left if it still does not
 * respond.
 */
#ifndef RECORD_PROC_SCAN_H
#define RECORD_PROC_SCAN_H

#include <limits.h>

#include "src/record/perf_open.h"
#include "src/record/recorder.h"
#include "src/record/shares.h"
#include "src/samples/proc.h"

/* Of /proc/PID/maps, so much is read at first: some 600 mappings. */
#define PROC_SCAN_FIRST (PROC_MAPS_LINE_MOST + ((size_t)48 << 10))

struct scan_task {
	int pid;
	uint32_t user; /* of the shares */
};
DEFINE_VEC(scan_task_vec, struct scan_task);

/* Processes that are read at a time, or do not respond, of which each user has a share. */
#define PROC_SCAN_CALLS 8

struct proc_reading;

/* Zeroed except for the first four means that there is nothing to do. */
struct proc_scan {
	struct recorder *recorder;
	enum perf_target target;
	struct task_vec
		*processes; /* of a target that is neither the machine nor a cgroup; grows */
	const char *cgroup;

	uint64_t began;
	uint64_t count;             /* scans that began so far */
	uint64_t unreadable;        /* processes of this one whose maps may not be read */
	struct scan_task_vec tasks; /* by user, ... */
	size_t asked;               /* ... when so many were asked for it: all */
	struct scan_task_vec large; /* those that come last */
	bool last;                  /* they do now */
	size_t next[SHARES_MOST], end[SHARES_MOST];
	size_t left;
	struct proc_reading *readings[PROC_SCAN_CALLS]; /* NULL: not needed so far */
	struct proc_reading *opened; /* the one of which the next part is read, or NULL */
	uint64_t others_cpu;         /* ns of processor time of other threads so far */
};

/* Begins, also where those that come last were not all read.  BC_IO, BC_NOMEM */
BC_MUST_USE bool proc_scan_begin(struct proc_scan *scan, uint64_t now, struct bc_error *err);

/* Is there something to read? */
bool proc_scan_goes_on(const struct proc_scan *scan);

/* Reads a little, for some milliseconds; longer where processes do not respond.  What the recorder
 * says. */
BC_MUST_USE bool proc_scan_step(struct proc_scan *scan, struct bc_error *err);

/* No more is read: the users of what is left have as many unread processes. */
void proc_scan_end(struct proc_scan *scan);

#endif
