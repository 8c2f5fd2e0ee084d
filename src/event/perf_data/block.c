/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/block.h"

#include <stdlib.h>
#include <string.h>

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
