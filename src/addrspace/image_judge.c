/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/image_judge.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/hash.h"

static bool note_other_build(struct image_report *report, const struct map_event *event)
{
	if (report->other_build++)
		return true;
	report->other_build_id = event->build_id;
	report->other_build_path = malloc(event->path.len + 1);
	if (!report->other_build_path)
		return false;
	memcpy(report->other_build_path, event->path.at, event->path.len);
	report->other_build_path[event->path.len] = '\0';
	return true;
}

static uint64_t path_hash(const struct image_space *space, struct text path)
{
	return hash_bytes(space->path_seed, path.at, path.len);
}

bool image_space_unidentified(const struct image_space *space, struct text path)
{
	return number_set_has(&space->unidentified, path_hash(space, path));
}

/* Remembers mappings for build-ids that come late.  A mapping that does not fit is never used,
 * whatever its build-id. */
static bool note_identity(struct image_space *space, const struct map_event *event, enum image_fit fit)
{
	if (fit == FIT_IMAGE && event->build_id.size && !space->identified &&
	    image_match_has_name(&space->match, event->path))
		return (space->identified = strndup(event->path.at, event->path.len));
	return !event->id_may_come || fit == FIT_MISFIT ||
	       number_set_add(&space->unidentified, path_hash(space, event->path));
}

/* The user gave the input binary, but the samples are of the binary that BOLT made from it. */
static bool note_bolted(struct image_space *space, const struct map_event *event)
{
	struct image_report *report = &space->report;

	if (!report->bolted && build_id_is_marked(&space->match.image->build_id, &event->build_id))
		return (report->bolted = strndup(event->path.at, event->path.len));
	return true;
}

bool image_judge(struct image_space *space, const uint64_t *near, const struct map_event *event,
		 struct mapping *out, struct bc_error *err)
{
	struct image_report *report = &space->report;
	enum image_fit fit;
	uint64_t base = 0;

	if (!image_match(&space->match, event, near, &fit, &base, err))
		return false;
	if (!note_identity(space, event, fit) || (fit == FIT_OTHER_BUILD && !note_other_build(report, event)))
		return bc_fail_nomem(err);
	if (fit != FIT_IMAGE && !note_bolted(space, event))
		return bc_fail_nomem(err);
	report->executable++;
	report->misfits += fit == FIT_MISFIT;
	if (fit != FIT_IMAGE)
		return most_mapped_count(&space->files, event->path) ? true : bc_fail_nomem(err);
	out->file = FILE_IMAGE;
	out->offset = event->start.v - base;
	file_places_note(&space->places, (struct file_place){event->offset.v, event->size, out->offset});
	report->mappings++;
	report->rebased += near && *near != base;
	return true;
}
