/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From records to events: records are put into the order of their times, and when its turn has
 * come, each becomes an event for the consumer.  For files (perf_data.c) and for the kernel's rings
 * (rings.c).
 */
#ifndef SAMPLES_PERF_DATA_DELIVER_H
#define SAMPLES_PERF_DATA_DELIVER_H

#include "src/samples/perf_data/perf_records.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/read_options.h"

/*
 * Puts records into the order of their times.  perf reads one ring buffer of the
 * kernel after the other, so that the records of a file are a sequence of ascending
 * runs, one for each buffer that was read.  After each round over all buffers it
 * writes FINISHED_ROUND: no record after the second such mark is older than the
 * newest one before the first.  Records wait in their blocks (perf_records.h).
 */

/* The most records and blocks that can wait.  If more would have to (in a file without
 * rounds, or with very large rounds), the older half is delivered.  Records that are older
 * than those and are read later are delivered out of order. */
struct perf_order_limit {
	size_t records, blocks;
};
#define PERF_ORDER_PLAIN                                                                           \
	(struct perf_order_limit){1u << 17, 64} /* 12 MiB, of a file without rounds */
#define PERF_ORDER_ROUNDS                                                                          \
	(struct perf_order_limit){1u << 21, 1024} /* 256 MiB, once a round was seen   */

struct perf_pending {
	uint64_t time;
	const uint8_t *header; /* of the record, in its block */
	struct perf_block *block;
	uint64_t offset;
};

/* Delivers a record. */
struct perf_deliver {
	void *ctx;
	bool (*record)(void *ctx, uint64_t time, const struct perf_record *record,
		       struct bc_error *err);
};

struct perf_order {
	struct perf_pool *pool; /* borrowed */
	struct perf_deliver deliver;
	struct perf_order_limit most, in_rounds; /* that of now; that from the first round on */
	struct perf_pending *at, *spare;         /* what waits, and room to sort it */
	size_t begin, end, capacity, spare_capacity;
	size_t blocks; /* number of blocks with waiting records */
	bool sorted;
	uint64_t newest;      /* the latest time of all records so far */
	uint64_t round_limit; /* `newest` when the last round ended */
};

/* The limits before the first round, and from then on. */
void perf_order_init(struct perf_order *order, struct perf_pool *pool, struct perf_deliver deliver,
		     struct perf_order_limit most, struct perf_order_limit in_rounds);
void perf_order_fini(struct perf_order *order);

/* Add a record, which holds its block until it is delivered.  Delivers older records if too
 * many wait.  BC_NOMEM or an error of `deliver`. */
BC_MUST_USE bool perf_order_put(struct perf_order *order, uint64_t time,
				const struct perf_record *record, struct bc_error *err);

/* A round has ended. */
BC_MUST_USE bool perf_order_round(struct perf_order *order, struct bc_error *err);

/* Deliver all records up to a time, UINT64_MAX: all.  Equal times keep the order
 * in which they came. */
BC_MUST_USE bool perf_order_flush(struct perf_order *order, uint64_t time, struct bc_error *err);

struct perf_traces;

struct perf_delivery {
	const struct perf_setup *setup; /* borrowed, like all here */
	const struct event_sink *sink;
	struct perf_data_report *details;
	const char *file;           /* for messages */
	struct branch *scratch;     /* owned, see perf_branches() */
	uint64_t *callchain;        /* owned, see perf_callchain() */
	uint64_t event_time;        /* of the latest process event delivered */
	uint64_t time;              /* of the latest record delivered        */
	bool ids_may_come;          /* a mapping was delivered before its build-id was known */
	struct perf_traces *traces; /* of the processor, whose samples of the time before come
				       first; NULL: there are none */
};

/* Returns false when out of memory; to be finished all the same. */
BC_MUST_USE bool perf_delivery_init(struct perf_delivery *delivery, const struct perf_setup *setup,
				    const struct event_sink *sink,
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
BC_MUST_USE bool perf_delivery_record(void *ctx, uint64_t time, const struct perf_record *record,
				      struct bc_error *err);

/* Count what a LOST or LOST_SAMPLES record shows.  BC_FORMAT as above. */
BC_MUST_USE bool perf_delivery_lost(struct perf_delivery *delivery,
				    const struct perf_record *record, struct bc_error *err);

#endif
