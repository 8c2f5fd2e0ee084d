/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/mapped_programs.h"

#include <stdlib.h>

#include "src/samples/mapped_files.h"
#include "src/base/sort.h"

/* At most so many files are mapped at once; then all are closed.  Each one needs some 50 KB of
 * memory besides. */
#define OPEN_MOST 1024

static void close_all(struct mapped_programs *programs)
{
	for (size_t i = 0; programs->at && i < programs->files->files.len; i++) {
		struct opened_program *program = &programs->at[i];
		if (!program->known || program->why_not)
			continue;
		image_close(&program->image);
		file_unmap(&program->file);
		program->known = false;
	}
	programs->open = 0;
}

void mapped_programs_free(struct mapped_programs *programs)
{
	close_all(programs);
	free(programs->at);
	free(programs->seen);
}

static bool make_room(struct mapped_programs *programs)
{
	if (!programs->at)
		programs->at = calloc((size_t)programs->files->files.len + 1, sizeof(*programs->at));
	if (!programs->seen)
		programs->seen = calloc((size_t)programs->files->texts.len + 1, sizeof(*programs->seen));
	return programs->at && programs->seen;
}

static void look(struct opened_program *program, const struct mapped_files *files, uint32_t number,
		 bool elsewhere, struct bc_error *err)
{
	struct text path = mapped_files_path(files, number);

	if (path_without_deleted(path).len < path.len)
		program->why_not = "deleted";
	else if (!file_map_named(path.at, NAMED_BY_MAPPING, &program->file, err))
		program->why_not = err->code == BC_UNSUPPORTED ? "no regular file" : "not there";
	else if (!image_open_map(&program->file, &program->image, err))
		program->why_not = "no ELF image of a known kind";
	else if (build_of(files, number, &program->image) == BUILD_OTHER) /* the file was replaced */
		program->why_not = "another build is there now";
	else if (elsewhere && build_of(files, number, &program->image) != BUILD_SAME)
		program->why_not = "one of this machine, not of the one that recorded (no build-id says that they are the same)";
}

const struct opened_program *mapped_programs_open(struct mapped_programs *programs, uint32_t number)
{
	struct bc_error err = {.code = BC_OK};

	if (!make_room(programs))
		return NULL;
	struct opened_program *program = &programs->at[number];
	if (program->known)
		return program;
	if (programs->open == OPEN_MOST)
		close_all(programs);
	*program = (struct opened_program){.known = true};
	look(program, programs->files, number, programs->elsewhere, &err);
	if (program->why_not) {
		image_close(&program->image);
		file_unmap(&program->file);
	} else {
		programs->open++;
	}
	return err.code == BC_NOMEM ? NULL : program;
}

static uint32_t path_of(const struct mapped_files *files, const struct mapping *mapping)
{
	return mapped_files_at(files, mapping->file)->path;
}

struct of_path {
	uint32_t path, index;
};

static bool of_path_less(const struct of_path *a, const struct of_path *b)
{
	return a->path != b->path ? a->path < b->path : a->index < b->index;
}
DEFINE_SORT(sort_of_path, struct of_path, of_path_less)

bool mapped_programs_next_map(struct mapped_programs *programs, const struct maps *maps,
			      struct mappings_by_path *out)
{
	struct of_path *order = malloc((maps->len + 1) * sizeof(*order));

	*out = (struct mappings_by_path){malloc((maps->len + 1) * sizeof(*out->at)), maps->len, programs->files};
	bool ok = make_room(programs) && order && out->at;
	for (size_t i = 0; ok && i < maps->len; i++)
		order[i] = (struct of_path){path_of(programs->files, &maps->at[i]), (uint32_t)i};
	if (ok)
		sort_of_path(order, maps->len);
	for (size_t i = 0; ok && i < maps->len; i++)
		out->at[i] = maps->at[order[i].index];
	free(order);
	programs->map++;
	return ok;
}

void mappings_by_path_free(struct mappings_by_path *mappings)
{
	free(mappings->at);
}

bool mapped_programs_is_new(struct mapped_programs *programs, uint32_t path)
{
	bool is_new = programs->seen[path] != programs->map;

	programs->seen[path] = programs->map;
	return is_new;
}

struct wanted {
	const struct mapped_files *files;
	uint64_t path;
};
DEFINE_SEARCH(first_of_path, struct mapping, struct wanted, path_of(key.files, item) < key.path)

/* The first mapping whose path is not below. */
static size_t first_from(const struct mappings_by_path *mappings, uint64_t path)
{
	return first_of_path(mappings->at, mappings->len, (struct wanted){mappings->files, path});
}

struct maps mappings_of_path(const struct mappings_by_path *mappings, uint32_t path)
{
	size_t first = first_from(mappings, path), end = first_from(mappings, (uint64_t)path + 1);

	return (struct maps){mappings->at + first, end - first, NULL};
}
