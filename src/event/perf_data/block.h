/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The memory that records lie in.  Records that wait for their turn stay where
 * they were read: they hold their block, and a block that nobody holds is read
 * into again.  What is in use is what bounds the reader's memory.
 */
#ifndef EVENT_PERF_DATA_BLOCK_H
#define EVENT_PERF_DATA_BLOCK_H

#include <stdalign.h>

#include "src/base/attr.h"
#include "src/event/perf_data/record.h"

/* At least twice the largest record, so that one that is cut at the end of a
 * block fits into the next; and little enough to be counted while it is in a
 * processor's own cache. */
#define PERF_BLOCK_SIZE ((size_t)128 << 10)

struct perf_block {
	struct event_memory memory; /* a holder more, one less */
	struct perf_pool *pool;
	struct perf_block *next; /* in the pool */
	size_t holders;
	size_t waiting; /* records in it that wait, see perf_data_order.h */
	alignas(16) uint8_t data[];
};

struct perf_pool {
	struct perf_block *free;
	size_t in_use;
};

void perf_pool_fini(struct perf_pool *pool);

/* A block with one holder; NULL when out of memory. */
struct perf_block *perf_pool_take(struct perf_pool *pool);

static inline void perf_block_hold(struct perf_block *block)
{
	block->holders++;
}

/* One holder less; NULL is fine. */
void perf_pool_release(struct perf_pool *pool, struct perf_block *block);

/* Cuts bytes that come in pieces into records. */
struct perf_framer {
	struct perf_block *block; /* holds it; NULL before the first bytes */
	size_t begin, end;        /* what is there and not given out yet   */
};

void perf_framer_fini(struct perf_framer *framer, struct perf_pool *pool);

/* Room for more bytes behind those that are there: never empty.  What is put
 * there counts once perf_framer_add() was told.  NULL when out of memory. */
uint8_t *perf_framer_room(struct perf_framer *framer, struct perf_pool *pool, size_t *size);

static inline void perf_framer_add(struct perf_framer *framer, size_t size)
{
	framer->end += size;
}

static inline size_t perf_framer_left(const struct perf_framer *framer)
{
	return framer->end - framer->begin;
}

/* Drop up to `size` bytes from the front; returns how many there were. */
size_t perf_framer_drop(struct perf_framer *framer, uint64_t size);

enum perf_frame {
	PERF_FRAME_WHOLE, /* *out is the next record, but for its offset        */
	PERF_FRAME_CUT,   /* more bytes are needed                              */
	PERF_FRAME_BAD,   /* the size in its header is smaller than the header  */
};

/* Take the next record off the front.  Of a simpleperf record only the header
 * is taken: *extra is the size of what follows, to be dropped. */
enum perf_frame perf_framer_next(struct perf_framer *framer, struct perf_record *out,
				 uint64_t *extra);

#endif
