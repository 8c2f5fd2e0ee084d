/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/bcmaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/samples/map_set.h"
#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/vec.h"

/* Zeroed means empty. */
struct region_table {
	struct mapping_vec all; /* by number */
	struct map numbers;     /* of mappings, to their indices */
};

static void region_table_free(struct region_table *table)
{
	mapping_vec_free(&table->all);
	map_free(&table->numbers);
}

static uint64_t hash(uint64_t seed, const struct mapping *m)
{
	uint64_t h = hash_mix(hash_mix(hash_mix(seed, m->start), m->end), m->offset);

	return hash_end(hash_mix(h, (uint64_t)m->file << 32 | m->flags));
}

static bool is_equal(const struct mapping *all, uint32_t number, const struct mapping *b)
{
	const struct mapping *a = &all[number];

	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->file == b->file && a->flags == b->flags;
}
DEFINE_MAP(numbers, const struct mapping *, const struct mapping *, hash, is_equal);

/* The number of a mapping, which is kept if it is new.  False when out of memory. */
static bool region_table_intern(struct region_table *table, const struct mapping *mapping,
				uint32_t *out)
{
	if (numbers_find(&table->numbers, table->all.at, mapping, out))
		return true;
	if (!map_reserve(&table->numbers, 1) || !mapping_vec_push(&table->all, *mapping))
		return false;
	*out = (uint32_t)table->all.len - 1;
	numbers_put(&table->numbers, mapping, *out);
	return true;
}

#define HEADER_SIZE (BCMAPS_MAGIC_SIZE + 16)
#define LEVEL       19 /* maps are small and read often */

DEFINE_VEC(number_vec, uint32_t);

/* A map as the numbers of its regions: numbers.at[first, first + count). */
struct listed {
	size_t first, count;
};
DEFINE_VEC(listed_vec, struct listed);

struct writer {
	const struct snapshots *in;
	struct region_table regions;
	struct number_vec numbers;
	struct listed_vec lists; /* of each snapshot */
	struct byte_vec out;
	uint64_t made; /* mappings that no other map shares, as a reader counts them */
	bool nomem;
};

static void writer_free(struct writer *w)
{
	region_table_free(&w->regions);
	number_vec_free(&w->numbers);
	listed_vec_free(&w->lists);
	byte_vec_free(&w->out);
}

/* ---- numbers for regions ---- */

static bool put_region(struct writer *w, const struct mapping *m)
{
	uint32_t number;

	return region_table_intern(&w->regions, m, &number) && number_vec_push(&w->numbers, number);
}

static bool list_map(struct writer *w, const struct map_set *maps)
{
	struct listed listed = {w->numbers.len, map_set_count(maps)};
	const struct mapping *m;

	for (uint64_t at = 0; (m = map_set_above(maps, at)); at = m->end)
		if (!put_region(w, m))
			return false;
	return listed_vec_push(&w->lists, listed);
}

static bool list_maps(struct writer *w, struct bc_error *err)
{
	const struct snapshot_vec *all = &w->in->all;

	for (size_t i = 0; i < all->len; i++) {
		if (map_set_count(all->at[i].maps) > BCMAPS_NUMBERS_MOST - w->numbers.len)
			return bc_fail(err, BC_UNSUPPORTED,
				       "more than %" PRIu32 " regions in all maps",
				       BCMAPS_NUMBERS_MOST);
		if (!list_map(w, all->at[i].maps))
			return bc_fail_nomem(err);
	}
	return true;
}

/* ---- bytes ---- */

static void put_u(struct writer *w, uint64_t value)
{
	w->nomem |= !leb_put_u(&w->out, value);
}

static void put_s(struct writer *w, uint64_t difference)
{
	w->nomem |= !leb_put_zigzag(&w->out, (int64_t)difference);
}

static void put_strings(struct writer *w)
{
	const struct strings *strings = &w->in->files.texts;
	uint32_t count = strings->len ? strings->len - 1 : 0;

	put_u(w, count);
	for (uint32_t i = 1; i <= count; i++) {
		struct text text = strings->at[i];
		put_u(w, text.len);
		for (size_t c = 0; c < text.len; c++)
			w->nomem |= !byte_vec_push(&w->out, (uint8_t)text.at[c]);
	}
}

static void put_regions(struct writer *w)
{
	uint64_t end = 0;

	put_u(w, w->regions.all.len);
	for (size_t i = 0; i < w->regions.all.len; i++) {
		const struct mapping *m = &w->regions.all.at[i];
		const struct mapped_file *file = mapped_files_at(&w->in->files, m->file);
		put_s(w, m->start - end);
		put_u(w, m->end - m->start);
		put_u(w, m->offset);
		put_u(w, m->flags);
		put_u(w, file->major);
		put_u(w, file->minor);
		put_u(w, file->inode);
		put_u(w, file->path);
		put_u(w, file->build_id);
		end = m->end;
	}
}

/* How many regions both lists have next, how many only the old one has then, and how many only the
 * new one. */
struct step {
	uint32_t take, leave, put;
};

/* Both lists ascend by address.  Equal heads are taken; then what the old one has
 * below the next common region is left out, what the new one has is inserted. */
static struct step next_step(const struct writer *w, const uint32_t *old, size_t old_count,
			     const uint32_t *new, size_t new_count)
{
	struct step step = {0};

	while (step.take < old_count && step.take < new_count && old[step.take] == new[step.take])
		step.take++;
	old += step.take;
	new += step.take;
	old_count -= step.take;
	new_count -= step.take;
	while (step.leave < old_count && step.put < new_count && old[step.leave] != new[step.put]) {
		if (w->regions.all.at[old[step.leave]].start <=
		    w->regions.all.at[new[step.put]].start)
			step.leave++;
		else
			step.put++;
	}
	if (step.put == new_count) /* what is left of the old one goes by itself */
		return step;
	if (step.leave == old_count)
		step.put = (uint32_t)new_count;
	return step;
}

static uint64_t put_steps_to(const struct writer *w, const uint32_t *old, size_t old_count,
			     const uint32_t *new, size_t new_count, struct writer *aside)
{
	uint64_t steps = 0, number = 0, differences = 0, count = new_count;

	while (new_count) {
		struct step step = next_step(w, old, old_count, new, new_count);
		uint32_t kinds[] = {step.take, step.leave, step.put};
		for (unsigned kind = 0; kind < 3; kind++) {
			if (!kinds[kind])
				continue;
			put_u(aside, (uint64_t)kinds[kind] << 2 | kind);
			steps++;
			for (uint32_t i = 0; kind == 2 && i < step.put; i++) {
				uint32_t next = new[step.take + i];
				put_s(aside, next - number);
				number = next;
			}
		}
		old += step.take + step.leave;
		old_count -= step.take + step.leave;
		new += step.take + step.put;
		new_count -= step.take + step.put;
		differences += step.leave + step.put;
	}
	aside->made = bcmaps_cost(differences + old_count, count);
	return steps;
}

/* The count of steps is before them: they are written aside first. */
static void put_steps(struct writer *w, const struct listed *last, const struct listed *now)
{
	static const uint32_t none[1];
	const uint32_t *numbers = w->numbers.at ? w->numbers.at : none;
	struct writer aside = {.in = w->in};
	uint64_t steps =
		put_steps_to(w, last ? numbers + last->first : none, last ? last->count : 0,
			     numbers + now->first, now->count, &aside);

	put_u(w, steps);
	for (size_t i = 0; i < aside.out.len; i++)
		w->nomem |= !byte_vec_push(&w->out, aside.out.at[i]);
	w->nomem |= aside.nomem;
	w->made += aside.made;
	writer_free(&aside);
}

static void put_snapshots(struct writer *w)
{
	const struct snapshot_vec *all = &w->in->all;
	struct last_snapshots lasts;
	uint64_t time = 0;

	if (!last_snapshots_init(&lasts, all->len)) {
		w->nomem = true;
		return;
	}
	put_u(w, all->len);
	for (size_t i = 0; i < all->len; i++) {
		const struct snapshot *s = &all->at[i];
		uint32_t last;
		bool found = last_snapshot_find(&lasts, w->in, s->pid, &last);
		put_u(w, s->pid);
		put_u(w, s->id);
		put_s(w, s->time - time);
		put_steps(w, found ? &w->lists.at[last] : NULL, &w->lists.at[i]);
		last_snapshot_set(&lasts, w->in, (uint32_t)i);
		time = s->time;
	}
	last_snapshots_free(&lasts);
}

static void put_le(uint8_t *to, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static bool compress(ZSTD_CCtx *ctx, const struct byte_vec *content, uint8_t **data, size_t *size)
{
	size_t capacity = ZSTD_compressBound(content->len);
	uint8_t *out = ctx ? malloc(HEADER_SIZE + capacity) : NULL;

	if (!out)
		return false;
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	size_t got = ZSTD_compress2(ctx, out + HEADER_SIZE, capacity, content->at, content->len);
	if (ZSTD_isError(got)) {
		free(out);
		return false;
	}
	memcpy(out, BCMAPS_MAGIC,
	       BCMAPS_MAGIC_SIZE); // NOLINT(bugprone-not-null-terminated-result): bytes of a file, no string
	put_le(out + 8, BCMAPS_VERSION, 4);
	put_le(out + 12, 0, 4);
	put_le(out + 16, content->len, 8);
	*data = out;
	*size = HEADER_SIZE + got;
	return true;
}

static bool check_limits(const struct writer *w, struct bc_error *err)
{
	if (w->nomem)
		return bc_fail_nomem(err);
	if (w->made > SNAPSHOTS_MAPPINGS_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps",
			       SNAPSHOTS_MAPPINGS_MOST);
	return w->out.len <= BCMAPS_CONTENT_MOST ||
	       bc_fail(err, BC_UNSUPPORTED, "%zu bytes of content, more than %" PRIu64, w->out.len,
		       BCMAPS_CONTENT_MOST);
}

bool bcmaps_write(const struct snapshots *snapshots, uint8_t **data, size_t *size,
		  struct bc_error *err)
{
	struct writer w = {.in = snapshots};
	bool ok = list_maps(&w, err);

	if (ok) {
		put_strings(&w);
		put_regions(&w);
		put_snapshots(&w);
		ZSTD_CCtx *ctx = ZSTD_createCCtx();
		ok = check_limits(&w, err) &&
		     (compress(ctx, &w.out, data, size) || bc_fail_nomem(err));
		ZSTD_freeCCtx(ctx);
	}
	writer_free(&w);
	return ok;
}

/* For a frame header: magic, then a byte whose bit 2 says that there is a
 * checksum; bits 3 and 4 are reserved and unused (RFC 8878, 3.1.1.1.1). */
#define FRAME_FLAGS_AT     4
#define FRAME_FLAGS        0x1cu
#define FRAME_HAS_CHECKSUM 4u

/* The shortest form of each. */
#define STRING_LEAST   2
#define REGION_LEAST   9
#define SNAPSHOT_LEAST 4

struct reader {
	struct leb_reader in;
	struct snapshots out;
	struct region_table regions;
	struct mapping_vec now; /* the map at hand, and the last one of its process */
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
					 (struct text){(const char *)bytes.data, bytes.size},
					 &number))
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

static void take_region(struct reader *r, const struct mapping *region)
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
			take_region(r, &region);
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

enum { STEP_TAKE, STEP_LEAVE, STEP_PUT };

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
			       r->listed > BCMAPS_NUMBERS_MOST ? BCMAPS_NUMBERS_MOST :
								 SNAPSHOTS_MAPPINGS_MOST);
	if (r->in.wrong)
		return bc_fail(err, BC_FORMAT, "content, byte %zu: %s",
			       (size_t)(r->in.at - r->in.begin), r->in.wrong);
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
		leb_fail(&r.in, "data after the last map");
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
	if (frame.size <= FRAME_FLAGS_AT ||
	    (frame.data[FRAME_FLAGS_AT] & FRAME_FLAGS) != FRAME_HAS_CHECKSUM)
		return bc_fail(err, BC_FORMAT, "byte %d: no zstd frame with a checksum",
			       HEADER_SIZE);
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
		return bc_fail(err, BC_UNSUPPORTED,
			       "byte 16: %" PRIu64 " bytes of content, more than %" PRIu64, size,
			       BCMAPS_CONTENT_MOST);
	uint8_t *content = malloc((size_t)size + 1);
	if (!content)
		return bc_fail_nomem(err);
	bool ok = decompress(bytes_from(file, HEADER_SIZE), size, content, err) &&
		  bcmaps_read_content((struct bytes){content, (size_t)size}, out, err);
	free(content);
	return ok;
}
