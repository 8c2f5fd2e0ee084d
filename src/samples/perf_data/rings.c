/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/rings.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static bool is_timed(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return true;
	default: return false;
	}
}

static bool take_record(struct perf_rings *rings, const struct perf_record *record,
			struct bc_error *err)
{
	rings->details.records[record->type]++;
	if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES)
		return perf_delivery_lost(&rings->delivery, record, err);
	if (!is_timed(record->type))
		return true;
	uint64_t time = perf_delivery_time(&rings->delivery, record);
	if (!time || time == UINT64_MAX)
		return perf_delivery_record(&rings->delivery, 0, record, err);
	return perf_order_put(&rings->order, time, record, err);
}

/* Whole records go through blocks that all rings share, so that what waits takes no more memory
 * than its bytes. */
static bool take_whole(struct perf_rings *rings, uint64_t at, struct bytes whole,
		       struct bc_error *err)
{
	while (whole.size) {
		struct perf_record record = {0};
		uint64_t extra;
		size_t room;
		uint8_t *to = perf_framer_room(&rings->framer, &rings->pool, &room);
		if (!to)
			return bc_fail_nomem(err);
		struct bytes part = bytes_first(whole, room);
		memcpy(to, part.data, part.size);
		perf_framer_add(&rings->framer, part.size);
		whole = bytes_from(whole, part.size);
		while (perf_framer_next(&rings->framer, &record, &extra) == PERF_FRAME_WHOLE) {
			record.offset = at;
			at += PERF_RECORD_HEADER_SIZE + record.body.size;
			if (!take_record(rings, &record, err))
				return false;
		}
	}
	return true;
}

/* *size: of the record at the front; 0: its header is cut. */
static bool look_at(const struct perf_rings *rings, uint32_t ring, uint64_t at, struct bytes rest,
		    size_t *size, struct bc_error *err)
{
	*size = 0;
	if (rest.size < PERF_RECORD_HEADER_SIZE)
		return true;
	uint32_t type = le32(rest.data);
	*size = le16(rest.data + 6);
	if (type < PERF_USER_TYPES && *size >= PERF_RECORD_HEADER_SIZE && *size % 8 == 0)
		return true;
	return bc_fail(err, BC_FORMAT,
		       "%s: no record of the kernel (type %" PRIu32 ", %zu bytes), byte %" PRIu64
		       " of ring %" PRIu32,
		       rings->name, type, *size, at, ring);
}

/* Keeps bytes of a record that is not whole yet. */
static bool keep(struct ring_rest *rest, struct bytes bytes, struct bc_error *err)
{
	if (rest->size + bytes.size > rest->capacity) {
		size_t capacity = 2 * (rest->size + bytes.size);
		uint8_t *more = realloc(rest->bytes, capacity);
		if (!more)
			return bc_fail_nomem(err);
		rest->bytes = more;
		rest->capacity = capacity;
	}
	if (bytes.size)
		memcpy(rest->bytes + rest->size, bytes.data, bytes.size);
	rest->size += bytes.size;
	return true;
}

/* Takes from the front of *bytes what the record that was cut still needs. */
static bool complete(struct perf_rings *rings, uint32_t ring, struct bytes *bytes,
		     struct bc_error *err)
{
	struct ring_rest *rest = &rings->rests[ring];

	while (rest->size && bytes->size) {
		size_t size;
		if (!look_at(rings, ring, rest->at, (struct bytes){rest->bytes, rest->size}, &size,
			     err))
			return false;
		struct bytes part =
			bytes_first(*bytes, (size ? size : PERF_RECORD_HEADER_SIZE) - rest->size);
		if (!keep(rest, part, err))
			return false;
		*bytes = bytes_from(*bytes, part.size);
		if (!look_at(rings, ring, rest->at, (struct bytes){rest->bytes, rest->size}, &size,
			     err))
			return false;
		if (rest->size != size)
			continue;
		rest->size = 0;
		if (!take_whole(rings, rest->at, (struct bytes){rest->bytes, size}, err))
			return false;
		rest->at += size;
	}
	return true;
}

bool perf_rings_take(struct perf_rings *rings, uint32_t ring, struct bytes bytes,
		     struct bc_error *err)
{
	struct ring_rest *rest = &rings->rests[ring];
	size_t whole = 0, size;

	if (!complete(rings, ring, &bytes, err))
		return false;
	for (;; whole += size) {
		struct bytes left = bytes_from(bytes, whole);
		if (!look_at(rings, ring, rest->at + whole, left, &size, err))
			return false;
		if (!size || size > left.size)
			break;
	}
	if (!take_whole(rings, rest->at, bytes_first(bytes, whole), err))
		return false;
	rest->at += whole;
	return keep(rest, bytes_from(bytes, whole), err);
}

bool perf_rings_round(struct perf_rings *rings, struct bc_error *err)
{
	return perf_order_round(&rings->order, err);
}

bool perf_rings_end(struct perf_rings *rings, struct bc_error *err)
{
	return perf_order_flush(&rings->order, UINT64_MAX, err);
}

uint64_t perf_rings_memory(const struct perf_rings *rings)
{
	uint64_t memory = rings->pool.in_use * (uint64_t)PERF_BLOCK_SIZE +
			  (rings->order.capacity + rings->order.spare_capacity) *
				  (uint64_t)sizeof(struct perf_pending);

	for (const struct perf_block *block = rings->pool.free; block; block = block->next)
		memory += PERF_BLOCK_SIZE;
	return memory;
}

bool perf_rings_init(struct perf_rings *rings, struct bytes bytes, uint32_t count,
		     struct perf_order_limit most, const struct event_sink *sink,
		     struct bc_error *err)
{
	struct perf_attr attr;

	*rings = (struct perf_rings){.name = "the ring buffers", .count = count, .sink = *sink};
	rings->setup.damaged_features = &rings->details.damaged_features;
	perf_order_init(&rings->order, &rings->pool,
			(struct perf_deliver){&rings->delivery, perf_delivery_record}, most, most);
	if (!perf_attr_parse(bytes, &attr))
		return bc_fail(err, BC_FORMAT, "the event's attr of %zu bytes is cut", bytes.size);
	if (~attr.sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME) ||
	    !(attr.flags & PERF_ATTR_SAMPLE_ID_ALL))
		return bc_fail(err, BC_UNSUPPORTED,
			       "the event's records have no time or no process");
	rings->rests = calloc(count, sizeof(*rings->rests));
	if (!rings->rests ||
	    !perf_delivery_init(&rings->delivery, &rings->setup, &rings->sink, &rings->details))
		return bc_fail_nomem(err);
	rings->delivery.file = rings->name;
	return perf_events_add(&rings->setup.events, &attr, (struct bytes){0}, err) &&
	       perf_setup_settle(&rings->setup, err);
}

void perf_rings_fini(struct perf_rings *rings)
{
	perf_order_fini(&rings->order);
	perf_framer_fini(&rings->framer, &rings->pool);
	perf_pool_fini(&rings->pool);
	perf_delivery_fini(&rings->delivery);
	perf_setup_fini(&rings->setup);
	for (uint32_t i = 0; rings->rests && i < rings->count; i++)
		free(rings->rests[i].bytes);
	free(rings->rests);
	*rings = (struct perf_rings){0};
}

/* ---- records of one's own ---- */

struct record_writer {
	uint8_t *to;
	size_t size;
};

static void put(struct record_writer *w, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		w->to[w->size++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct record_writer *w, const char *bytes, size_t size)
{
	memcpy(w->to + w->size, bytes, size);
	w->size += size;
}

static struct record_writer begin_record(uint8_t *to, uint32_t type, uint16_t misc)
{
	struct record_writer w = {to, 0};

	put(&w, type, 4);
	put(&w, misc, 2);
	put(&w, 0, 2);
	return w;
}

/* The trailer has process and time where the event's others have them; what else it has is 0. */
static size_t end_record(struct record_writer *w, const struct perf_rings *rings, uint32_t pid,
			 uint32_t tid, uint64_t time)
{
	const struct perf_sample_layout *layout = &rings->setup.events.all.at[0].layout;
	size_t end = w->size + layout->end_size;

	memset(w->to + w->size, 0, layout->end_size);
	w->size = end - layout->end_tid;
	put(w, pid, 4);
	put(w, tid, 4);
	w->size = end - layout->end_time;
	put(w, time, 8);
	w->size = 6;
	put(w, end, 2);
	return end;
}

size_t perf_rings_put_map(const struct perf_rings *rings, const struct map_event *map,
			  uint64_t time, uint8_t to[PERF_RECORD_MOST])
{
	struct record_writer w = begin_record(to, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	const struct text path = text_first(map->path, PERF_RECORD_MOST - 256);

	put(&w, map->pid, 4);
	put(&w, map->pid, 4);
	put(&w, map->start.v, 8);
	put(&w, map->size, 8);
	put(&w, map->offset.v, 8);
	put(&w, map->node.major, 4);
	put(&w, map->node.minor, 4);
	put(&w, map->node.inode, 8);
	put(&w, map->node.generation, 8);
	put(&w, map->executable ? 5 : 1, 4); /* PROT_READ, PROT_EXEC */
	put(&w, 2, 4);                       /* MAP_PRIVATE */
	put_bytes(&w, path.at, path.len);
	put(&w, 0, 8 - path.len % 8); /* its NUL, up to a multiple of 8 */
	return end_record(&w, rings, map->pid, map->pid, time);
}

size_t perf_rings_put_exec(const struct perf_rings *rings, uint32_t pid, uint64_t time,
			   uint8_t to[PERF_RECORD_MOST])
{
	struct record_writer w = begin_record(to, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put(&w, pid, 4);
	put(&w, pid, 4);
	put(&w, 0, 8); /* no name */
	return end_record(&w, rings, pid, pid, time);
}

size_t perf_rings_put_thread(const struct perf_rings *rings, uint32_t type, uint32_t pid,
			     uint32_t tid, uint64_t time, uint8_t to[PERF_RECORD_MOST])
{
	struct record_writer w = begin_record(to, type, 0);

	put(&w, pid, 4);
	put(&w, pid, 4);
	put(&w, tid, 4);
	put(&w, pid, 4);
	put(&w, time, 8);
	return end_record(&w, rings, pid, tid, time);
}
