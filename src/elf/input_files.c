/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* d_type */
#include "src/elf/input_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/elf/code_file.h"
#include "src/elf/notes.h"

const char *input_where_words(enum input_where where)
{
	static const char *const words[] = {"in a directory of --debug-dir", "beside the binary", "below the system's .build-id",
					    "in the cache of debuginfod"};

	return words[where];
}

const char *input_where_key(enum input_where where)
{
	static const char *const keys[] = {"debug-dir", "beside", "build-id", "cache"};

	return keys[where];
}

/* ---- one file ---- */

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
		if (stat(s->out->all.at[i].path, &other) == 0 && st->st_dev == other.st_dev && st->st_ino == other.st_ino)
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
static void read_names(struct search *s, const char *folder, const char *name, struct named_vec *out)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	for (const struct dirent *entry; dir && !s->nomem && (entry = readdir(dir)) && count <= INPUT_FILES_NAMES; count++) {
		if (entry->d_type != DT_REG && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
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
		int length = snprintf(path, sizeof(path), "%s%s%s", strcmp(folder, ".") ? folder : "", strcmp(folder, ".") ? "/" : "",
				      names.at[i].name);
		if (i < INPUT_FILES_LOOKED_AT && length > 0 && length < PATH_MAX)
			look_at(s, path, where, begins_alike(&names.at[i], name));
		free(names.at[i].name);
	}
	named_vec_free(&names);
}

/* ---- the places ---- */

/* The ids that the input can have: llvm-bolt marks the last bit, and after release 23 the first one, too. */
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
		int length = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s%s", root, hex, hex + 2, suffixes[i % 2]);
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

/* The directory of the given name is looked through, and that of the file itself if the name is a link. */
static void look_beside(struct search *s, const char *output)
{
	char folder[PATH_MAX], real[PATH_MAX], resolved[PATH_MAX];
	const char *slash = strrchr(output, '/');

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - output) + (slash == output) : 1, slash ? output : ".");
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

bool input_files_find(const char *output, const struct debug_dirs *dirs, struct input_files *out, struct bc_error *err)
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
