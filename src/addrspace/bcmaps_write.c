/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "src/addrspace/bcmaps.h"
#include "src/addrspace/last_snapshots.h"
#include "src/addrspace/region_table.h"
#include "src/base/leb.h"
#include "src/base/vec.h"

#define HEADER_SIZE (BCMAPS_MAGIC_SIZE + 16)
#define LEVEL 19 /* maps are small and read often */

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
	struct listed_vec lists;    /* of each snapshot */
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

static bool add_region(struct writer *w, const struct mapping *m)
{
	uint32_t number;

	return region_table_intern(&w->regions, m, &number) && number_vec_push(&w->numbers, number);
}

static bool list_map(struct writer *w, const struct map_set *maps)
{
	struct listed listed = {w->numbers.len, map_set_count(maps)};
	const struct mapping *m;

	for (uint64_t at = 0; (m = map_set_above(maps, at)); at = m->end)
		if (!add_region(w, m))
			return false;
	return listed_vec_push(&w->lists, listed);
}

static bool list_maps(struct writer *w, struct bc_error *err)
{
	const struct snapshot_vec *all = &w->in->all;

	for (size_t i = 0; i < all->len; i++) {
		if (map_set_count(all->at[i].maps) > BCMAPS_NUMBERS_MOST - w->numbers.len)
			return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps",
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
 * below the next common region is left out, what the new one has is put in. */
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
	while (step.leave < old_count && step.put < new_count &&
	       old[step.leave] != new[step.put]) {
		if (w->regions.all.at[old[step.leave]].start <= w->regions.all.at[new[step.put]].start)
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

/* The count of steps stands before them: they are written aside first. */
static void put_steps(struct writer *w, const struct listed *last, const struct listed *now)
{
	static const uint32_t none[1];
	const uint32_t *numbers = w->numbers.at ? w->numbers.at : none;
	struct writer aside = {.in = w->in};
	uint64_t steps = put_steps_to(w, last ? numbers + last->first : none, last ? last->count : 0,
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
	memcpy(out, BCMAPS_MAGIC, BCMAPS_MAGIC_SIZE); // NOLINT(bugprone-not-null-terminated-result): bytes of a file, no string
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
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " regions in all maps", SNAPSHOTS_MAPPINGS_MOST);
	return w->out.len <= BCMAPS_CONTENT_MOST ||
	       bc_fail(err, BC_UNSUPPORTED, "%zu bytes of content, more than %" PRIu64, w->out.len, BCMAPS_CONTENT_MOST);
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
		ok = check_limits(&w, err) && (compress(ctx, &w.out, data, size) || bc_fail_nomem(err));
		ZSTD_freeCCtx(ctx);
	}
	writer_free(&w);
	return ok;
}
