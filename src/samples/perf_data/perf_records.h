/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records: 8 bytes of header {u32 type, u16 misc, u16 size with the header} and
 * a body.  Types below 64 are the kernel's, 64 and above the recorder's own.
 */
#ifndef SAMPLES_PERF_DATA_PERF_RECORDS_H
#define SAMPLES_PERF_DATA_PERF_RECORDS_H

#include <stdalign.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/samples/event.h"

/*
 * Reads fields from bytes, and never after their end.  A field that does not fit is
 * zero or empty and sets `failed`, which stays set: fields in a row are checked once,
 * after the last one.
 */

struct perf_cursor {
	struct bytes rest;
	bool failed;
};

static inline struct perf_cursor perf_cursor(struct bytes bytes)
{
	return (struct perf_cursor){bytes, false};
}

static inline struct bytes cursor_take(struct perf_cursor *c, uint64_t size)
{
	if (size > c->rest.size) {
		c->failed = true;
		c->rest.size = 0;
		return (struct bytes){NULL, 0};
	}
	struct bytes taken = {c->rest.data, (size_t)size};
	if (size) {
		c->rest.data += size;
		c->rest.size -= (size_t)size;
	}
	return taken;
}

static inline uint16_t cursor_u16(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 2);

	return b.data ? le16(b.data) : 0;
}

static inline uint32_t cursor_u32(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 4);

	return b.data ? le32(b.data) : 0;
}

static inline uint64_t cursor_u64(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 8);

	return b.data ? le64(b.data) : 0;
}

/* `count` things of `each` bytes; a count that is too large fails. */
static inline void cursor_skip(struct perf_cursor *c, uint64_t count, size_t each)
{
	if (count > c->rest.size / each)
		c->failed = true;
	else
		cursor_take(c, count * each);
}

/* Bytes up to the first NUL, or all of them. */
static inline struct text bytes_string(struct bytes b)
{
	if (!b.size)
		return text_of("");
	return (struct text){(const char *)b.data, strnlen((const char *)b.data, b.size)};
}

/* A string with its length before it, as the feature sections have them. */
static inline struct text cursor_string(struct perf_cursor *c)
{
	uint32_t len = cursor_u32(c);

	return bytes_string(cursor_take(c, len));
}

#define PERF_RECORD_HEADER_SIZE 8

/* The recorder's types (tools/lib/perf/include/perf/event.h); the kernel's are
 * in linux/perf_event.h. */
enum {
	PERF_USER_TYPES = 64,
	PERF_USER_ATTR = 64,
	PERF_USER_TRACING_DATA = 66,
	PERF_USER_BUILD_ID = 67,
	PERF_USER_FINISHED_ROUND = 68,
	PERF_USER_AUXTRACE_INFO = 70,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_EVENT_UPDATE = 78,
	PERF_USER_TIME_CONV = 79,
	PERF_USER_FEATURE = 80,
	PERF_USER_COMPRESSED = 81,
	PERF_USER_COMPRESSED2 = 83,
	/* simpleperf's own, which have the upper half of a 32-bit size in misc */
	PERF_SIMPLEPERF_TYPES = 32768,
};

/* Is this a type of record that Linux 6.19, its perf or simpleperf write? */
bool perf_record_type_is_known(uint32_t type);

struct perf_block;

struct perf_record {
	uint32_t type;
	uint16_t misc;
	struct bytes body;
	uint64_t offset;          /* in the file; of the compressed record, if it was in one */
	struct perf_block *block; /* the memory that the body is in */
};

/* Each of these reads the body of one kind of record.  `trailer` is the size of
 * the sample_id trailer at its end.  They return false if the body is too short.
 * Texts point into the record. */

/* MMAP and MMAP2.  The build-id is filled if the record has one. */
BC_MUST_USE bool perf_record_map(const struct perf_record *record, size_t trailer,
				 struct map_event *out);

/* FORK and EXIT */
struct perf_task {
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
	uint64_t time;
};
BC_MUST_USE bool perf_record_task(const struct perf_record *record, struct perf_task *out);

struct perf_comm {
	uint32_t pid, tid;
	bool exec; /* the process runs another program now */
	struct text name;
};
BC_MUST_USE bool perf_record_comm(const struct perf_record *record, size_t trailer,
				  struct perf_comm *out);

/* LOST: events; LOST_SAMPLES: samples */
BC_MUST_USE bool perf_record_lost(const struct perf_record *record, uint64_t *out);

/* COMPRESSED and COMPRESSED2: the zstd bytes. */
BC_MUST_USE bool perf_record_compressed(const struct perf_record *record, struct bytes *out);

/* How many bytes follow a record without being part of it: trace data.  Returns
 * false if the body is too short to say. */
BC_MUST_USE bool perf_record_extra(const struct perf_record *record, uint64_t *out);

/*
 * Blocks of memory that records are read into.  A record that waits until it is
 * delivered is not copied: it holds its block.  A block that nothing holds is used
 * again, so that the reader needs no more memory than the blocks that are held.
 */

/* At least twice the largest record, so that a record that is cut at the end of a
 * block fits into the next one; and small enough to stay in a processor's own cache
 * until its samples are counted. */
#define PERF_BLOCK_SIZE ((size_t)128 << 10)

struct perf_block {
	struct event_memory memory; /* for consumers that hold the block */
	struct perf_pool *pool;
	struct perf_block *next; /* in the pool */
	size_t holders;
	size_t waiting; /* its records that are not delivered yet, see deliver.h */
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

/* Cuts bytes that come in chunks into records. */
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
	PERF_FRAME_WHOLE, /* *out is the next record, except for its offset        */
	PERF_FRAME_CUT,   /* more bytes are needed                              */
	PERF_FRAME_BAD,   /* the size in its header is smaller than the header  */
};

/* Take the next record off the front.  For a simpleperf record only the header
 * is taken: *extra is the size of what follows, to be dropped. */
enum perf_frame perf_framer_next(struct perf_framer *framer, struct perf_record *out,
				 uint64_t *extra);

#endif
