/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Puts records into the order of their times.  perf reads one ring buffer of the
 * kernel after the other, so that the records of a file are a sequence of ascending
 * runs, one for each buffer that was read.  After each round over all buffers it
 * writes FINISHED_ROUND: no record behind the second such mark is older than the
 * newest one before the first.  Records wait in their blocks (perf_records.h).
 */
#ifndef SAMPLES_PERF_DATA_ORDER_H
#define SAMPLES_PERF_DATA_ORDER_H

#include "src/samples/perf_data/perf_records.h"

/* The most records and blocks that can wait.  If more would have to (in a file without
 * rounds, or with very large rounds), the older half is delivered.  Records that are older
 * than those and are read later are delivered out of order. */
struct perf_order_limit {
	size_t records, blocks;
};
#define PERF_ORDER_PLAIN (struct perf_order_limit){1u << 17, 64}   /* 12 MiB, of a file without rounds */
#define PERF_ORDER_ROUNDS (struct perf_order_limit){1u << 21, 1024} /* 256 MiB, once a round was seen   */

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
	struct perf_pending *at, *spare; /* what waits, and room to sort it */
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
BC_MUST_USE bool perf_order_flush(struct perf_order *order, uint64_t time,
				  struct bc_error *err);

#endif
