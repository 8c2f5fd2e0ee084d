/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* d_type */
#include "src/elf/code_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/elf/notes.h"

const char *input_where_words(enum input_where where)
{
	static const char *const words[] = {"in a directory of --debug-dir", "next to the binary",
					    "below the system's .build-id",
					    "in the cache of debuginfod"};

	return words[where];
}

const char *input_where_key(enum input_where where)
{
	static const char *const keys[] = {"debug-dir", "same-directory", "build-id", "cache"};

	return keys[where];
}

/* The directory of debuginfod's cache; false: there is none, or its path is too long. */
static bool debuginfod_cache(char *root, size_t size)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"DEBUGINFOD_CACHE_PATH", ""},
		      {"XDG_CACHE_HOME", "/debuginfod_client"},
		      {"HOME", "/.cache/debuginfod_client"}};

	for (size_t i = 0; i < BC_COUNT(places); i++) {
		const char *at = getenv(places[i].variable);
		if (!at || !*at)
			continue;
		int length = snprintf(root, size, "%s%s", at, places[i].below);
		return length > 0 && (size_t)length < size;
	}
	return false;
}

/* ---- inputs of llvm-bolt: one file ---- */

struct search {
	struct input_files *out;
	const struct build_id *output;
	struct stat self; /* of the binary itself */
	bool nomem;
};

static bool is_there(const struct search *s, const struct stat *st)
{
	struct stat other;

	if (st->st_dev == s->self.st_dev && st->st_ino == s->self.st_ino)
		return true;
	for (size_t i = 0; i < s->out->all.len; i++)
		if (stat(s->out->all.at[i].path, &other) == 0 && st->st_dev == other.st_dev &&
		    st->st_ino == other.st_ino)
			return true;
	return false;
}

static void take(struct search *s, const char *path, enum input_where where)
{
	struct input_file file = {strdup(path), where};

	if (file.path && input_file_vec_push(&s->out->all, file))
		return;
	free(file.path);
	s->nomem = true;
}

/* telling: by its name it can be the input. */
static void look_at(struct search *s, const char *path, enum input_where where, bool telling)
{
	struct bc_error err = {0};
	struct stat st;
	int fd;

	if (s->nomem || s->out->all.len == INPUT_FILES_MOST)
		return;
	if (!named_file_open(path, NAMED_BY_INPUT_ID, &fd, &err)) {
		if (telling && err.code == BC_IO && !s->out->unread.code && access(path, F_OK) == 0)
			s->out->unread = err;
		return;
	}
	if (fstat(fd, &st) == 0 && !is_there(s, &st)) {
		struct file_notes facts = notes_of_file(fd);
		if (facts.has_code && build_id_is_marked(&facts.id, s->output))
			take(s, path, where);
	}
	close(fd);
}

/* ---- the files of a directory ---- */

struct named {
	char *name;
	size_t alike; /* so many bytes are those of the binary's name */
};
DEFINE_VEC(named_vec, struct named);

static int by_likeness(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return a->alike != b->alike ? (a->alike < b->alike ? 1 : -1) : strcmp(a->name, b->name);
}

static size_t common_length(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return i;
}

/* Does one name begin with the other, as prog.bolt does with prog? */
static bool begins_alike(const struct named *entry, const char *name)
{
	return entry->alike && (!entry->name[entry->alike] || !name[entry->alike]);
}

/* The names in a directory; none if there are too many. */
static void read_names(struct search *s, const char *folder, const char *name,
		       struct named_vec *out)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	for (const struct dirent *entry;
	     dir && !s->nomem && (entry = readdir(dir)) && count <= INPUT_FILES_NAMES; count++) {
		if (entry->d_type != DT_REG && entry->d_type != DT_LNK &&
		    entry->d_type != DT_UNKNOWN)
			continue;
		struct named one = {strdup(entry->d_name), common_length(entry->d_name, name)};
		s->nomem = !one.name || !named_vec_push(out, one);
		if (s->nomem)
			free(one.name);
	}
	if (dir)
		closedir(dir);
	if (count <= INPUT_FILES_NAMES)
		return;
	for (size_t i = 0; i < out->len; i++)
		free(out->at[i].name);
	out->len = 0;
}

static void look_in(struct search *s, const char *folder, const char *name, enum input_where where)
{
	struct named_vec names = {0};
	char path[PATH_MAX];

	read_names(s, folder, name, &names);
	if (names.len)
		qsort(names.at, names.len, sizeof(*names.at), by_likeness);
	for (size_t i = 0; i < names.len; i++) {
		int length =
			snprintf(path, sizeof(path), "%s%s%s", strcmp(folder, ".") ? folder : "",
				 strcmp(folder, ".") ? "/" : "", names.at[i].name);
		if (i < INPUT_FILES_LOOKED_AT && length > 0 && length < PATH_MAX)
			look_at(s, path, where, begins_alike(&names.at[i], name));
		free(names.at[i].name);
	}
	named_vec_free(&names);
}

/* ---- the locations ---- */

/* The ids that the input can have: llvm-bolt marks the last bit, and after release 23 the first
 * one, too. */
static struct build_id input_id(const struct build_id *output, int marks)
{
	struct build_id id = *output;

	id.data[id.size - 1] ^= 1;
	id.data[0] ^= marks ? 0x80 : 0;
	return id;
}

/* ROOT/.build-id/ab/cdef and its debug file, which can be the whole binary. */
static void look_below(struct search *s, const char *root, enum input_where where)
{
	static const char *const suffixes[] = {"", ".debug"};
	char hex[2 * BUILD_ID_MAX + 1], path[PATH_MAX];

	for (int i = 0; i < 4 && s->output->size > 1; i++) {
		struct build_id id = input_id(s->output, i / 2);
		build_id_format(&id, hex);
		int length = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s%s", root, hex,
				      hex + 2, suffixes[i % 2]);
		if (length > 0 && length < PATH_MAX)
			look_at(s, path, where, true);
	}
}

static void look_in_cache(struct search *s)
{
	char root[PATH_MAX], hex[2 * BUILD_ID_MAX + 1], path[PATH_MAX];
	bool known = debuginfod_cache(root, sizeof(root));

	for (int i = 0; i < 2 && known; i++) {
		struct build_id id = input_id(s->output, i);
		build_id_format(&id, hex);
		int length = snprintf(path, sizeof(path), "%s/%s/executable", root, hex);
		if (length > 0 && length < PATH_MAX)
			look_at(s, path, INPUT_IN_CACHE, true);
	}
}

/* The directory of the given name is looked through, and that of the file itself if the name is a
 * link. */
static void look_beside(struct search *s, const char *output)
{
	char folder[PATH_MAX], real[PATH_MAX], resolved[PATH_MAX];
	const char *slash = strrchr(output, '/');

	snprintf(folder, sizeof(folder), "%.*s",
		 slash ? (int)(slash - output) + (slash == output) : 1, slash ? output : ".");
	look_in(s, folder, slash ? slash + 1 : output, INPUT_BESIDE);
	if (!realpath(output, real) || !realpath(folder, resolved))
		return;
	char *last = strrchr(real, '/');
	*last = '\0';
	if (strcmp(real, resolved) != 0)
		look_in(s, *real ? real : "/", last + 1, INPUT_BESIDE);
}

static void look_everywhere(struct search *s, const char *output, const struct debug_dirs *dirs)
{
	const char *slash = strrchr(output, '/');

	for (size_t i = 0; dirs && i < dirs->count; i++) {
		look_below(s, dirs->at[i], INPUT_IN_FOLDER);
		look_in(s, dirs->at[i], slash ? slash + 1 : output, INPUT_IN_FOLDER);
	}
	look_beside(s, output);
	look_below(s, DEBUG_FILE_ROOT, INPUT_BY_BUILD_ID);
	look_below(s, "/usr/lib", INPUT_BY_BUILD_ID);
	look_in_cache(s);
}

/* What the binary says of itself, also one that is compressed or a side file. */
static struct file_notes read_output(const char *output, struct stat *self)
{
	struct bc_error unread = {0};
	struct file_notes facts = {0};
	struct file_map map;
	int fd;

	if (!named_file_open(output, NAMED_BY_FOLDER, &fd, &unread))
		return facts;
	if (fstat(fd, self) == 0)
		facts = notes_of_file(fd);
	close(fd);
	if (facts.id.size || !file_map(output, &map, &unread))
		return facts;
	facts = notes_of_bytes((struct bytes){map.data, map.size});
	file_unmap(&map);
	return facts;
}

bool input_files_find(const char *output, const struct debug_dirs *dirs, struct input_files *out,
		      struct bc_error *err)
{
	struct search search = {.out = out};
	const struct file_notes facts = read_output(output, &search.self);

	if (!facts.has_table || !facts.id.size)
		return true;
	search.output = &facts.id;
	look_everywhere(&search, output, dirs);
	return !search.nomem || bc_fail_nomem(err);
}

void input_files_free(struct input_files *files)
{
	for (size_t i = 0; i < files->all.len; i++)
		free(files->all.at[i].path);
	input_file_vec_free(&files->all);
	*files = (struct input_files){0};
}

/* ---- the code of what was mapped ---- */

struct code_search {
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

static enum code_file_found judge(const struct code_search *s, const struct image *image)
{
	if (s->id->size && !build_id_equal(s->id, &image->build_id))
		return CODE_FILE_OTHER_BUILD;
	return image->machine == s->machine && image_has_code(image) ? CODE_FILE_OPEN :
								       CODE_FILE_NO_CODE;
}

static enum code_file_found open_one(const struct code_search *s, const char *path,
				     enum named_by by)
{
	struct code_file file = {0};
	struct bc_error err = {0};

	if (!file_map_named(path, by, &file.map, &err))
		return err.code == BC_NOMEM ? CODE_FILE_NO_MEMORY :
		       err.code == BC_IO    ? CODE_FILE_NOT_THERE :
					      CODE_FILE_NO_CODE;
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
static bool try(struct code_search *s, enum named_by by, const char *before, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s%s", before, name);

	if (length <= 0 || length >= PATH_MAX)
		return false;
	enum code_file_found found = open_one(s, path, by);
	/* That there is a file of another build is reported of the recorded path. */
	if (found == CODE_FILE_OPEN || found == CODE_FILE_NO_MEMORY || by == NAMED_BY_MAPPING)
		s->found = found;
	return found == CODE_FILE_OPEN || found == CODE_FILE_NO_MEMORY;
}

static bool try_build_id(struct code_search *s, enum named_by by, const char *root,
			 const char *suffix)
{
	char hex[2 * BUILD_ID_MAX + 1], name[2 * BUILD_ID_MAX + 32];

	if (s->id->size < 2)
		return false;
	build_id_format(s->id, hex);
	snprintf(name, sizeof(name), "/.build-id/%.2s/%s%s", hex, hex + 2, suffix);
	return try(s, by, root, name);
}

static bool try_folder(struct code_search *s, const char *folder)
{
	const char *slash = strrchr(s->path, '/');

	return try_build_id(s, NAMED_BY_FOLDER, folder, "") ||
	       try_build_id(s, NAMED_BY_FOLDER, folder, ".debug") ||
	       try(s, NAMED_BY_FOLDER, folder, s->path) ||
	       (slash && try(s, NAMED_BY_FOLDER, folder, slash));
}

static void try_caches(struct code_search *s)
{
	char root[PATH_MAX], hex[2 * BUILD_ID_MAX + 1], name[2 * BUILD_ID_MAX + 32];
	const char *home = getenv("HOME");

	if (!s->id->size)
		return;
	build_id_format(s->id, hex);
	if (home && *home && snprintf(root, sizeof(root), "%s/.debug", home) < PATH_MAX &&
	    try_build_id(s, NAMED_BY_BUILD_ID, root, "/elf"))
		return;
	snprintf(name, sizeof(name), "/%s/executable", hex);
	if (debuginfod_cache(root, sizeof(root)))
		try(s, NAMED_BY_BUILD_ID, root, name);
}

enum code_file_found code_file_open(const char *path, const struct build_id *id,
				    enum machine machine, const struct debug_dirs *dirs,
				    struct code_file *out)
{
	static const char *const roots[] = {DEBUG_FILE_ROOT, "/usr/lib"};
	struct code_search s = {path, id, machine, out, CODE_FILE_NOT_THERE};

	*out = (struct code_file){0};
	for (size_t i = 0; dirs && i < dirs->count; i++)
		if (try_folder(&s, dirs->at[i]))
			return s.found;
	if (try(&s, NAMED_BY_MAPPING, "", path))
		return s.found;
	for (size_t i = 0; i < BC_COUNT(roots); i++)
		if (try_build_id(&s, NAMED_BY_BUILD_ID, roots[i], "") ||
		    try_build_id(&s, NAMED_BY_BUILD_ID, roots[i], ".debug"))
			return s.found;
	try_caches(&s);
	return s.found;
}
