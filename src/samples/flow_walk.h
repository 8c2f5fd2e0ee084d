/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From traces of Intel PT and Arm ETM to executed code: is between a reader and the consumer of its
 * events.  The reader gives events and branch outcomes (samples/aux/trace_flow.h); the consumer
 * gets the events, and EVENT_RAN in front of each that changes what is mapped where it ran, and in
 * front of the end.
 *
 * The branch outcomes of each queue are walked by one thread at a time, those of several queues in
 * parallel, while the reader continues. Memory grows with distinct traces of the processes that
 * run, of which no process keeps more than FLOW_WALK_ROWS; with code that ran; with threads.
 */
#ifndef SAMPLES_FLOW_WALK_H
#define SAMPLES_FLOW_WALK_H

#include "src/base/build_id.h"
#include "src/samples/event.h"
#include "src/samples/walker.h"

/* Distinct traces of a process after which they are delivered, so that the consumer alone has them.
 */
#define FLOW_WALK_ROWS ((size_t)1 << 20)

/* Branch outcomes that are walked at a time. */
#define FLOW_WALK_BATCH ((size_t)1 << 15)

struct flow_walk_options {
	const struct given_code *given; /* the binaries that are converted */
	size_t given_count;
	const struct debug_dirs *dirs; /* borrowed; NULL: none */
	unsigned threads;              /* 1 to PARALLEL_MOST */
	struct event_sink sink;        /* who consumes the events */
};

/* A file, or memory, in which branch outcomes were lost. */
struct lost_file {
	char *path;
	struct build_id id; /* .size 0: not recorded */
	enum walk_loss loss;
	uint64_t answers;
};
DEFINE_VEC(lost_file_vec, struct lost_file);
#define LOST_FILES_MOST 64 /* those that lost most */

struct flow_walk_report {
	struct walk_sums sums;
	uint64_t answers;           /* bits and targets: sums.walked and all of sums.lost */
	uint64_t branches;          /* taken ones that were delivered ... */
	uint64_t rows;              /* ... in so many rows */
	struct lost_file_vec files; /* most branch outcomes first */
	size_t more_files;          /* that are not among these */
};
void flow_walk_report_free(struct flow_walk_report *report);

struct flow_walk;

/* NULL: out of memory.  What options point to must live as long; the options themselves need not.
 */
struct flow_walk *flow_walk_make(const struct flow_walk_options *options);
void flow_walk_free(struct flow_walk *walk);

/* For the reader.  An error of the consumer is the walk's; BC_NOMEM. */
struct event_sink flow_walk_sink(struct flow_walk *walk);
const struct flow_taker *flow_walk_taker(struct flow_walk *walk);

/* After the last input: what became of everything that was read.  The sums are added to those of
 * *out, the files are appended.  BC_NOMEM */
BC_MUST_USE bool flow_walk_tell(const struct flow_walk *walk, struct flow_walk_report *out,
				struct bc_error *err);

/* Then, too: of one of the given binaries. */
struct walk_fit flow_walk_fit(const struct flow_walk *walk, const struct image *given);

#endif
