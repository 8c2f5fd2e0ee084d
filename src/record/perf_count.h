/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events of a process and of all that it starts, counted by the processor and the kernel, without
 * samples: code in user mode.  A virtual machine without counters has the kernel's events
 * alone.
 *
 * Facts: perf_event_open(2); Intel SDM, volume 3, BR_INST_RETIRED.NEAR_TAKEN; AMD's Processor
 * Programming References, PMCx0C4 (retired taken branches).
 */
#ifndef RECORD_PERF_COUNT_H
#define RECORD_PERF_COUNT_H

#include "src/record/perf_open.h"

/* X(NAME, key for machines, text for people) */
#define COUNTED_EVENTS(X)                                                                          \
	X(INSTRUCTIONS, "instructions", "instructions")                                            \
	X(TAKEN, "taken_branches", "taken branches")                                               \
	X(LINE_MISSES, "line_misses", "I-cache misses")                                            \
	X(PAGE_MISSES, "itlb_misses", "iTLB misses")                                               \
	X(CYCLES, "cycles", "cycles")                                                              \
	X(FAULTS, "page_faults", "page faults")

#define X(name, key, text) COUNTED_##name,
enum counted_event { COUNTED_EVENTS(X) COUNTED_EVENT_COUNT };
#undef X

struct event_counts {
	bool has[COUNTED_EVENT_COUNT]; /* else it was not counted */
	uint64_t of[COUNTED_EVENT_COUNT];
};

struct event_counters {
	const struct perf_kernel *kernel;
	int fds[COUNTED_EVENT_COUNT]; /* -1: it is not counted */
};

/* Opens all events that the kernel gives; the others are not counted.  They count from the task's
 * next exec() on if `from_exec`, else when they are switched on. */
void event_counters_open(const struct perf_kernel *kernel, int task, bool from_exec,
			 struct event_counters *out);
void event_counters_switch(struct event_counters *counters, bool on);

/* So far.  Where more events than counters were asked for, each had a counter for a part of the
 * time, and its count is extrapolated. */
void event_counters_read(const struct event_counters *counters, struct event_counts *out);
void event_counters_close(struct event_counters *counters);

const char *counted_event_key(enum counted_event event);
const char *counted_event_text(enum counted_event event);

#endif
