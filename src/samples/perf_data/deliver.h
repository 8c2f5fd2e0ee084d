/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a record becomes, when its turn has come (order.h): an event for the consumer.  For files
 * (perf_data.c) and for the kernel's rings (rings.c).
 */
#ifndef SAMPLES_PERF_DATA_DELIVER_H
#define SAMPLES_PERF_DATA_DELIVER_H

#include "src/samples/perf_data/perf_records.h"
#include "src/samples/perf_data/setup.h"
#include "src/samples/read_options.h"

struct perf_traces;

struct perf_delivery {
	const struct perf_setup *setup; /* borrowed, like all here */
	const struct event_sink *sink;
	struct perf_data_report *details;
	const char *file;         /* for messages */
	struct branch *scratch;   /* owned, see perf_branches() */
	uint64_t *callchain;          /* owned, see perf_callchain() */
	uint64_t event_time;      /* of the latest process event delivered */
	uint64_t time;            /* of the latest record delivered        */
	bool ids_may_come;        /* a mapping was delivered before its build-id was known */
	struct perf_traces *traces; /* of the processor, whose samples of the time before come first; NULL: there are none */
};

/* Returns false when out of memory; to be finished all the same. */
BC_MUST_USE bool perf_delivery_init(struct perf_delivery *delivery, const struct perf_setup *setup, const struct event_sink *sink,
				    struct perf_data_report *details);
void perf_delivery_fini(struct perf_delivery *delivery);

/* When a process event or sample happened; 0 if it does not say. */
uint64_t perf_delivery_time(const struct perf_delivery *delivery, const struct perf_record *record);

/* Deliver a process event or sample.  A sample that is older than a process
 * event that was delivered already is dropped and counted: its mappings may be
 * gone.  ctx is the delivery, time as above.
 *
 * BC_FORMAT  a record that is too short for its fields; the text has file and offset
 * or what the sink said */
BC_MUST_USE bool perf_delivery_record(void *ctx, uint64_t time, const struct perf_record *record, struct bc_error *err);

/* Count what a LOST or LOST_SAMPLES record tells.  BC_FORMAT as above. */
BC_MUST_USE bool perf_delivery_lost(struct perf_delivery *delivery, const struct perf_record *record, struct bc_error *err);

#endif
