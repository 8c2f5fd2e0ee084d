/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hardware traces in perf.data: from AUX records and the bytes after AUXTRACE records to
 * samples and branch outcomes.
 *
 * For Arm SPE each
 * branch that was sampled becomes a sample with a stack of its own, as perf script --itrace=bl
 * prints it: the branch, and, if the processor gave it, where the taken branch before it led to (an
 * entry without a source).  For other kinds, if somebody takes them, whatever the trace says of the
 * path through the code (aux/trace_flow.h): kinds are rows of aux/trace_flow.c.
 *
 *   AUXTRACE_INFO   u32 kind, u32 0, what the recorder knows of the processors
 *   AUXTRACE        u64 size, position, reference; u32 index, tid, cpu, 0; then `size` bytes that
 *                   the record's size does not count
 *   AUX             u64 position, size, flags: the kernel filled this part of a buffer
 *   TIME_CONV       the clock (aux/queue.h)
 *   ITRACE_START    u32 pid, tid: which task runs where the trace begins
 *   SWITCH, SWITCH_CPU_WIDE   which task runs from now on
 *   AUX_OUTPUT_HW_ID   u64: which number a processor has in CoreSight's frames
 *
 * A recorder writes a trace long after what it is of: the mappings of its processes may have
 * changed.  In a file that can be read in any order all chunks are found first; then each sample is
 * delivered in front of the first process event that came after it, and so are branch outcomes, a
 * batch at a time.  From a pipe both are delivered when they come.
 *
 * Facts: tools/lib/perf/include/perf/event.h, tools/perf/util/arm-spe.c and auxtrace.c of Linux.
 */
#ifndef SAMPLES_PERF_DATA_PROCESSOR_TRACE_H
#define SAMPLES_PERF_DATA_PROCESSOR_TRACE_H

#include "src/samples/aux/queue.h"
#include "src/samples/aux/spe.h"
#include "src/samples/perf_data/flow_lanes.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_file.h"
#include "src/samples/perf_data/perf_records.h"
#include "src/samples/read_options.h"

/*
 * In which process a hardware trace was written: which thread ran on which processor, and
 * which process each thread is of, at the time up to which records were delivered.
 */

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
	uint64_t changes; /* of tasks and processors so far: branch outcomes hold until the next */
};

void trace_owners_free(struct trace_owners *owners);

/* The trailer of a record, with what its event has recorded of task, time and processor. */
struct perf_trailer trace_trailer(const struct perf_setup *setup, const struct perf_record *record);

/* A record of a task that is delivered now, in the order of times: COMM, FORK, ITRACE_START,
 * SWITCH, SWITCH_CPU_WIDE.  Others are ignored.  BC_NOMEM. */
BC_MUST_USE bool trace_owners_take(struct trace_owners *owners, const struct perf_setup *setup,
				   uint64_t time, const struct perf_record *record,
				   struct bc_error *err);

/* What the bytes of a buffer say of whose they are. */
struct trace_hint {
	uint32_t cpu, tid; /* of the buffer; AUX_NONE: it is not of one */
	uint32_t context;  /* the number of the thread, as the kernel has the processor write it ...
			    */
	bool has_context;
};

struct trace_owner trace_owners_find(const struct trace_owners *owners,
				     const struct trace_hint *hint);

/* Has the process run another program since that time? */
bool trace_owners_gone(const struct trace_owners *owners, uint32_t pid, uint64_t time);

/* Samples of a queue of the same number. */
struct trace_lane {
	struct spe_decoder spe; /* with the record that comes next, if it waits */
	uint64_t time;          /* of that; UINT64_MAX: at the end */
	bool stamped;           /* the trace shows times */
	bool waits;
	uint32_t pid; /* of `context`, when `changes` were the last */
	uint32_t context;
	bool has_context;
	uint64_t changes;
};
DEFINE_VEC(trace_lane_vec, struct trace_lane);

/* The next record of a queue, or the next branch outcomes of a lane, in a heap. */
struct trace_next {
	uint64_t time;
	uint32_t lane;
};
DEFINE_VEC(trace_next_vec, struct trace_next);

/* The most bytes of traces from a pipe that wait for process events. */
#define PERF_TRACES_WAIT (UINT64_C(256) << 20)

/* What an AUX record says of a queue that has no chunk yet. */
struct trace_notice {
	uint32_t cpu, tid;
	uint64_t end, flags;
};
DEFINE_VEC(trace_notice_vec, struct trace_notice);
#define PERF_NOTICES_MOST 4096 /* of these; more are forgotten */

/* The most branch outcomes that are handed over at once. */
#define PERF_FLOW_MOST (4 * FLOW_BATCH_MOST)

struct perf_traces {
	struct perf_setup *setup; /* borrowed, like these */
	const struct event_sink *sink;
	const struct flow_taker *flow; /* takes branch outcomes; NULL: nobody does */
	struct perf_pool *pool;
	struct perf_data_report *details;
	bool decodes; /* the recording has traces that are read here */
	bool indexed; /* all chunks of the first file are known ... */
	bool asleep;  /* ... and none of them was read */
	struct aux_clock clock;
	struct aux_queues queues;
	struct trace_notice_vec notices;
	struct trace_lane_vec lanes;
	struct trace_next_vec heap;
	struct trace_owners owners;
	struct flow_lanes flows;
	struct trace_flow gather;     /* of one lane ... */
	struct flow_answer *gathered; /* ... not handed over yet */
	struct perf_block *block;     /* that branches are written to; held */
	size_t used;
};

/* flow  takes branch outcomes; NULL: nobody does, and traces that have branch outcomes are not
 * read */
void perf_traces_init(struct perf_traces *traces, struct perf_setup *setup,
		      const struct event_sink *sink, const struct flow_taker *flow,
		      struct perf_pool *pool, struct perf_data_report *details);
void perf_traces_fini(struct perf_traces *traces);

/* The header of the file, or a record, says that there are traces: who takes their branch outcomes
 * is informed. */
void perf_traces_announce(struct perf_traces *traces);

/* AUXTRACE_INFO: which traces these are.  If they are read here and the file can be read in any
 * order, all its chunks from `begin` to `end` are found, wherever this record is; UINT64_MAX:
 * to the end of the file.  BC_NOMEM, BC_FORMAT, BC_IO. */
BC_MUST_USE bool perf_traces_info(struct perf_traces *traces, const struct perf_record *record,
				  struct perf_file *file, uint64_t begin, uint64_t end,
				  struct bc_error *err);

/* TIME_CONV */
void perf_traces_clock(struct perf_traces *traces, const struct perf_record *record);

/* AUX.  BC_NOMEM; BC_FORMAT: it is cut. */
BC_MUST_USE bool perf_traces_aux(struct perf_traces *traces, const struct perf_record *record,
				 struct bc_error *err);

/* AUX_OUTPUT_HW_ID.  BC_NOMEM. */
BC_MUST_USE bool perf_traces_number(struct perf_traces *traces, const struct perf_record *record,
				    struct bc_error *err);

/* AUXTRACE: takes the bytes after it out of the stream, if they are not known by now.  now: ns, up
 * to which records were read; they are of a time before.  BC_NOMEM; BC_FORMAT: it is cut. */
BC_MUST_USE bool perf_traces_take(struct perf_traces *traces, const struct perf_record *record,
				  struct perf_stream *stream, bool main_file, uint64_t now,
				  struct bc_error *err);

/* Do more bytes wait than should? */
static inline bool perf_traces_full(const struct perf_traces *traces)
{
	return traces->queues.in_memory > PERF_TRACES_WAIT;
}

/* A record of a task that is delivered now, in the order of times: COMM, FORK, ITRACE_START,
 * SWITCH, SWITCH_CPU_WIDE.  Others are ignored.  BC_NOMEM. */
BC_MUST_USE bool perf_traces_task(struct perf_traces *traces, uint64_t time,
				  const struct perf_record *record, struct bc_error *err);

/* Deliver the samples and branch outcomes of all times up to `until`, UINT64_MAX: all.
 *
 * latest  the time of the latest process event that was delivered: what is older and of a process
 *         that has run another program since is not delivered, but counted
 * BC_NOMEM, BC_IO, or what the sink said */
BC_MUST_USE bool perf_traces_deliver(struct perf_traces *traces, uint64_t until, uint64_t latest,
				     struct bc_error *err);

/* After the last chunk: what was cut is counted. */
void perf_traces_end(struct perf_traces *traces);

#endif
