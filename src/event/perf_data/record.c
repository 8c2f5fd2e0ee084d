/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/record.h"

#include <linux/perf_event.h>

#include "src/event/perf_data/cursor.h"

#define PROTECTION_EXEC 4u /* PROT_EXEC in MMAP2 */
#define ID_BYTES 20
#define NUMBERS_SIZE 24 /* device and inode, or the build-id */

bool perf_record_type_is_known(uint32_t type)
{
	static const struct {
		uint32_t first, last;
	} known[] = {
		{PERF_RECORD_MMAP, 22},   /* CALLCHAIN_DEFERRED */
		{PERF_USER_ATTR, 86},     /* SCHEDSTAT_DOMAIN */
		{PERF_SIMPLEPERF_TYPES + 1, PERF_SIMPLEPERF_TYPES + 10}, /* KERNEL_SYMBOL to DEBUG */
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
