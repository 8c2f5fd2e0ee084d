/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/image_match.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/snapshots.h"
#include "src/elf/load.h"

void image_match_init(struct image_match *match, const struct image *image,
		      const struct image_match_options *options)
{
	const char *given = options->image_name;

	*match = (struct image_match){
		.image = image,
		.name = given ? path_without_deleted(text_of(given)) :
				text_basename(text_of(options->binary_path)),
		.name_given = given != NULL,
		.ignore_build_id = options->ignore_build_id,
		.id_or_name = options->id_or_name,
	};
}

void image_match_rename(struct image_match *match, const char *name)
{
	match->name = path_without_deleted(text_of(name));
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
	return text_basename(path_without_deleted(path));
}

bool image_match_has_name(const struct image_match *match, struct text path)
{
	bool whole = text_find(match->name, '/') < match->name.len;

	return text_equal(match->name, whole ? path_without_deleted(path) : name_of(path));
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
	enum recorded_build build =
		build_judge(&event->build_id, (struct text){NULL, 0}, match->image);

	if (build != BUILD_NOT_TOLD &&
	    (!match->ignore_build_id || (match->id_or_name && build == BUILD_SAME))) {
		if (build == BUILD_OTHER)
			return named ? FIT_OTHER_BUILD : FIT_OTHER;
		return named || !match->name_given ? FIT_IMAGE : FIT_OTHER;
	}
	return named ? FIT_IMAGE : FIT_OTHER;
}

/* A mapping whose offset in the file is not ours can still be ours in memory:
 * strip moves segments in the file, never their addresses.  That is believed
 * where the base is known already: from another mapping, or because the binary
 * is static. */
static bool fits_addresses(const struct image *image, const struct load_mapping *m, uint64_t base)
{
	uint64_t page = load_page(image, m), begin = m->start.v - base, end = begin + m->size;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		uint64_t first = s->vaddr & ~(page - 1);
		uint64_t last = (s->vaddr + s->memsz + page - 1) & ~(page - 1);
		if (s->executable && begin >= first && begin < end && end <= last)
			return true;
	}
	return false;
}

/* For several segments, the one that agrees with `near`, else that of the
 * mapping's first byte, else the first. */
static bool find_base(const struct image *image, const struct map_event *event,
		      const uint64_t *near, uint64_t *out)
{
	const struct load_mapping m = {event->start, event->size, event->offset, true};
	uint64_t page = load_page(image, &m), base;
	int best = 0;

	if (!m.size || m.size > UINT64_MAX - m.offset.v)
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (!s->executable || !load_base_by(image, s, &m, &base))
			continue;
		int rank = near && *near == base                              ? 3 :
			   m.offset.v - (s->offset & ~(page - 1)) < s->filesz ? 2 :
										1;
		if (rank > best) {
			best = rank;
			*out = base;
		}
	}
	if (!best && (near || !image->position_independent)) {
		*out = near ? *near : 0;
		return fits_addresses(image, &m, *out);
	}
	return best > 0;
}

/* One file in two containers, or two builds of one name: the user must know. */
static bool note_other_path(struct image_match *match, struct text path, struct bc_error *err)
{
	if (match->also_found ||
	    text_equal(path_without_deleted(text_of(match->found)), path_without_deleted(path)))
		return true;
	match->also_found = strndup(path.at, path.len);
	return match->also_found ? true : bc_fail_nomem(err);
}

/* A build-id names the input of BOLT, not its output: two names for one id can
 * be two binaries, and only the user knows which one was given. */
static bool note_found(struct image_match *match, struct text path, struct bc_error *err)
{
	if (!match->found) {
		match->found = strndup(path.at, path.len);
		return match->found ? true : bc_fail_nomem(err);
	}
	struct text found = text_of(match->found);
	if (match->name_given || text_equal(name_of(found), name_of(path)))
		return note_other_path(match, path, err);
	return bc_fail(err, BC_MISMATCH,
		       "both %s and %.*s ran and can be the binary, by build-id or name and by segments",
		       match->found, (int)text_first(path, 4096).len, path.at) ||
	       bc_hint(err, "name the one that it is: --image=NAME");
}

bool image_match(struct image_match *match, const struct map_event *event, const uint64_t *near,
		 enum image_fit *fit, uint64_t *base, struct bc_error *err)
{
	*fit = judge_file(match, event);
	if (*fit == FIT_IMAGE && !find_base(match->image, event, near, base))
		*fit = FIT_MISFIT;
	return *fit != FIT_IMAGE || note_found(match, event->path, err);
}
