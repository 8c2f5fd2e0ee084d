/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks of memory that records are read into.  A record that waits until it is
 * delivered is not copied: it holds its block.  A block that nothing holds is used
 * again, so that the reader needs no more memory than the blocks that are held.
 */
#ifndef EVENT_PERF_DATA_BLOCK_H
#define EVENT_PERF_DATA_BLOCK_H

#include <stdalign.h>

#include "src/base/attr.h"
#include "src/event/perf_data/record.h"

/* At least twice the largest record, so that a record that is cut at the end of a
 * block fits into the next one; and small enough to stay in a processor's own cache
 * until its samples are counted. */
#define PERF_BLOCK_SIZE ((size_t)128 << 10)

struct perf_block {
	struct event_memory memory; /* for consumers that hold the block */
	struct perf_pool *pool;
	struct perf_block *next; /* in the pool */
	size_t holders;
	size_t waiting; /* its records that are not delivered yet, see order.h */
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

/* Give up one hold of a block, or of none if it is NULL. */
void perf_pool_release(struct perf_pool *pool, struct perf_block *block);

/* Cuts bytes that come in pieces into records. */
struct perf_framer {
	struct perf_block *block; /* holds it; NULL before the first bytes */
	size_t begin, end;        /* what is there and not given out yet   */
};

void perf_framer_fini(struct perf_framer *framer, struct perf_pool *pool);

/* The memory to read more bytes into, at least one.  perf_framer_add() says how many
 * were read.  NULL when out of memory. */
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
