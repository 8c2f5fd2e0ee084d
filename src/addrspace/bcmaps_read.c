/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/addrspace/bcmaps.h"
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
		else if (!strings_intern(&r->out.strings,
					 (struct text){(const char *)bytes.data, bytes.size}, &number))
			r->nomem = true;
		else if (number != i + 1)
			leb_fail(&r->in, "a string twice");
	}
}

static uint32_t read_string_number(struct reader *r)
{
	uint32_t count = r->out.strings.len ? r->out.strings.len - 1 : 0;

	return (uint32_t)leb_u_below(&r->in, count);
}

static void read_regions(struct reader *r)
{
	size_t count = leb_count(&r->in, REGION_LEAST);
	uint64_t end = 0;

	for (size_t i = 0; i < count && !r->in.wrong && !r->nomem; i++) {
		struct region region = {.start = end + (uint64_t)leb_s(&r->in)};
		uint64_t size = leb_u(&r->in);
		uint32_t number;
		end = region.end = region.start + size;
		region.offset = leb_u(&r->in);
		region.flags = (uint32_t)leb_u_below(&r->in, 15);
		region.major = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		region.minor = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		region.inode = leb_u(&r->in);
		region.path = read_string_number(r);
		region.build_id = read_string_number(r);
		if (!size || region.end < region.start || region.offset > UINT64_MAX - size)
			leb_fail(&r->in, "a region that is empty or reaches beyond the addresses");
		else if (!snapshots_intern(&r->out, &region, &number))
			r->nomem = true;
		else if (number != i)
			leb_fail(&r->in, "a region twice");
	}
}

/* Regions of a snapshot ascend and do not overlap. */
static void push_region(struct reader *r, uint32_t first, uint64_t number)
{
	struct snapshots *out = &r->out;

	if (number >= out->regions.len) {
		leb_fail(&r->in, "a region that there is not");
		return;
	}
	if (out->numbers.len > first &&
	    out->regions.at[out->numbers.at[out->numbers.len - 1]].end > out->regions.at[number].start)
		leb_fail(&r->in, "regions that overlap or do not ascend");
	else if (out->numbers.len >= SNAPSHOTS_REGIONS_MOST)
		r->too_many = true;
	else if (!number_vec_push(&out->numbers, (uint32_t)number))
		r->nomem = true;
}

static bool can_go_on(const struct reader *r)
{
	return !r->in.wrong && !r->nomem && !r->too_many;
}

enum step { STEP_TAKE, STEP_LEAVE, STEP_PUT };

static void read_steps(struct reader *r, struct snapshot *snapshot, const struct snapshot *last)
{
	size_t steps = leb_count(&r->in, 1);
	uint32_t at = 0; /* in the last one */
	uint64_t number = 0;

	for (size_t i = 0; i < steps && can_go_on(r); i++) {
		uint64_t step = leb_u(&r->in), count = step >> 2;
		if ((step & 3) > STEP_PUT)
			leb_fail(&r->in, "an unknown step");
		else if ((step & 3) != STEP_PUT && count > (last ? last->count : 0) - at)
			leb_fail(&r->in, "a step beyond the last map");
		else if ((step & 3) == STEP_LEAVE)
			at += (uint32_t)count;
		else
			for (uint64_t n = 0; n < count && can_go_on(r); n++) {
				if ((step & 3) == STEP_PUT)
					number += (uint64_t)leb_s(&r->in);
				push_region(r, snapshot->first,
					    (step & 3) == STEP_PUT
						    ? number
						    : r->out.numbers.at[last->first + at++]);
			}
	}
	snapshot->count = (uint32_t)(r->out.numbers.len - snapshot->first);
}

/* The last snapshot of each process, hashed by pid: index + 1. */
struct lasts {
	uint32_t *slots;
	size_t mask;
};

static uint32_t *last_of(const struct lasts *lasts, const struct snapshots *s, uint32_t pid)
{
	size_t i = (size_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & lasts->mask;

	while (lasts->slots[i] && s->all.at[lasts->slots[i] - 1].pid != pid)
		i = (i + 1) & lasts->mask;
	return &lasts->slots[i];
}

static bool lasts_init(struct lasts *lasts, size_t count)
{
	size_t capacity = 16;

	while (capacity < 2 * count)
		capacity *= 2;
	lasts->mask = capacity - 1;
	lasts->slots = calloc(capacity, sizeof(*lasts->slots));
	return lasts->slots;
}

static void read_snapshots(struct reader *r)
{
	size_t count = leb_count(&r->in, SNAPSHOT_LEAST);
	struct lasts lasts;
	uint64_t time = 0;

	if (count > SNAPSHOTS_MOST) {
		leb_fail(&r->in, "too many maps");
		return;
	}
	if (!lasts_init(&lasts, count)) {
		r->nomem = true;
		return;
	}
	for (size_t i = 0; i < count && can_go_on(r); i++) {
		struct snapshot snapshot = {.first = (uint32_t)r->out.numbers.len};
		snapshot.pid = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		snapshot.id = (uint32_t)leb_u_below(&r->in, UINT32_MAX);
		snapshot.time = time += (uint64_t)leb_s(&r->in);
		uint32_t *last = last_of(&lasts, &r->out, snapshot.pid);
		read_steps(r, &snapshot, *last ? &r->out.all.at[*last - 1] : NULL);
		if (!snapshot_vec_push(&r->out.all, snapshot))
			r->nomem = true;
		*last = (uint32_t)r->out.all.len;
	}
	free(lasts.slots);
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
	bool ok = false;
	if (r.nomem)
		bc_fail_nomem(err);
	else if (r.too_many)
		bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps",
			SNAPSHOTS_REGIONS_MOST);
	else if (r.in.wrong)
		bc_fail(err, BC_FORMAT, "content, byte %zu: %s", (size_t)(r.in.at - r.in.begin),
			r.in.wrong);
	else
		ok = snapshots_index(&r.out, err);
	if (!ok) {
		snapshots_free(&r.out);
		return false;
	}
	*out = r.out;
	return true;
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
