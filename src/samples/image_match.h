/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Is a mapping one of the binary, and how far is it from where the file wants
 * to be?
 *
 * Which file it is: a build-id that differs rules a mapping out, an equal one
 * accepts it whatever its name; if none was recorded, the name decides, without
 * directories and " (deleted)".
 *
 * Where it is: the mapped part of the file must be a part of an executable
 * segment, or hold a whole one, both in whole pages; that segment gives
 *
 *   base = start - (p_vaddr - p_offset + file offset of start)
 *
 * Where the file was stripped since, or the recorded one was, segments lie
 * elsewhere in the file, but not in memory: once the base is known, a mapping
 * inside a segment's addresses is accepted too.
 *
 * Each mapping keeps its own base.  A process can rightly have two of one file:
 * a library that was closed and opened again (perf does not record munmap), or
 * that was opened in two namespaces; and an address says which one it means.
 * The base of the mapping before only decides where one fits to two segments.
 */
#ifndef SAMPLES_IMAGE_MATCH_H
#define SAMPLES_IMAGE_MATCH_H

#include "src/elf/image.h"
#include "src/samples/event.h"

struct image_match_options {
	const char *binary_path; /* its last part is the name to look for */
	const char *image_name;  /* take this name instead, and only this; a whole
				    path if it has a slash.  NULL: not given */
	bool ignore_build_id;    /* the name decides in any case */
	bool id_or_name; /* with ignore_build_id: the binary's build-id accepts a mapping all the
			    same */
	bool kernel_in_place; /* a kernel is where its file says, whatever a recording shows */
};

struct image_match {
	const struct image *image;
	struct text name;
	bool name_given; /* by image_name */
	bool ignore_build_id, id_or_name;
	char *found;      /* path of the first mapping that matched, or NULL */
	char *also_found; /* the first other path of the same name that did, or NULL */
};

enum image_fit {
	FIT_OTHER,       /* another file */
	FIT_OTHER_BUILD, /* the name, but another build-id */
	FIT_MISFIT,      /* the binary, but not where its segments are */
	FIT_IMAGE,
};

void image_match_init(struct image_match *match, const struct image *image,
		      const struct image_match_options *options);
void image_match_fini(struct image_match *match);

/* Takes this name instead, and only this, as image_name; it must live as long. */
void image_match_rename(struct image_match *match, const char *name);

/* Has a file the binary's name?  Or that under which the binary was found? */
bool image_match_has_name(const struct image_match *match, struct text path);
bool image_match_has_found_name(const struct image_match *match, struct text path);

/* Judge an executable mapping.
 *
 * near  base of the binary's mapping before in this process, or NULL
 * base  set for FIT_IMAGE; 0 for a static binary
 *
 * BC_MISMATCH  a second file that matches by build-id under another name
 * BC_NOMEM */
BC_MUST_USE bool image_match(struct image_match *match, const struct map_event *event,
			     const uint64_t *near, enum image_fit *fit, uint64_t *base,
			     struct bc_error *err);

#endif
