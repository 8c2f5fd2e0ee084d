/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In which process a trace of the processor was written: which thread ran on which processor, and which process each thread is of,
 * at the time up to which records were delivered.
 */
#ifndef SAMPLES_PERF_DATA_TRACE_OWNERS_H
#define SAMPLES_PERF_DATA_TRACE_OWNERS_H

#include "src/samples/perf_data/perf_records.h"
#include "src/samples/perf_data/setup.h"

/* A thread, and what became of its process. */
struct trace_task {
	uint32_t tid, pid;
	uint64_t since; /* ns: that the process of this number runs this program */
};
DEFINE_VEC(trace_task_vec, struct trace_task);

struct trace_owner {
	uint32_t pid, tid; /* NO_PID: not known */
};

/* What runs on a processor. */
struct trace_cpu {
	uint32_t cpu;
	struct trace_owner owner;
};
DEFINE_VEC(trace_cpu_vec, struct trace_cpu);

/* Zeroed: nothing is known. */
struct trace_owners {
	struct trace_task_vec tasks;
	struct map by_tid;
	struct trace_cpu_vec cpus;
	struct map by_cpu;
	uint64_t changes; /* of tasks and processors so far: an answer holds until the next */
};

void trace_owners_free(struct trace_owners *owners);

/* The trailer of a record, with what its event has recorded of task, time and processor. */
struct perf_trailer trace_trailer(const struct perf_setup *setup, const struct perf_record *record);

/* A record of a task that is delivered now, in the order of times: COMM, FORK, ITRACE_START, SWITCH, SWITCH_CPU_WIDE.  Others are
 * ignored.  BC_NOMEM. */
BC_MUST_USE bool trace_owners_take(struct trace_owners *owners, const struct perf_setup *setup, uint64_t time,
				   const struct perf_record *record, struct bc_error *err);

/* What the bytes of a buffer tell of whose they are. */
struct trace_hint {
	uint32_t cpu, tid; /* of the buffer; AUX_NONE: it is not of one */
	uint32_t context;  /* the number of the thread, as the kernel has the processor write it ... */
	bool has_context;
};

struct trace_owner trace_owners_find(const struct trace_owners *owners, const struct trace_hint *hint);

/* Has the process run another program since that time? */
bool trace_owners_gone(const struct trace_owners *owners, uint32_t pid, uint64_t time);

#endif
