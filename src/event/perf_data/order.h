/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records in the order of their time.  The recorder empties one ring buffer
 * after the other, so a file is a row of sorted runs.  After each round over all
 * buffers it writes FINISHED_ROUND: no record behind the second such mark is
 * older than the newest before the first.  What waits, waits in its block.
 */
#ifndef EVENT_PERF_DATA_ORDER_H
#define EVENT_PERF_DATA_ORDER_H

#include "src/event/perf_data/block.h"

/* How much can wait.  Where more would have to (a file without rounds, or very
 * large rounds), the older half goes on, and records that come too late for
 * their place come out at the next occasion. */
struct perf_order_limit {
	size_t records, blocks;
};
#define PERF_ORDER_PLAIN {1u << 17, 64}   /* 12 MiB, of a file without rounds */
#define PERF_ORDER_ROUNDS {1u << 21, 1024} /* 256 MiB, once a round was seen   */

struct perf_pending {
	uint64_t time;
	const uint8_t *header; /* of the record, in its block */
	struct perf_block *block;
	uint64_t offset;
};

/* Takes a record in its turn. */
struct perf_deliver {
	void *ctx;
	bool (*record)(void *ctx, uint64_t time, const struct perf_record *record,
		       struct bc_error *err);
};

struct perf_order {
	struct perf_pool *pool; /* borrowed */
	struct perf_deliver deliver;
	struct perf_order_limit most;
	struct perf_pending *at, *spare; /* what waits, and room to sort it */
	size_t begin, end, capacity, spare_capacity;
	size_t blocks; /* that records wait in; others may hold more */
	bool sorted;
	uint64_t newest;      /* time that was ever put in */
	uint64_t round_limit; /* newest at the last round */
};

void perf_order_init(struct perf_order *order, struct perf_pool *pool,
		     struct perf_deliver deliver);
void perf_order_fini(struct perf_order *order);

/* Let a record wait; holds its block.  Delivers older ones if there is no more
 * room.  BC_NOMEM or what `deliver` said. */
BC_MUST_USE bool perf_order_put(struct perf_order *order, uint64_t time,
				const struct perf_record *record, struct bc_error *err);

/* A round has ended. */
BC_MUST_USE bool perf_order_round(struct perf_order *order, struct bc_error *err);

/* Deliver all records up to a time, UINT64_MAX: all.  Equal times keep the order
 * in which they came. */
BC_MUST_USE bool perf_order_flush(struct perf_order *order, uint64_t time,
				  struct bc_error *err);

#endif
