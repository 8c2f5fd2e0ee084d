/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/load_choice.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/addrspace/build.h"

/* The files that can be the binary, by what was recorded of them, and what was found out about
 * maps so far. */
struct candidates {
	uint8_t *is_binary; /* by number: the binary, by build-id or name                    */
	uint8_t *wanted;    /* by number: of a path that a file of is_binary has             */
	struct number_set without; /* see map_set_gather() */
	uint64_t gathered;         /* mappings, of all maps so far */
};

/* Processes can share mappings, so that a small recording stands for any number of them. */
#ifndef GATHERED_MOST /* a test has few */
#define GATHERED_MOST (UINT64_C(1) << 25)
#endif

static void candidates_free(struct candidates *c)
{
	free(c->is_binary);
	free(c->wanted);
	number_set_free(&c->without);
}

static bool is_binary(const struct mapped_files *files, const struct load_choice *choice, uint32_t file)
{
	struct text path = path_without_deleted(mapped_files_path(files, file));
	bool has_id = choice->image->build_id.size || choice->image->go_build_id.len;
	enum build build = has_id ? build_of(files, file, choice->image) : BUILD_NOT_TOLD;

	if (!path.len)
		return false;
	if (build == BUILD_NOT_TOLD)
		return text_equal(text_basename(path), text_basename(text_of(choice->name)));
	return build == BUILD_SAME;
}

static bool candidates_find(const struct mapped_files *files, const struct load_choice *choice,
			    struct candidates *out)
{
	size_t count = (size_t)files->files.len + 1;
	uint8_t *paths = calloc((size_t)files->texts.len + 1, 1);

	*out = (struct candidates){.is_binary = calloc(count, 1), .wanted = calloc(count, 1)};
	bool ok = paths && out->is_binary && out->wanted;
	for (uint32_t i = 1; ok && i < files->files.len; i++) {
		out->is_binary[i] = is_binary(files, choice, i);
		if (out->is_binary[i])
			paths[mapped_files_at(files, i)->path] = 1;
	}
	for (uint32_t i = 1; ok && i < files->files.len; i++)
		out->wanted[i] = paths[mapped_files_at(files, i)->path];
	free(paths);
	return ok;
}

/* The loads of the first path that is the binary and fits; one that has the whole
 * of the name that was given is preferred: builds of BOLT share a build-id. */
static bool find_loads(const struct mapped_files *files, const struct load_choice *choice, const struct candidates *c,
		       const struct maps *maps, uint32_t *path, struct loads *out)
{
	struct loads best = {0};
	bool whole = false;
	uint32_t last = 0;

	for (size_t i = 0; i < maps->len && !whole; i++) {
		const struct mapping *m = &maps->at[i];
		uint32_t its_path = mapped_files_at(files, m->file)->path;
		struct text name = path_without_deleted(strings_at(&files->texts, its_path));
		struct loads loads;
		if (its_path == last || !c->is_binary[m->file] || !(m->flags & MAPPING_EXEC))
			continue;
		last = its_path;
		if (!loads_find(maps, files, its_path, choice->image, &loads)) {
			loads_free(&best);
			return false;
		}
		whole = text_equal(text_basename(name), text_basename(text_of(choice->name)));
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

/* Of the candidates' mappings alone, which are few. */
static bool find_in_map(const struct snapshots *s, const struct load_choice *choice, struct candidates *c,
			const struct map_set *maps, uint32_t *path, struct loads *out)
{
	struct mapping_vec found = {0};

	*out = (struct loads){0};
	bool ok = map_set_gather(maps, c->wanted, &c->without, &found) &&
		  find_loads(&s->files, choice, c, &(struct maps){found.at, found.len, NULL}, path, out);
	c->gathered += found.len;
	mapping_vec_free(&found);
	return ok;
}

static bool take_map(const struct snapshots *s, const struct snapshot *snapshot,
		     const struct load_choice *choice, struct candidates *c, struct maps *maps, uint32_t *path,
		     struct loads *loads, struct bc_error *err)
{
	if (c->gathered > GATHERED_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu64 " mappings of %s in all processes: "
			       "say which one with --process", GATHERED_MOST, choice->name);
	if (!find_in_map(s, choice, c, snapshot->maps, path, loads))
		return bc_fail_nomem(err);
	if (!loads->all.len)
		return bc_fail(err, BC_MISMATCH, "process %" PRIu32 ", map %" PRIu32 " has no mapping of %s that "
			       "fits its segments", snapshot->pid, snapshot->id, choice->name);
	if (maps_of(snapshot->maps, maps))
		return true;
	loads_free(loads);
	return bc_fail_nomem(err);
}

static const struct snapshot *of_process(const struct snapshots *s, const struct load_choice *choice,
					 uint32_t pid)
{
	return choice->id == LOAD_CHOICE_ANY ? snapshots_at(s, pid, choice->time)
				    : snapshots_of_id(s, pid, choice->id);
}

static bool fail_several(const struct load_choice *choice, uint32_t a, uint32_t b, struct bc_error *err)
{
	return bc_fail(err, BC_MISMATCH, "processes %" PRIu32 " and %" PRIu32 " both have mapped %s: say "
		       "which one with --process", a, b, choice->name);
}

/* The only process that has the binary. */
static bool choose_any(const struct snapshots *s, const struct load_choice *choice, struct candidates *c,
		     struct maps *maps, uint32_t *path, struct loads *loads, struct bc_error *err)
{
	const struct snapshot *found = NULL;
	struct bc_error why = {.code = BC_OK};

	for (size_t i = 0; i < s->all.len; i++) {
		const struct snapshot *snapshot = &s->all.at[i];
		struct maps more = {0};
		struct loads its = {0};
		uint32_t its_path = 0;
		if (of_process(s, choice, snapshot->pid) != snapshot)
			continue;
		if (!take_map(s, snapshot, choice, c, &more, &its_path, &its, &why)) {
			if (why.code == BC_MISMATCH)
				continue;
			if (found) {
				maps_free(maps);
				loads_free(loads);
			}
			*err = why;
			return false;
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
		return fail_several(choice, found->pid, snapshot->pid, err);
	}
	if (!found && why.code == BC_OK)
		return bc_fail(err, BC_MISMATCH, "no such map");
	if (!found)
		*err = why;
	return found;
}

static bool choose_one(const struct snapshots *s, const struct load_choice *choice, struct candidates *c,
		     struct maps *maps, uint32_t *path, struct loads *loads, struct bc_error *err)
{
	const struct snapshot *snapshot = of_process(s, choice, choice->pid);

	if (!snapshot)
		return bc_fail(err, BC_MISMATCH, "process %" PRIu32 " has no such map", choice->pid);
	return take_map(s, snapshot, choice, c, maps, path, loads, err);
}

bool load_choose(const struct snapshots *s, const struct load_choice *choice, struct maps *maps,
	       uint32_t *path, struct loads *loads, struct bc_error *err)
{
	struct candidates c;
	bool ok = candidates_find(&s->files, choice, &c) || bc_fail_nomem(err);

	if (ok)
		ok = (choice->pid == LOAD_CHOICE_ANY ? choose_any : choose_one)(s, choice, &c, maps, path, loads, err);
	candidates_free(&c);
	return ok;
}
