/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PROTECTION_EXEC 4u /* PROT_EXEC in MMAP2 */
#define ID_BYTES        20
#define NUMBERS_SIZE    24 /* device and inode, or the build-id */

bool perf_record_type_is_known(uint32_t type)
{
	static const struct {
		uint32_t first, last;
	} known[] = {
		{PERF_RECORD_MMAP, 22}, /* CALLCHAIN_DEFERRED */
		{PERF_USER_ATTR, 86},   /* SCHEDSTAT_DOMAIN */
		{PERF_SIMPLEPERF_TYPES + 1,
		 PERF_SIMPLEPERF_TYPES + 10}, /* KERNEL_SYMBOL to DEBUG */
	};

	for (size_t i = 0; i < BC_COUNT(known); i++)
		if (type >= known[i].first && type <= known[i].last)
			return true;
	return false;
}

/* u8 size, 3 bytes reserved, u8 id[20] */
static void parse_build_id(struct bytes bytes, struct build_id *out)
{
	if (!bytes.data)
		return;
	out->size = bytes.data[0] < ID_BYTES ? bytes.data[0] : ID_BYTES;
	memcpy(out->data, bytes.data + 4, out->size);
}

/* u32 major, u32 minor, u64 inode, u64 generation */
static void parse_node(struct bytes bytes, struct file_node *out)
{
	if (bytes.data)
		*out = (struct file_node){le32(bytes.data), le32(bytes.data + 4),
					  le64(bytes.data + 8), le64(bytes.data + 16)};
}

/* The body without its trailer. */
static struct perf_cursor own_part(const struct perf_record *record, size_t trailer)
{
	size_t size = record->body.size;

	return perf_cursor(bytes_first(record->body, trailer < size ? size - trailer : 0));
}

bool perf_record_map(const struct perf_record *record, size_t trailer, struct map_event *out)
{
	struct perf_cursor c = own_part(record, trailer);
	struct map_event map = {.pid = cursor_u32(&c)};

	cursor_u32(&c); /* tid */
	map.start.v = cursor_u64(&c);
	map.size = cursor_u64(&c);
	map.offset.v = cursor_u64(&c);
	map.executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (record->type == PERF_RECORD_MMAP2) {
		struct bytes numbers = cursor_take(&c, NUMBERS_SIZE);
		if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			parse_build_id(numbers, &map.build_id);
		else
			parse_node(numbers, &map.node);
		map.executable = cursor_u32(&c) & PROTECTION_EXEC;
		cursor_u32(&c); /* flags */
	}
	map.path = bytes_string(c.rest);
	if (!c.failed)
		*out = map;
	return !c.failed;
}

bool perf_record_task(const struct perf_record *record, struct perf_task *out)
{
	struct perf_cursor c = perf_cursor(record->body);
	struct perf_task task = {.pid = cursor_u32(&c)};

	task.parent_pid = cursor_u32(&c);
	task.tid = cursor_u32(&c);
	task.parent_tid = cursor_u32(&c);
	task.time = cursor_u64(&c);
	if (!c.failed)
		*out = task;
	return !c.failed;
}

bool perf_record_comm(const struct perf_record *record, size_t trailer, struct perf_comm *out)
{
	struct perf_cursor c = own_part(record, trailer);
	struct perf_comm comm = {.pid = cursor_u32(&c)};

	comm.tid = cursor_u32(&c);
	comm.exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
	comm.name = bytes_string(c.rest);
	if (!c.failed)
		*out = comm;
	return !c.failed;
}

bool perf_record_lost(const struct perf_record *record, uint64_t *out)
{
	struct perf_cursor c = perf_cursor(record->body);

	if (record->type == PERF_RECORD_LOST)
		cursor_u64(&c); /* id */
	uint64_t lost = cursor_u64(&c);
	if (!c.failed)
		*out = lost;
	return !c.failed;
}

bool perf_record_compressed(const struct perf_record *record, struct bytes *out)
{
	struct perf_cursor c = perf_cursor(record->body);
	struct bytes payload = c.rest;

	/* The newer form is padded, and says how much of it counts. */
	if (record->type == PERF_USER_COMPRESSED2)
		payload = cursor_take(&c, cursor_u64(&c));
	if (!c.failed)
		*out = payload;
	return !c.failed;
}

bool perf_record_extra(const struct perf_record *record, uint64_t *out)
{
	struct perf_cursor c = perf_cursor(record->body);
	uint64_t extra = 0;

	if (record->type == PERF_USER_TRACING_DATA)
		extra = ((uint64_t)cursor_u32(&c) + 7) & ~UINT64_C(7);
	else if (record->type == PERF_USER_AUXTRACE)
		extra = cursor_u64(&c);
	if (!c.failed)
		*out = extra;
	return !c.failed;
}

void perf_pool_fini(struct perf_pool *pool)
{
	while (pool->free) {
		struct perf_block *block = pool->free;
		pool->free = block->next;
		free(block);
	}
}

static struct perf_block *block_of(struct event_memory *memory)
{
	return (struct perf_block *)(void *)memory; /* its first member */
}

static void hold_memory(struct event_memory *memory)
{
	perf_block_hold(block_of(memory));
}

static void release_memory(struct event_memory *memory)
{
	perf_pool_release(block_of(memory)->pool, block_of(memory));
}

struct perf_block *perf_pool_take(struct perf_pool *pool)
{
	struct perf_block *block = pool->free;

	if (block)
		pool->free = block->next;
	else
		block = malloc(sizeof(*block) + PERF_BLOCK_SIZE);
	if (!block)
		return NULL;
	block->memory = (struct event_memory){hold_memory, release_memory};
	block->pool = pool;
	block->holders = 1;
	block->waiting = 0;
	pool->in_use++;
	return block;
}

void perf_pool_release(struct perf_pool *pool, struct perf_block *block)
{
	if (!block || --block->holders)
		return;
	block->next = pool->free;
	pool->free = block;
	pool->in_use--;
}

void perf_framer_fini(struct perf_framer *framer, struct perf_pool *pool)
{
	perf_pool_release(pool, framer->block);
	*framer = (struct perf_framer){0};
}

/* Continue in another block, to which the unread bytes of this one are copied. */
static bool change_block(struct perf_framer *framer, struct perf_pool *pool)
{
	struct perf_block *next = perf_pool_take(pool);
	size_t left = perf_framer_left(framer);

	if (!next)
		return false;
	if (left)
		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): where something is left there is a block */
		memcpy(next->data, framer->block->data + framer->begin, left);
	perf_pool_release(pool, framer->block);
	*framer = (struct perf_framer){next, 0, left};
	return true;
}

uint8_t *perf_framer_room(struct perf_framer *framer, struct perf_pool *pool, size_t *size)
{
	if ((!framer->block || framer->end == PERF_BLOCK_SIZE) && !change_block(framer, pool))
		return NULL;
	*size = PERF_BLOCK_SIZE - framer->end;
	return framer->block->data + framer->end;
}

size_t perf_framer_drop(struct perf_framer *framer, uint64_t size)
{
	size_t left = perf_framer_left(framer);
	size_t dropped = size < left ? (size_t)size : left;

	framer->begin += dropped;
	return dropped;
}

/* perf 6.16 wrote COMPRESSED2 records of 65529 to 65535 bytes with their size
 * rounded up to 65536, which is 0 in 16 bits. */
static size_t repair_size(struct bytes rest)
{
	const size_t headers = PERF_RECORD_HEADER_SIZE + 8;

	if (rest.size < headers)
		return headers; /* the record is not read completely yet */
	uint64_t size = le64(rest.data + PERF_RECORD_HEADER_SIZE) + headers;
	return size > 65528 && size < 65536 ? (size_t)size : 0;
}

static size_t record_size(struct bytes rest, uint32_t type)
{
	size_t size = le16(rest.data + 6);

	return type == PERF_USER_COMPRESSED2 && !size ? repair_size(rest) : size;
}

enum perf_frame perf_framer_next(struct perf_framer *framer, struct perf_record *out,
				 uint64_t *extra)
{
	if (perf_framer_left(framer) < PERF_RECORD_HEADER_SIZE)
		return PERF_FRAME_CUT;
	struct bytes rest = {framer->block->data + framer->begin, perf_framer_left(framer)};
	uint32_t type = le32(rest.data);
	uint16_t misc = le16(rest.data + 4);
	size_t size = record_size(rest, type);
	uint64_t whole = size;

	*extra = 0;
	if (type >= PERF_SIMPLEPERF_TYPES) {
		whole += (uint64_t)misc << 16;
		size = PERF_RECORD_HEADER_SIZE;
		*extra = whole - size;
	}
	if (whole < PERF_RECORD_HEADER_SIZE)
		return PERF_FRAME_BAD;
	if (size > rest.size)
		return PERF_FRAME_CUT;
	framer->begin += size;
	*out = (struct perf_record){
		.type = type,
		.misc = misc,
		.body = {rest.data + PERF_RECORD_HEADER_SIZE, size - PERF_RECORD_HEADER_SIZE},
		.block = framer->block,
	};
	return PERF_FRAME_WHOLE;
}
