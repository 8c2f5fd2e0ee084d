/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/pick.h"

#include <inttypes.h>

/* Is it the binary, going by what was recorded? */
static bool is_binary(const struct snapshots *s, const struct pick *pick, const struct mapping *m)
{
	struct text path = path_without_deleted(mapped_files_path(&s->files, m->file));
	struct build_id id = mapped_files_id(&s->files, m->file);

	if (!(m->flags & MAPPING_EXEC) || !path.len)
		return false;
	if (!id.size || !pick->image->build_id.size)
		return text_equal(text_basename(path), text_basename(text_of(pick->name)));
	return build_id_equal(&id, &pick->image->build_id);
}

/* The loads of the first path that is the binary and fits; one that has the whole
 * of the name that was given is preferred: builds of BOLT share a build-id. */
static bool find_in_map(const struct snapshots *s, const struct pick *pick, const struct maps *maps,
			uint32_t *path, struct loads *out, struct bc_error *err)
{
	struct loads best = {0};
	bool whole = false;
	uint32_t last = 0;

	for (size_t i = 0; i < maps->len && !whole; i++) {
		const struct mapping *m = &maps->at[i];
		uint32_t its_path = mapped_files_at(&s->files, m->file)->path;
		struct text name = path_without_deleted(strings_at(&s->files.texts, its_path));
		struct loads loads;
		if (its_path == last || !is_binary(s, pick, m))
			continue;
		last = its_path;
		if (!loads_find(maps, &s->files, its_path, pick->image, &loads)) {
			loads_free(&best);
			return bc_fail_nomem(err);
		}
		whole = text_equal(text_basename(name), text_basename(text_of(pick->name)));
		if (!loads.all.len || (best.all.len && !whole)) {
			loads_free(&loads);
			whole = false;
			continue;
		}
		loads_free(&best);
		best = loads;
		*path = its_path;
	}
	*out = best;
	return true;
}

static bool take_map(const struct snapshots *s, const struct snapshot *snapshot,
		     const struct pick *pick, struct maps *maps, uint32_t *path,
		     struct loads *loads, struct bc_error *err)
{
	if (!maps_of(snapshot->maps, maps))
		return bc_fail_nomem(err);
	if (find_in_map(s, pick, maps, path, loads, err)) {
		if (loads->all.len)
			return true;
		bc_fail(err, BC_MISMATCH, "process %" PRIu32 ", map %" PRIu32 " has no mapping of %s that "
			"fits its segments", snapshot->pid, snapshot->id, pick->name);
	}
	maps_free(maps);
	return false;
}

static const struct snapshot *of_process(const struct snapshots *s, const struct pick *pick,
					 uint32_t pid)
{
	return pick->id == PICK_ANY ? snapshots_at(s, pid, pick->time)
				    : snapshots_of_id(s, pid, pick->id);
}

static bool fail_several(const struct pick *pick, uint32_t a, uint32_t b, struct bc_error *err)
{
	return bc_fail(err, BC_MISMATCH, "processes %" PRIu32 " and %" PRIu32 " both have mapped %s: say "
		       "which one with --process", a, b, pick->name);
}

/* The only process that has the binary. */
static bool pick_any(const struct snapshots *s, const struct pick *pick, struct maps *maps,
		     uint32_t *path, struct loads *loads, struct bc_error *err)
{
	const struct snapshot *found = NULL;
	struct bc_error why = {.code = BC_OK};

	for (size_t i = 0; i < s->all.len; i++) {
		const struct snapshot *snapshot = &s->all.at[i];
		struct maps more = {0};
		struct loads its = {0};
		uint32_t its_path = 0;
		if (of_process(s, pick, snapshot->pid) != snapshot)
			continue;
		if (!take_map(s, snapshot, pick, &more, &its_path, &its, &why)) {
			if (why.code == BC_NOMEM)
				return bc_fail_nomem(err);
			continue;
		}
		bool second = found;
		if (!second) {
			*maps = more;
			*loads = its;
			*path = its_path;
			found = snapshot;
			continue;
		}
		maps_free(&more);
		loads_free(&its);
		maps_free(maps);
		loads_free(loads);
		return fail_several(pick, found->pid, snapshot->pid, err);
	}
	if (!found && why.code == BC_OK)
		return bc_fail(err, BC_MISMATCH, "no such map");
	if (!found)
		*err = why;
	return found;
}

bool pick_load(const struct snapshots *s, const struct pick *pick, struct maps *maps,
	       uint32_t *path, struct loads *loads, struct bc_error *err)
{
	if (pick->pid == PICK_ANY)
		return pick_any(s, pick, maps, path, loads, err);
	const struct snapshot *snapshot = of_process(s, pick, pick->pid);
	if (!snapshot)
		return bc_fail(err, BC_MISMATCH, "process %" PRIu32 " has no such map", pick->pid);
	return take_map(s, snapshot, pick, maps, path, loads, err);
}
