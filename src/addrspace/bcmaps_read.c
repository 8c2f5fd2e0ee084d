/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/addrspace/bcmaps.h"
#include "src/addrspace/last_snapshots.h"
#include "src/addrspace/region_table.h"
#include "src/base/leb.h"

#define HEADER_SIZE (BCMAPS_MAGIC_SIZE + 16)

/* Of a frame header: magic, then a byte whose bit 2 says that there is a
 * checksum; bits 3 and 4 are reserved and unused (RFC 8878, 3.1.1.1.1). */
#define FRAME_FLAGS_AT 4
#define FRAME_FLAGS 0x1cu
#define FRAME_HAS_CHECKSUM 4u

/* The shortest form of each. */
#define STRING_LEAST 2
#define REGION_LEAST 9
#define SNAPSHOT_LEAST 4

struct reader {
	struct leb_reader in;
	struct snapshots out;
	struct region_table regions;
	struct mapping_vec now;      /* the map at hand, and the last one of its process */
	struct mapping_vec last;
	uint64_t listed; /* regions in all maps */
	uint64_t made;   /* of them, what no other map shares */
	bool nomem, too_many;
};

static void read_strings(struct reader *r)
{
	size_t count = leb_count(&r->in, STRING_LEAST);

	for (size_t i = 0; i < count && !r->in.wrong && !r->nomem; i++) {
		struct bytes bytes = leb_bytes(&r->in, leb_u(&r->in));
		uint32_t number = 0;
		if (!bytes.size)
			leb_fail(&r->in, "an empty string");
		else if (!strings_intern(&r->out.files.texts,
					 (struct text){(const char *)bytes.data, bytes.size}, &number))
			r->nomem = true;
		else if (number != i + 1)
			leb_fail(&r->in, "a string twice");
	}
}

static uint32_t read_string_number(struct reader *r)
{
	uint32_t len = r->out.files.texts.len, count = len ? len - 1 : 0;

	return (uint32_t)leb_u_below(&r->in, count);
}

static void add_region(struct reader *r, const struct mapping *region)
{
	size_t before = r->regions.all.len;
	uint32_t number;

	if (!region_table_intern(&r->regions, region, &number))
		r->nomem = true;
	else if (r->regions.all.len == before)
		leb_fail(&r->in, "a region twice");
}

static void read_regions(struct reader *r)
{
	size_t count = leb_count(&r->in, REGION_LEAST);
	uint64_t end = 0;

	for (size_t i = 0; i < count && !r->in.wrong && !r->nomem; i++) {
		struct mapping region = {.start = end + (uint64_t)leb_zigzag(&r->in)};
		struct mapped_file file = {0};
		uint64_t size = leb_u(&r->in);
		end = region.end = region.start + size;
		region.offset = leb_u(&r->in);
		region.flags = (uint32_t)leb_u_below(&r->in, 15);
		file.major = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		file.minor = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		file.inode = leb_u(&r->in);
		file.path = read_string_number(r);
		file.build_id = read_string_number(r);
		if (!size || region.end < region.start || region.offset > UINT64_MAX - size)
			leb_fail(&r->in, "a region that is empty or reaches beyond the addresses");
		else if (!mapped_files_intern(&r->out.files, &file, &region.file))
			r->nomem = true;
		else
			add_region(r, &region);
	}
}

/* Regions of a snapshot ascend and do not overlap. */
static void push_region(struct reader *r, const struct mapping *region)
{
	struct mapping_vec *now = &r->now;

	if (now->len && now->at[now->len - 1].end > region->start)
		leb_fail(&r->in, "regions that overlap or do not ascend");
	else if (++r->listed > BCMAPS_NUMBERS_MOST)
		r->too_many = true;
	else if (!mapping_vec_push(now, *region))
		r->nomem = true;
}

static void push_number(struct reader *r, uint64_t number)
{
	if (number >= r->regions.all.len)
		leb_fail(&r->in, "a region that there is not");
	else
		push_region(r, &r->regions.all.at[number]);
}

static bool can_go_on(const struct reader *r)
{
	return !r->in.wrong && !r->nomem && !r->too_many;
}

enum step { STEP_TAKE, STEP_LEAVE, STEP_PUT };

static void charge(struct reader *r, uint64_t differences)
{
	r->made += bcmaps_cost(differences, r->now.len);
	r->too_many |= r->made > SNAPSHOTS_MAPPINGS_MOST;
}

/* From r->last to r->now. */
static void read_steps(struct reader *r)
{
	size_t steps = leb_count(&r->in, 1), at = 0; /* in the last one */
	uint64_t number = 0, differences = 0;

	r->now.len = 0;
	for (size_t i = 0; i < steps && can_go_on(r); i++) {
		uint64_t step = leb_u(&r->in), count = step >> 2;
		differences += (step & 3) != STEP_TAKE && count < UINT32_MAX ? count : 0;
		if ((step & 3) > STEP_PUT)
			leb_fail(&r->in, "an unknown step");
		else if ((step & 3) != STEP_PUT && count > r->last.len - at)
			leb_fail(&r->in, "a step beyond the last map");
		else if ((step & 3) == STEP_LEAVE)
			at += count;
		else if ((step & 3) == STEP_TAKE)
			for (uint64_t n = 0; n < count && can_go_on(r); n++)
				push_region(r, &r->last.at[at++]);
		else
			for (uint64_t n = 0; n < count && can_go_on(r); n++)
				push_number(r, number += (uint64_t)leb_zigzag(&r->in));
	}
	charge(r, differences + (r->last.len - at));
}

/* What a snapshot has in common with the last one of its process is shared with it. */
static bool add_snapshot(struct reader *r, const struct snapshot *head, const struct snapshot *last)
{
	struct map_set *maps = map_set_share(last ? last->maps : NULL);
	struct bc_error err;
	bool ok = map_set_update(&maps, r->now.at, r->now.len) &&
		  snapshots_add(&r->out, head->pid, head->id, head->time, maps, &err);

	map_set_release(maps);
	return ok;
}

static bool list_last(struct reader *r, const struct snapshot *last)
{
	size_t count = last ? map_set_count(last->maps) : 0;

	while (r->last.len < count)
		if (!mapping_vec_push(&r->last, (struct mapping){0}))
			return false;
	r->last.len = count;
	if (count)
		map_set_list(last->maps, r->last.at);
	return true;
}

static void read_snapshots(struct reader *r)
{
	size_t count = leb_count(&r->in, SNAPSHOT_LEAST);
	struct last_snapshots lasts;
	uint64_t time = 0;

	if (count > SNAPSHOTS_MOST) {
		leb_fail(&r->in, "too many maps");
		return;
	}
	if (!last_snapshots_init(&lasts, count)) {
		r->nomem = true;
		return;
	}
	for (size_t i = 0; i < count && can_go_on(r); i++) {
		struct snapshot head = {0};
		head.pid = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		head.id = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		head.time = time += (uint64_t)leb_zigzag(&r->in);
		uint32_t number;
		bool found = last_snapshot_find(&lasts, &r->out, head.pid, &number);
		const struct snapshot *last = found ? &r->out.all.at[number] : NULL;
		if (!list_last(r, last))
			r->nomem = true;
		else
			read_steps(r);
		if (can_go_on(r) && !add_snapshot(r, &head, last))
			r->nomem = true;
		if (can_go_on(r))
			last_snapshot_set(&lasts, &r->out, (uint32_t)r->out.all.len - 1);
	}
	last_snapshots_free(&lasts);
}

static bool finish(struct reader *r, struct bc_error *err)
{
	if (r->nomem)
		return bc_fail_nomem(err);
	if (r->too_many)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps",
			       r->listed > BCMAPS_NUMBERS_MOST ? BCMAPS_NUMBERS_MOST : SNAPSHOTS_MAPPINGS_MOST);
	if (r->in.wrong)
		return bc_fail(err, BC_FORMAT, "content, byte %zu: %s", (size_t)(r->in.at - r->in.begin),
			       r->in.wrong);
	return snapshots_index(&r->out, err);
}

bool bcmaps_read_content(struct bytes content, struct snapshots *out, struct bc_error *err)
{
	struct reader r = {.in = {content.data, content.data, content.data + content.size, NULL}};

	read_strings(&r);
	if (can_go_on(&r))
		read_regions(&r);
	if (can_go_on(&r))
		read_snapshots(&r);
	if (can_go_on(&r) && r.in.at < r.in.end)
		leb_fail(&r.in, "data behind the last map");
	bool ok = finish(&r, err);
	region_table_free(&r.regions);
	mapping_vec_free(&r.now);
	mapping_vec_free(&r.last);
	if (ok)
		*out = r.out;
	else
		snapshots_free(&r.out);
	return ok;
}

static bool decompress(struct bytes frame, uint64_t size, uint8_t *to, struct bc_error *err)
{
	if (frame.size <= FRAME_FLAGS_AT || (frame.data[FRAME_FLAGS_AT] & FRAME_FLAGS) != FRAME_HAS_CHECKSUM)
		return bc_fail(err, BC_FORMAT, "byte %d: no zstd frame with a checksum", HEADER_SIZE);
	size_t got = ZSTD_decompress(to, (size_t)size, frame.data, frame.size);
	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return bc_fail_nomem(err);
	if (ZSTD_isError(got))
		return bc_fail(err, BC_FORMAT, "byte %d: the zstd frame: %s", HEADER_SIZE,
			       ZSTD_getErrorName(got));
	return got == size || bc_fail(err, BC_FORMAT, "byte %d: %zu bytes of content, not %" PRIu64,
				      HEADER_SIZE, got, size);
}

bool bcmaps_read(struct bytes file, struct snapshots *out, struct bc_error *err)
{
	if (file.size < HEADER_SIZE || memcmp(file.data, BCMAPS_MAGIC, BCMAPS_MAGIC_SIZE))
		return bc_fail(err, BC_FORMAT, "byte 0: not a .bcmaps file");
	if (le32(file.data + 8) != BCMAPS_VERSION)
		return bc_fail(err, BC_UNSUPPORTED, "byte 8: version %" PRIu32 ", only 1 is known",
			       le32(file.data + 8));
	if (le32(file.data + 12))
		return bc_fail(err, BC_FORMAT, "byte 12: not 0");
	uint64_t size = le64(file.data + 16);
	if (size > BCMAPS_CONTENT_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "byte 16: %" PRIu64 " bytes of content, more than %"
			       PRIu64, size, BCMAPS_CONTENT_MOST);
	uint8_t *content = malloc((size_t)size + 1);
	if (!content)
		return bc_fail_nomem(err);
	bool ok = decompress(bytes_from(file, HEADER_SIZE), size, content, err) &&
		  bcmaps_read_content((struct bytes){content, (size_t)size}, out, err);
	free(content);
	return ok;
}
