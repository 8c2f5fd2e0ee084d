/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes of hardware traces.  A recorder takes them from the buffer of each processor, or of
 * each thread, chunk by chunk; the chunks of one buffer are a queue, in which each byte has a
 * position, counted from the begin of the trace. Chunks that follow each other are read as one row
 * of bytes: what was cut between them is whole again.  Where bytes are missing there is a gap.
 *
 * The reader of a queue sees a window of its bytes: it takes some off the front, and asks for more.
 * A queue needs no more memory than its window, and what was put into it from memory and not yet
 * read.
 */
#ifndef SAMPLES_AUX_QUEUE_H
#define SAMPLES_AUX_QUEUE_H

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/map.h"
#include "src/base/vec.h"

/*
 * The clock of a trace: processors stamp their traces with a counter of their own, and a TIME_CONV
 * record of perf.data says which time of the recording a tick of that counter is.
 *
 *   u64 shift, mult, zero [, cycles, mask, u8 only `mask` of a tick is counted]
 *
 * Facts: tools/perf/util/tsc.c of Linux.
 */

struct aux_clock {
	bool known;
	bool is_short; /* the counter is of fewer than 64 bits: `mask`, the others are those of
			  `cycles` */
	uint8_t shift; /* below 64 */
	uint64_t mult, zero, cycles, mask;
};

#define AUX_CLOCK_SHORT 40 /* bytes of a record after which it shows `is_short` */

/* From the body of a TIME_CONV record.  A body that is too short, or of a shift that is none, says
 * nothing: the clock is not known; and so does a factor of 0, by which all ticks are of one time.
 */
static inline struct aux_clock aux_clock_of(struct bytes body)
{
	if (body.size < 24 || le64(body.data) >= 64 || !le64(body.data + 8))
		return (struct aux_clock){0};
	struct aux_clock clock = {
		.known = true,
		.shift = (uint8_t)le64(body.data),
		.mult = le64(body.data + 8),
		.zero = le64(body.data + 16),
	};
	if (body.size > AUX_CLOCK_SHORT + 1 && body.data[AUX_CLOCK_SHORT + 1]) {
		clock.is_short = true;
		clock.cycles = le64(body.data + 24);
		clock.mask = le64(body.data + 32);
	}
	return clock;
}

/* The time of a tick in ns, of the clock that the records of the recording have.  Sums wrap around.
 */
static inline uint64_t aux_clock_ns(const struct aux_clock *clock, uint64_t ticks)
{
	if (clock->is_short)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	uint64_t whole = ticks >> clock->shift, rest = ticks & ((UINT64_C(1) << clock->shift) - 1);

	return clock->zero + whole * clock->mult + ((rest * clock->mult) >> clock->shift);
}

/* The most queues of a recording: more than there are processors and threads in one. */
#define AUX_QUEUES_MOST 65536

/* The most bytes of a window. */
#define AUX_WINDOW ((size_t)32 << 10)

/* No processor, or no thread. */
#define AUX_NONE UINT32_MAX

struct aux_piece {
	uint64_t at, size; /* of the trace */
	uint8_t *data;     /* the bytes, owned; or NULL: */
	uint64_t file_at;  /* where they are in the file */
	uint64_t time;     /* ns: before which the bytes were written; UINT64_MAX: not known */
};
DEFINE_VEC(aux_piece_vec, struct aux_piece);
DEFINE_VEC(aux_position_vec, uint64_t);

struct aux_queue {
	uint32_t cpu, tid, index;    /* of this processor, or of this thread; both AUX_NONE:
				     distinguished by the index alone */
	struct aux_piece_vec pieces; /* `first` on are not read completely */
	size_t first;
	uint64_t taken; /* bytes of the first of them that are read */
	struct aux_position_vec
		losses; /* positions in front of which something was lost, ascending as they came */
	size_t next_loss;
	uint8_t *window;
	size_t begin, end, capacity;
	uint64_t position; /* of the byte after the window */
	uint64_t time;     /* of the chunk read last */
	uint64_t left;     /* bytes that are not in the window yet */
	bool begun;
	uint64_t reference; /* what the recorder says of its first chunk: of Intel PT the time stamp
			       counter */
	bool raw;           /* of one source, not in CoreSight's frames, if AUX records say so */
	bool overwrites;    /* the recorder took snapshots of a ring: chunks can begin with bytes of
			       those before */
};
DEFINE_VEC(aux_queue_vec, struct aux_queue);

/* Reads bytes of the file. */
struct aux_file {
	void *ctx;
	bool (*read)(void *ctx, uint64_t at, uint8_t *to, size_t size, struct bc_error *err);
};

struct aux_queues {
	struct aux_queue_vec all;
	struct map by_key;
	struct aux_file file;
	uint64_t in_memory; /* bytes of chunks with data */
};

void aux_queues_free(struct aux_queues *queues);

/* The number of the queue of a processor or thread, a new one if there is none.
 * BC_NOMEM, BC_FORMAT: more than AUX_QUEUES_MOST */
BC_MUST_USE bool aux_queues_obtain(struct aux_queues *queues, uint32_t cpu, uint32_t tid,
				   uint32_t index, uint32_t *number, struct bc_error *err);

/* The queue of a processor, else the one of a thread; NULL: there is none. */
struct aux_queue *aux_queues_find(struct aux_queues *queues, uint32_t cpu, uint32_t tid);

/* Put a chunk at the end of a queue.  Takes `piece.data`, in any case.  BC_NOMEM. */
BC_MUST_USE bool aux_queue_add(struct aux_queues *queues, uint32_t number, struct aux_piece piece,
			       struct bc_error *err);

/* The recorder lost something just in front of this position.  BC_NOMEM. */
BC_MUST_USE bool aux_queue_lost(struct aux_queue *queue, uint64_t position, struct bc_error *err);

/* The bytes that were not taken, and where the first of them is. */
static inline struct bytes aux_queue_bytes(const struct aux_queue *queue)
{
	if (!queue->window)
		return (struct bytes){NULL, 0};
	return (struct bytes){queue->window + queue->begin, queue->end - queue->begin};
}

static inline uint64_t aux_queue_at(const struct aux_queue *queue)
{
	return queue->position - (queue->end - queue->begin);
}

/* So many of these are left. */
static inline void aux_queue_keep(struct aux_queue *queue, size_t left)
{
	queue->begin = queue->end - left;
}

enum aux_more {
	AUX_MORE, /* there are more bytes */
	AUX_LOSS, /* what comes next was written after something was lost: bytes that were not taken
		     are dropped, those are in the window */
	AUX_GAP, /* ... after bytes that are missing: it can begin within what was written as one */
	AUX_NO_MORE, /* none, so far; as they were */
	AUX_FAILED,
};

/* Read more bytes after the window.  BC_NOMEM, or what the file said.  BC_FORMAT: the window is
 * full, as the reader took nothing. */
BC_MUST_USE enum aux_more aux_queue_read(struct aux_queues *queues, uint32_t number,
					 struct bc_error *err);

#endif
