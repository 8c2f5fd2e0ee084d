/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps that are given from outside, for processes of which a recording does not show what they had
 * mapped when it began: text without mmap events, or a later part of a recording.
 *
 * What was recorded wins.  A process that has reported no mapping has the maps that are given for
 * it and its time; one that shows a mapping of a time later on has it put over those.  What a
 * recording says of processes that were there before has no time, and is all that they had.
 */
#ifndef SAMPLES_IMAGE_GIVEN_H
#define SAMPLES_IMAGE_GIVEN_H

#include "src/samples/image_space.h"
#include "src/samples/snapshots.h"

/* So many mappings of the binary are looked at in all maps together, and so many more for each map:
 * a small file can have the same ones in any number of maps. */
#define GIVEN_MAPPINGS_ALWAYS (UINT64_C(1) << 20)
#define GIVEN_MAPPINGS_EACH   8

/* Before the first event.  The snapshots are indexed, and borrowed.  BC_NOMEM */
BC_MUST_USE bool image_space_give(struct image_space *space, const struct snapshots *snapshots,
				  struct bc_error *err);

/* Before anything is looked up of a process at a time (0: not known): let it have the maps that are
 * given, unless it has reported any.
 *
 * BC_UNSUPPORTED  GIVEN_MAPPINGS_...
 * Errors as of image_space_event(). */
BC_MUST_USE bool image_given_place(struct image_space *space, uint32_t pid, uint64_t time,
				   struct bc_error *err);

/* What was made of the maps for the recording before. */
void image_given_forget(struct image_given *given);
void image_given_free(struct image_given *given);

#endif
