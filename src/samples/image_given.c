/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/image_given.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/samples/image_space.h"

/* What a snapshot is to a conversion. */
struct given_set {
	struct map_set *maps;
	uint64_t base; /* of the binary's mapping that is last */
	bool made, has_image;
};

struct image_given {
	const struct snapshots *snapshots; /* borrowed */
	uint8_t *wanted;                   /* by the number of a file: it can be the binary */
	uint32_t *others;                  /* by the number of a file: FILE_OTHER */
	struct renumbered copied;          /* with those */
	struct number_set without;         /* what has no mapping of a wanted file */
	struct given_set *sets;            /* by the number of a snapshot */
	uint64_t looked_at;                /* mappings of wanted files */
};

void image_given_forget(struct image_given *given)
{
	for (size_t i = 0; given && i < given->snapshots->all.len; i++) {
		map_set_release(given->sets[i].maps);
		given->sets[i] = (struct given_set){0};
	}
}

void image_given_free(struct image_given *given)
{
	if (!given)
		return;
	if (given->sets)
		image_given_forget(given);
	renumbered_free(&given->copied);
	number_set_free(&given->without);
	free(given->wanted);
	free(given->others);
	free(given->sets);
	free(given);
}

/* A file of another name and build-id is of no interest, unless it is BOLTed from the binary. */
static bool is_wanted(const struct image_match *match, const struct mapped_files *files,
		      uint32_t number)
{
	struct build_id id = mapped_files_id(files, number);
	struct text path = mapped_files_path(files, number);

	return path.len && (image_match_has_name(match, path) ||
			    (id.size && build_id_equal(&id, &match->image->build_id)) ||
			    build_id_is_marked(&match->image->build_id, &id));
}

bool image_space_give(struct image_space *space, const struct snapshots *snapshots,
		      struct bc_error *err)
{
	struct image_given *given = calloc(1, sizeof(*given));
	const struct mapped_files *files = &snapshots->files;
	size_t count = (size_t)files->files.len + 1;

	if (!given)
		return bc_fail_nomem(err);
	given->snapshots = snapshots;
	given->wanted = calloc(count, 1);
	given->others = calloc(count, sizeof(*given->others));
	given->sets = calloc(snapshots->all.len + 1, sizeof(*given->sets));
	space->given = given;
	if (!given->wanted || !given->others || !given->sets)
		return bc_fail_nomem(err);
	given->copied.numbers = given->others;
	for (uint32_t i = 1; i < files->files.len; i++)
		given->wanted[i] = is_wanted(&space->match, files, i);
	return true;
}

/* One mapping of a file that can be the binary. */
static bool add_mapping(struct image_space *space, const struct mapping *m, struct given_set *out,
			struct bc_error *err)
{
	const struct mapped_files *files = &space->given->snapshots->files;
	struct mapping mapping = {.start = m->start, .end = m->end};
	struct map_event event = {
		.start = {m->start},
		.size = m->end - m->start,
		.offset = {m->offset},
		.executable = true,
		.path = mapped_files_path(files, m->file),
		.build_id = mapped_files_id(files, m->file),
	};

	if (!(m->flags & MAPPING_EXEC) || m->start >= USER_END || m->end > USER_END)
		return true;
	if (!image_judge(space, out->has_image ? &out->base : NULL, &event, &mapping, err))
		return false;
	if (mapping.file != FILE_IMAGE)
		return true;
	out->has_image = true;
	out->base = mapping.start - mapping.offset;
	return map_set_replace(&out->maps, mapping.start, mapping.end, &mapping) ||
	       bc_fail_nomem(err);
}

/* Maps that share nodes keep sharing them, and each shared node is searched once. */
static bool make_set(struct image_space *space, const struct map_set *maps, struct given_set *out,
		     struct bc_error *err)
{
	BC_AUTO(mapping_vec_free) struct mapping_vec wanted = {0};
	struct image_given *given = space->given;

	if (!map_set_gather(maps, given->wanted, &given->without, &wanted))
		return bc_fail_nomem(err);
	given->looked_at += wanted.len;
	uint64_t most =
		GIVEN_MAPPINGS_ALWAYS + GIVEN_MAPPINGS_EACH * (uint64_t)given->snapshots->all.len;
	if (given->looked_at > most)
		return bc_fail(err, BC_UNSUPPORTED,
			       "the maps that are given have more than %" PRIu64
			       " mappings of the binary",
			       most);
	out->made = true;
	if (wanted.len && !map_set_renumber(maps, &given->copied, &out->maps))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < wanted.len; i++)
		if (!add_mapping(space, &wanted.at[i], out, err))
			return false;
	return true;
}

/* Given by the recording: then nothing is given. */
static bool is_told(const struct image_process *process)
{
	return !process->follows && (process->mapped || process->maps_forgotten);
}

/* When a pid is used again or a process runs another program, it loses the maps of before. */
static bool is_stale(const struct image_process *process, const struct snapshot *snapshot)
{
	return snapshot->pid && snapshot->time && snapshot->time < process->since;
}

static bool let_have(struct image_space *space, struct image_process *process, size_t number,
		     struct bc_error *err)
{
	struct given_set *set = &space->given->sets[number];

	if (!set->made && !make_set(space, space->given->snapshots->all.at[number].maps, set, err))
		return false;
	map_set_release(process->process.maps);
	process->process.maps = set->has_image ? map_set_share(set->maps) : NULL;
	space->report.processes += set->has_image && !process->mapped;
	process->base = set->base;
	process->mapped = set->has_image;
	process->maps_forgotten = !set->has_image;
	process->given = process->follows = true;
	process->snapshot = (uint32_t)number + 1;
	space->changes++;
	return true;
}

bool image_given_place(struct image_space *space, uint32_t pid, uint64_t time, struct bc_error *err)
{
	if (!space->given)
		return true;
	struct image_process *process =
		(struct image_process *)processes_find(&space->processes, pid);
	if (process && is_told(process))
		return true;
	const struct snapshots *snapshots = space->given->snapshots;
	const struct snapshot *found = snapshots_near(snapshots, pid, time);
	if (!found || (process && is_stale(process, found)))
		return true;
	size_t number = (size_t)(found - snapshots->all.at);
	if (process && process->snapshot == number + 1)
		return true;
	if (!process)
		process = (struct image_process *)processes_obtain(&space->processes, &image_owner,
								   pid);
	return process ? let_have(space, process, number, err) : bc_fail_nomem(err);
}
