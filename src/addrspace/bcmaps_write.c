/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <zstd.h>

#include "src/addrspace/bcmaps.h"
#include "src/base/leb.h"

#define HEADER_SIZE (BCMAPS_MAGIC_SIZE + 16)
#define LEVEL 19 /* maps are small and read often */

struct writer {
	const struct snapshots *in;
	struct byte_vec out;
	bool nomem;
};

static void put_u(struct writer *w, uint64_t value)
{
	w->nomem |= !leb_put_u(&w->out, value);
}

static void put_s(struct writer *w, uint64_t difference)
{
	w->nomem |= !leb_put_s(&w->out, (int64_t)difference);
}

static void put_strings(struct writer *w)
{
	const struct strings *strings = &w->in->strings;
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
	const struct region_vec *regions = &w->in->regions;
	uint64_t end = 0;

	put_u(w, regions->len);
	for (size_t i = 0; i < regions->len; i++) {
		const struct region *r = &regions->at[i];
		put_s(w, r->start - end);
		put_u(w, r->end - r->start);
		put_u(w, r->offset);
		put_u(w, r->flags);
		put_u(w, r->major);
		put_u(w, r->minor);
		put_u(w, r->inode);
		put_u(w, r->path);
		put_u(w, r->build_id);
		end = r->end;
	}
}

/* How the new list begins, seen from the rest of the old one. */
struct step {
	uint32_t take, leave, put;
};

/* Both lists ascend by address.  Equal heads are taken; then what the old one has
 * below the next common region is left out, what the new one has is put in. */
static struct step next_step(const struct snapshots *s, const uint32_t *old, uint32_t old_count,
			     const uint32_t *new, uint32_t new_count)
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
		if (s->regions.at[old[step.leave]].start <= s->regions.at[new[step.put]].start)
			step.leave++;
		else
			step.put++;
	}
	if (step.put == new_count) /* what is left of the old one goes by itself */
		return step;
	if (step.leave == old_count)
		step.put = new_count;
	return step;
}

static uint64_t put_steps_to(struct writer *w, const uint32_t *old, uint32_t old_count,
			     const uint32_t *new, uint32_t new_count)
{
	uint64_t steps = 0, number = 0;

	while (new_count) {
		struct step step = next_step(w->in, old, old_count, new, new_count);
		uint32_t kinds[] = {step.take, step.leave, step.put};
		for (unsigned kind = 0; kind < 3; kind++) {
			if (!kinds[kind])
				continue;
			put_u(w, (uint64_t)kinds[kind] << 2 | kind);
			steps++;
			for (uint32_t i = 0; kind == 2 && i < step.put; i++) {
				uint32_t next = new[step.take + i];
				put_s(w, next - number);
				number = next;
			}
		}
		old += step.take + step.leave;
		old_count -= step.take + step.leave;
		new += step.take + step.put;
		new_count -= step.take + step.put;
	}
	return steps;
}

/* The count of steps stands before them: they are written aside first. */
static void put_steps(struct writer *w, const struct snapshot *last, const struct snapshot *now)
{
	static const uint32_t none[1];
	const uint32_t *numbers = w->in->numbers.at ? w->in->numbers.at : none;
	struct writer aside = {.in = w->in};
	uint64_t steps = put_steps_to(&aside, last ? numbers + last->first : none,
				      last ? last->count : 0, numbers + now->first, now->count);

	put_u(w, steps);
	for (size_t i = 0; i < aside.out.len; i++)
		w->nomem |= !byte_vec_push(&w->out, aside.out.at[i]);
	w->nomem |= aside.nomem;
	byte_vec_free(&aside.out);
}

static const struct snapshot *last_of_pid(const struct snapshots *s, size_t before)
{
	uint32_t pid = s->all.at[before].pid;

	while (before-- > 0)
		if (s->all.at[before].pid == pid)
			return &s->all.at[before];
	return NULL;
}

static void put_snapshots(struct writer *w)
{
	const struct snapshot_vec *all = &w->in->all;
	uint64_t time = 0;

	put_u(w, all->len);
	for (size_t i = 0; i < all->len; i++) {
		const struct snapshot *s = &all->at[i];
		put_u(w, s->pid);
		put_u(w, s->id);
		put_s(w, s->time - time);
		put_steps(w, last_of_pid(w->in, i), s);
		time = s->time;
	}
}

static void put_le(uint8_t *to, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static bool compress(ZSTD_CCtx *ctx, const struct byte_vec *content, uint8_t **data, size_t *size)
{
	size_t room = ZSTD_compressBound(content->len);
	uint8_t *out = ctx ? malloc(HEADER_SIZE + room) : NULL;

	if (!out)
		return false;
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	size_t got = ZSTD_compress2(ctx, out + HEADER_SIZE, room, content->at, content->len);
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

bool bcmaps_write(const struct snapshots *snapshots, uint8_t **data, size_t *size,
		  struct bc_error *err)
{
	struct writer w = {.in = snapshots};

	put_strings(&w);
	put_regions(&w);
	put_snapshots(&w);
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	bool ok = !w.nomem && compress(ctx, &w.out, data, size);
	ZSTD_freeCCtx(ctx);
	byte_vec_free(&w.out);
	return ok || bc_fail_nomem(err);
}
