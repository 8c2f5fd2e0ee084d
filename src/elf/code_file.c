/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/code_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const char *path;
	const struct build_id *id;
	enum machine machine;
	struct code_file *out;
	enum code_file_found found; /* the best that was seen */
};

void code_file_close(struct code_file *file)
{
	image_close(&file->image);
	file_unmap(&file->map);
	free(file->path);
	*file = (struct code_file){0};
}

static enum code_file_found judge(const struct search *s, const struct image *image)
{
	if (s->id->size && !build_id_equal(s->id, &image->build_id))
		return CODE_FILE_OTHER_BUILD;
	return image->machine == s->machine && image_has_code(image) ? CODE_FILE_OPEN : CODE_FILE_NO_CODE;
}

static enum code_file_found open_one(const struct search *s, const char *path, enum named_by by)
{
	struct code_file file = {0};
	struct bc_error err = {0};

	if (!file_map_named(path, by, &file.map, &err))
		return err.code == BC_NOMEM ? CODE_FILE_NO_MEMORY : err.code == BC_IO ? CODE_FILE_NOT_THERE : CODE_FILE_NO_CODE;
	enum code_file_found found = CODE_FILE_NO_CODE;
	if (image_open_map(&file.map, &file.image, &err))
		found = judge(s, &file.image);
	else if (err.code == BC_NOMEM)
		found = CODE_FILE_NO_MEMORY;
	if (found == CODE_FILE_OPEN && !(file.path = strdup(path)))
		found = CODE_FILE_NO_MEMORY;
	if (found == CODE_FILE_OPEN)
		*s->out = file;
	else
		code_file_close(&file);
	return found;
}

/* Is the search over? */
static bool try(struct search *s, enum named_by by, const char *before, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s%s", before, name);

	if (length <= 0 || length >= PATH_MAX)
		return false;
	enum code_file_found found = open_one(s, path, by);
	/* That there is a file of another build is told of the recorded path. */
	if (found == CODE_FILE_OPEN || found == CODE_FILE_NO_MEMORY || by == NAMED_BY_MAPPING)
		s->found = found;
	return found == CODE_FILE_OPEN || found == CODE_FILE_NO_MEMORY;
}

static bool try_build_id(struct search *s, enum named_by by, const char *root, const char *suffix)
{
	char hex[2 * BUILD_ID_MAX + 1], name[2 * BUILD_ID_MAX + 32];

	if (s->id->size < 2)
		return false;
	build_id_format(s->id, hex);
	snprintf(name, sizeof(name), "/.build-id/%.2s/%s%s", hex, hex + 2, suffix);
	return try(s, by, root, name);
}

static bool try_folder(struct search *s, const char *folder)
{
	const char *slash = strrchr(s->path, '/');

	return try_build_id(s, NAMED_BY_FOLDER, folder, "") || try_build_id(s, NAMED_BY_FOLDER, folder, ".debug") ||
	       try(s, NAMED_BY_FOLDER, folder, s->path) || (slash && try(s, NAMED_BY_FOLDER, folder, slash));
}

bool debuginfod_cache(char *root, size_t size)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"DEBUGINFOD_CACHE_PATH", ""}, {"XDG_CACHE_HOME", "/debuginfod_client"}, {"HOME", "/.cache/debuginfod_client"}};

	for (size_t i = 0; i < BC_COUNT(places); i++) {
		const char *at = getenv(places[i].variable);
		if (!at || !*at)
			continue;
		int length = snprintf(root, size, "%s%s", at, places[i].below);
		return length > 0 && (size_t)length < size;
	}
	return false;
}

static void try_caches(struct search *s)
{
	char root[PATH_MAX], hex[2 * BUILD_ID_MAX + 1], name[2 * BUILD_ID_MAX + 32];
	const char *home = getenv("HOME");

	if (!s->id->size)
		return;
	build_id_format(s->id, hex);
	if (home && *home && snprintf(root, sizeof(root), "%s/.debug", home) < PATH_MAX && try_build_id(s, NAMED_BY_BUILD_ID, root, "/elf"))
		return;
	snprintf(name, sizeof(name), "/%s/executable", hex);
	if (debuginfod_cache(root, sizeof(root)))
		try(s, NAMED_BY_BUILD_ID, root, name);
}

enum code_file_found code_file_open(const char *path, const struct build_id *id, enum machine machine, const struct debug_dirs *dirs,
				    struct code_file *out)
{
	static const char *const roots[] = {DEBUG_FILE_ROOT, "/usr/lib"};
	struct search s = {path, id, machine, out, CODE_FILE_NOT_THERE};

	*out = (struct code_file){0};
	for (size_t i = 0; dirs && i < dirs->count; i++)
		if (try_folder(&s, dirs->at[i]))
			return s.found;
	if (try(&s, NAMED_BY_MAPPING, "", path))
		return s.found;
	for (size_t i = 0; i < BC_COUNT(roots); i++)
		if (try_build_id(&s, NAMED_BY_BUILD_ID, roots[i], "") || try_build_id(&s, NAMED_BY_BUILD_ID, roots[i], ".debug"))
			return s.found;
	try_caches(&s);
	return s.found;
}
