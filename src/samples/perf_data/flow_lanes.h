/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the bytes of queues (aux/queue.h) to batches of branch outcomes (aux/trace_flow.h).  A lane
 * is one row of bytes with its decoder: a whole queue or, of a queue in CoreSight's frames, the
 * bytes of one source in it.  Each lane is read ahead by one batch, which waits for its time.
 */
#ifndef SAMPLES_PERF_DATA_FLOW_LANES_H
#define SAMPLES_PERF_DATA_FLOW_LANES_H

#include "src/base/vec.h"
#include "src/samples/aux/etm_frame.h"
#include "src/samples/aux/trace_flow.h"
#include "src/samples/aux/queue.h"

#define FLOW_NO_LANE UINT32_MAX

/* The most lanes of a recording: a hundred processors, each of whose buffers has the bytes of all,
 * have ten thousand. */
#define FLOW_LANES_MOST 65536

DEFINE_VEC(flow_byte_vec, uint8_t);

/* A position in the bytes of a source in front of which something is missing. */
struct flow_cut {
	size_t at;
	bool within; /* what follows can begin within a packet */
};
DEFINE_VEC(flow_cut_vec, struct flow_cut);

struct flow_lane {
	struct flow_source source;
	uint32_t queue;
	void *decoder;
	struct flow_asks asks;
	struct flow_batch batch;   /* the next branch outcomes, if they wait; else without memory */
	struct answer_place place; /* ... of here */
	uint64_t time;             /* ... of this time in ns; UINT64_MAX: at the end */
	uint64_t read;             /* ... bytes that were read for them */
	bool stamped;              /* the trace shows times */
	bool waits;
	bool in_order,
		missed; /* for the user: it is in a heap; branch outcomes in front of these were
			   left out */

	/* For one of several sources of a queue: */
	struct flow_byte_vec bytes; /* of which those in front of `begin` are read */
	size_t begin;
	struct flow_cut_vec cuts; /* the first `next_cut` are passed */
	size_t next_cut;
	uint32_t next; /* lane of this queue; FLOW_NO_LANE: none */
};
DEFINE_VEC(flow_lane_vec, struct flow_lane);

/* What is known of a queue of the same number. */
struct flow_queue {
	bool begun, raw;
	bool stopped; /* its bytes were not read on, as a source has too many that are not read */
	uint64_t strange[2]; /* bit n: source n has no branch outcomes, and no lane */
	uint32_t first;      /* lane of this queue; FLOW_NO_LANE: none */
	struct etm_frames frames;
};
DEFINE_VEC(flow_queue_vec, struct flow_queue);

struct flow_lanes {
	const struct flow_reader *reader; /* NULL: no branch outcomes are read */
	void *setup;
	struct flow_facts facts;
	struct aux_queues *queues; /* borrowed */
	struct flow_lane_vec all;
	struct flow_queue_vec by_queue;
	uint64_t gaps; /* positions where bytes are missing */
};

/* From the body of AUXTRACE_INFO, and the event that wrote the traces (trace_flow.h).  BC_NOMEM,
 * BC_FORMAT. */
BC_MUST_USE bool flow_lanes_open(struct flow_lanes *lanes, const struct flow_reader *reader,
				 struct bytes info, uint64_t config, struct aux_queues *queues,
				 struct bc_error *err);
void flow_lanes_free(struct flow_lanes *lanes);

/* A queue has bytes (again): read a batch of each of its lanes that does not wait.
 * clock  of the recording
 * BC_NOMEM, or what the file said */
BC_MUST_USE bool flow_lanes_wake(struct flow_lanes *lanes, uint32_t queue,
				 const struct aux_clock *clock, struct bc_error *err);

/* The first lane of a queue; flow_lane.next is the next. */
static inline uint32_t flow_lanes_first(const struct flow_lanes *lanes, uint32_t queue)
{
	return queue < lanes->by_queue.len ? lanes->by_queue.at[queue].first : FLOW_NO_LANE;
}

/* Read the next batch of a lane instead of the one that waits.  Other lanes of its queue may then
 * have bytes: wake them. Errors as above. */
BC_MUST_USE bool flow_lane_next(struct flow_lanes *lanes, uint32_t number,
				const struct aux_clock *clock, struct bc_error *err);

/* What all decoders counted. */
struct answer_counts flow_lanes_counts(const struct flow_lanes *lanes);

#endif
