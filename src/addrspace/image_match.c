/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/image_match.h"

#include <stdlib.h>

#define PAGE_SMALLEST UINT64_C(0x1000)
#define PAGE_LARGEST UINT64_C(0x10000)

static struct text without_deleted(struct text path)
{
	const char *deleted = " (deleted)";

	return text_ends(path, deleted) ? text_first(path, path.len - strlen(deleted)) : path;
}

void image_match_init(struct image_match *match, const struct image *image,
		      const struct image_match_options *options)
{
	const char *given = options->image_name;

	*match = (struct image_match){
		.image = image,
		.name = given ? without_deleted(text_of(given)) : text_basename(text_of(options->binary_path)),
		.name_given = given != NULL,
		.ignore_build_id = options->ignore_build_id,
		.id_or_name = options->id_or_name,
	};
}

void image_match_rename(struct image_match *match, const char *name)
{
	match->name = without_deleted(text_of(name));
	match->name_given = true;
}

void image_match_fini(struct image_match *match)
{
	free(match->found);
	free(match->also_found);
	*match = (struct image_match){0};
}

static struct text name_of(struct text path)
{
	return text_basename(without_deleted(path));
}

bool image_match_has_name(const struct image_match *match, struct text path)
{
	bool whole = text_find(match->name, '/') < match->name.len;

	return text_equal(match->name, whole ? without_deleted(path) : name_of(path));
}

bool image_match_has_found_name(const struct image_match *match, struct text path)
{
	return image_match_has_name(match, path) ||
	       (match->found && text_equal(name_of(text_of(match->found)), name_of(path)));
}

/* Which file is it, by build-id and name? */
static enum image_fit judge_file(const struct image_match *match, const struct map_event *event)
{
	bool named = image_match_has_name(match, event->path);
	bool equal = event->build_id.size && build_id_equal(&event->build_id, &match->image->build_id);

	if (event->build_id.size && (!match->ignore_build_id || (match->id_or_name && equal))) {
		if (!equal)
			return named ? FIT_OTHER_BUILD : FIT_OTHER;
		return named || !match->name_given ? FIT_IMAGE : FIT_OTHER;
	}
	return named ? FIT_IMAGE : FIT_OTHER;
}

/* The largest page size that the mapping is made of, as far as it can tell. */
static uint64_t page_size(const struct image *image, const struct map_event *event)
{
	uint64_t bits = event->start.v | event->size | event->offset.v;
	uint64_t page = PAGE_SMALLEST;

	if (image->machine == MACHINE_AARCH64)
		while (page < PAGE_LARGEST && !(bits & (2 * page - 1)))
			page *= 2;
	return page;
}

/* Does the mapping belong to this segment?  Gives the base if so. */
static bool fits_segment(const struct segment *s, const struct map_event *event, uint64_t page,
			 uint64_t *base)
{
	uint64_t begin = event->offset.v, end = begin + event->size;
	uint64_t s_end = s->offset + s->filesz;
	bool inside = begin >= (s->offset & ~(page - 1)) &&
		      end <= ((s_end + page - 1) & ~(page - 1));
	bool around = begin <= s->offset && end >= s_end;

	if (!s->executable || !s->filesz || !(inside || around))
		return false;
	*base = event->start.v - (s->vaddr - s->offset + begin);
	return !(*base & (PAGE_SMALLEST - 1));
}

/* A mapping whose place in the file is not ours can still be ours in memory:
 * strip moves segments in the file, never their addresses.  That is believed
 * where the base is known already: from another mapping, or because the binary
 * is static. */
static bool fits_addresses(const struct image *image, const struct map_event *event,
			   uint64_t page, uint64_t base)
{
	uint64_t begin = event->start.v - base, end = begin + event->size;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		uint64_t first = s->vaddr & ~(page - 1);
		uint64_t last = (s->vaddr + s->memsz + page - 1) & ~(page - 1);
		if (s->executable && begin >= first && begin < end && end <= last)
			return true;
	}
	return false;
}

/* Of several segments, the one that agrees with `near`, else that of the
 * mapping's first byte, else the first. */
static bool find_base(const struct image *image, const struct map_event *event,
		      const uint64_t *near, uint64_t *out)
{
	uint64_t page = page_size(image, event), base;
	int best = 0;

	if (!event->size || event->size > UINT64_MAX - event->offset.v)
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (!fits_segment(s, event, page, &base))
			continue;
		if (!image->position_independent && base)
			continue;
		int rank = near && *near == base                                 ? 3
			   : event->offset.v - (s->offset & ~(page - 1)) < s->filesz ? 2
										   : 1;
		if (rank > best) {
			best = rank;
			*out = base;
		}
	}
	if (!best && (near || !image->position_independent)) {
		*out = near ? *near : 0;
		return fits_addresses(image, event, page, *out);
	}
	return best > 0;
}

static char *copy_text(struct text text)
{
	char *copy = malloc(text.len + 1);

	if (copy) {
		memcpy(copy, text.at, text.len);
		copy[text.len] = '\0';
	}
	return copy;
}

/* One file in two containers, or two builds of one name: the user must know. */
static bool note_other_path(struct image_match *match, struct text path, struct bc_error *err)
{
	if (match->also_found ||
	    text_equal(without_deleted(text_of(match->found)), without_deleted(path)))
		return true;
	match->also_found = copy_text(path);
	return match->also_found ? true : bc_fail_nomem(err);
}

/* A build-id names the input of BOLT, not its output: two names for one id can
 * be two binaries, and only the user knows which one was given. */
static bool note_found(struct image_match *match, struct text path, struct bc_error *err)
{
	if (!match->found) {
		match->found = copy_text(path);
		return match->found ? true : bc_fail_nomem(err);
	}
	struct text found = text_of(match->found);
	if (match->name_given || text_equal(name_of(found), name_of(path)))
		return note_other_path(match, path, err);
	return bc_fail(err, BC_MISMATCH,
		       "both %s and %.*s were run and are the binary by build-id or name, and by segments; "
		       "say which one it is with --image NAME",
		       match->found, (int)text_first(path, 4096).len, path.at);
}

bool image_match(struct image_match *match, const struct map_event *event, const uint64_t *near,
		 enum image_fit *fit, uint64_t *base, struct bc_error *err)
{
	*fit = judge_file(match, event);
	if (*fit == FIT_IMAGE && !find_base(match->image, event, near, base))
		*fit = FIT_MISFIT;
	return *fit != FIT_IMAGE || note_found(match, event->path, err);
}
