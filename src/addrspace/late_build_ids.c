/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/late_build_ids.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 384 /* bytes of a path */

/* The first file of each kind, or an empty path or NULL. */
struct kinds {
	struct text binary;            /* name and build-id of the binary */
	const struct file_id *other;   /* its name, another build-id */
	const struct file_id *renamed; /* its build-id, another name */
};

static void sort_out(const struct image_space *space, const struct file_id *file,
		     struct kinds *out)
{
	const struct image_match *match = &space->match;
	bool named = image_match_has_name(match, file->path);
	bool equal = build_id_equal(file->id, &match->image->build_id);
	const struct file_id **kind = named ? &out->other : &out->renamed;

	if (named && equal)
		out->binary = out->binary.len ? out->binary : file->path;
	else if ((named || equal) && !*kind && image_space_unidentified(space, file->path))
		*kind = file;
}

#define PIPE_ADVICE "which comes too late in a pipe: convert a file that perf record -o wrote, or give --image "

static bool fail_other(struct image_space *space, const struct kinds *kinds, struct bc_error *err)
{
	struct text binary = text_first(kinds->binary, SHOWN);
	struct text other = text_first(kinds->other->path, SHOWN);

	if (!binary.len) {
		space->report.mistaken += space->report.processes - space->processes_before;
		return image_space_fail_other_build(space, kinds->other, err);
	}
	return bc_fail(err, BC_MISMATCH,
		       "%.*s is the binary and %.*s another build of that name, " PIPE_ADVICE "PATH",
		       (int)binary.len, binary.at, (int)other.len, other.at);
}

static bool take_renamed(struct image_space *space, const struct kinds *kinds, struct bc_error *err)
{
	struct text path = text_first(kinds->renamed->path, SHOWN);

	if (kinds->binary.len) {
		free(space->report.renamed);
		space->report.renamed = strndup(path.at, path.len);
		return space->report.renamed || bc_fail_nomem(err);
	}
	return bc_fail(err, BC_MISMATCH,
		       "%.*s, of another name, has the binary's build-id, " PIPE_ADVICE "NAME",
		       (int)path.len, path.at);
}

bool late_build_ids_check(struct image_space *space, const struct file_id *files, size_t count,
		    struct bc_error *err)
{
	const struct image_match *match = &space->match;
	struct kinds kinds = {.binary = space->identified ? text_of(space->identified) : (struct text){0}};

	if (match->ignore_build_id)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (!kernel_space_identify(&space->kernel, &files[i], err))
			return false;
		sort_out(space, &files[i], &kinds);
	}
	return (!kinds.other || fail_other(space, &kinds, err)) &&
	       (!kinds.renamed || match->name_given || take_renamed(space, &kinds, err));
}
