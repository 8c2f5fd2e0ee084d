/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads what the kernel wrote into its ring buffers, of one event, as perf_data.h reads what perf
 * copied out of them into a file: the same records in the same order become the same events.
 *
 * Whoever reads the rings copies their bytes out, ring by ring, and ends a round when all were
 * read: no record that is written later is older than the newest of the round before.
 */
#ifndef SAMPLES_PERF_DATA_RINGS_H
#define SAMPLES_PERF_DATA_RINGS_H

#include "src/samples/perf_data/deliver.h"

/* A record that continues in the next bytes of its ring. */
struct ring_rest {
	uint8_t *bytes; /* owned; NULL: there never was one */
	size_t size, capacity;
	uint64_t at; /* bytes of the ring so far */
};

struct perf_rings {
	struct perf_setup setup;
	struct perf_data_report details;
	struct event_sink sink;
	struct perf_delivery delivery; /* to that */
	struct perf_pool pool;
	struct perf_framer framer;
	struct perf_order order;
	struct ring_rest *rests; /* of each ring */
	uint32_t count;
	const char *name; /* of them all, for messages; borrowed */
};

/* attr: the event's struct perf_event_attr.  The sink gets no EVENT_BEGIN and no EVENT_END.  Finish
 * it also after an error.
 *
 * BC_FORMAT       attr is cut
 * BC_UNSUPPORTED  records of the event show no time or process
 * BC_NOMEM */
BC_MUST_USE bool perf_rings_init(struct perf_rings *rings, struct bytes attr, uint32_t count,
				 struct perf_order_limit most, const struct event_sink *sink,
				 struct bc_error *err);
void perf_rings_fini(struct perf_rings *rings);

/* Take bytes of a ring.  Records that are lost are counted in `details`, other records are not
 * delivered.
 *
 * BC_FORMAT  no record of the kernel; the text has the byte of the ring since the beginning, and
 *            which ring
 * BC_NOMEM, or what the sink said */
BC_MUST_USE bool perf_rings_take(struct perf_rings *rings, uint32_t ring, struct bytes bytes,
				 struct bc_error *err);

/* All rings were read: deliver what is not newer than the round before. */
BC_MUST_USE bool perf_rings_round(struct perf_rings *rings, struct bc_error *err);

/* Nothing comes any more: deliver all. */
BC_MUST_USE bool perf_rings_end(struct perf_rings *rings, struct bc_error *err);

/* Bytes of memory in use. */
uint64_t perf_rings_memory(const struct perf_rings *rings);

/*
 * Records as the kernel writes them of this event, for what it does not say of itself: which
 * processes there were before.  The bytes are for perf_rings_take(); each function returns how many
 * there are.
 */

/* The most bytes of a record. */
#define PERF_RECORD_MOST 65528

/* A MMAP2 record; of a path as much as it holds. */
size_t perf_rings_put_map(const struct perf_rings *rings, const struct map_event *map,
			  uint64_t time, uint8_t to[PERF_RECORD_MOST]);

/* A COMM record as of exec: nothing is mapped in the process any more, and it has one thread. */
size_t perf_rings_put_exec(const struct perf_rings *rings, uint32_t pid, uint64_t time,
			   uint8_t to[PERF_RECORD_MOST]);

/* type: PERF_RECORD_FORK, a thread of a process began, or PERF_RECORD_EXIT, it has ended. */
size_t perf_rings_put_thread(const struct perf_rings *rings, uint32_t type, uint32_t pid,
			     uint32_t tid, uint64_t time, uint8_t to[PERF_RECORD_MOST]);

#endif
