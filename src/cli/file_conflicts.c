/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/file_conflicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/output.h"
#include "src/profile/shard_list.h"
#include "src/samples/reader.h"

/* ---- which files there are ---- */

static bool add(struct named_files *files, const char *option, const char *path, bool read,
		bool written)
{
	struct named_file file = {.path = strdup(path), .read = read, .written = written};

	snprintf(file.option, sizeof(file.option), "%s", option);
	if (file.path && named_file_vec_push(&files->all, file))
		return true;
	free(file.path);
	return false;
}

static bool add_recording(struct named_files *files, const char *option, const char *folder)
{
	size_t length = strlen(folder), size = length + sizeof("/data.4294967295");
	char *path = malloc(size);
	bool ok = path;

	if (ok)
		snprintf(path, size, "%s/data", folder);
	for (unsigned i = 1; ok && access(path, F_OK) == 0; i++) {
		ok = add(files, option, path, true, false);
		snprintf(path + length, size - length, "/data.%u", i);
	}
	free(path);
	return ok;
}

/* A directory: the shards in it, which alone are read.  One that cannot be read is refused where
 * it is. */
static bool add_folder(struct named_files *files, const char *option, const char *folder)
{
	BC_AUTO(shard_list_free) struct shard_list list = {0};
	struct bc_error err = {0};
	bool ok = shard_list_add(&list, folder, &err) || err.code != BC_NOMEM;

	for (size_t i = 0; ok && i < list.all.len; i++)
		ok = add(files, option, list.all.at[i].path, true, false);
	return ok;
}

/* Adds an input.  Some commands take "-" for stdin, others for a file of this name, so it is
 * checked as both. */
static bool add_input(struct named_files *files, const char *option, const char *path)
{
	if (!strcmp(path, "-") && access("./-", F_OK) == 0 &&
	    !add(files, option, "./-", true, false))
		return false;
	return add(files, option, path, true, false) &&
	       (!is_recording_folder(path) || add_recording(files, option, path)) &&
	       (!shard_list_is_folder(path) || add_folder(files, option, path));
}

static bool add_list(struct named_files *files, const char *option, const char *value)
{
	char *list = strdup(value), *rest = NULL;
	bool ok = list;

	for (char *file = ok ? strtok_r(list, ",", &rest) : NULL; ok && file;
	     file = strtok_r(NULL, ",", &rest))
		ok = add_input(files, option, file);
	free(list);
	return ok;
}

static void forget(struct named_files *files, const char *option)
{
	struct named_file_vec *all = &files->all;
	size_t kept = 0;

	for (size_t i = 0; i < all->len; i++) {
		if (all->at[i].written && !strcmp(all->at[i].option, option))
			free(all->at[i].path);
		else
			all->at[kept++] = all->at[i];
	}
	all->len = kept;
}

bool files_add(struct named_files *files, const char *option, enum file_role role,
	       const char *value)
{
	switch (role) {
	case FILE_READ: return add_input(files, option, value);
	case FOLDER_USED: return add(files, option, value, true, true);
	case FILES_READ: return add_list(files, option, value);
	case STDIN_READ: return strcmp(value, "-") || add(files, option, value, true, false);
	case FILE_WRITTEN: forget(files, option); return add(files, option, value, false, true);
	case FILE_UPDATED:
		if (!strcmp(value, "-"))
			return files_add(files, OUTPUT, FILE_WRITTEN, value);
		forget(files, option);
		return add(files, option, value, true, true);
	case NO_FILE:
	case OPERANDS_UPDATED: break;
	}
	return true;
}

bool files_add_another(struct named_files *files, const char *option, const char *path)
{
	return add(files, option, path, false, true);
}

void named_files_free(struct named_files *files)
{
	for (size_t i = 0; i < files->all.len; i++)
		free(files->all.at[i].path);
	named_file_vec_free(&files->all);
}

/* ---- which file each is ---- */

/* A file that is there, or the name in a directory of one that is still to be made. */
struct file_identity {
	enum { IDENTITY_UNKNOWN, IDENTITY_FILE, IDENTITY_NAME } kind;
	struct stat at;    /* of the file, or of the directory */
	char *path, *name; /* of a file still to be made: its directory, and its name there */
};

static void identities_free(struct file_identity *ids, size_t count)
{
	for (size_t i = 0; ids && i < count; i++)
		free(ids[i].path);
	free(ids);
}

/* false: out of memory */
static bool look_at_folder(struct file_identity *id, const char *path)
{
	errno = 0;
	id->path = output_target(path);
	char *slash = id->path ? strrchr(id->path, '/') : NULL;
	if (!slash)
		return errno != ENOMEM;
	id->name = slash + 1;
	*slash = '\0';
	if (stat(slash == id->path ? "/" : id->path, &id->at) == 0)
		id->kind = IDENTITY_NAME;
	return true;
}

static bool look(const struct named_file *file, struct file_identity *id)
{
	int standard = file->written ? STDOUT_FILENO : STDIN_FILENO;

	if ((strcmp(file->path, "-") ? stat(file->path, &id->at) : fstat(standard, &id->at)) == 0)
		id->kind = IDENTITY_FILE;
	return id->kind == IDENTITY_FILE || !file->written || look_at_folder(id, file->path);
}

static bool is_same(const struct file_identity *a, const struct file_identity *b)
{
	return a->kind == b->kind && a->at.st_ino == b->at.st_ino && a->at.st_dev == b->at.st_dev &&
	       (a->kind == IDENTITY_FILE || !strcmp(a->name, b->name));
}

static uint64_t identity_hash(uint64_t seed, const struct file_identity *id)
{
	uint64_t hash = hash_mix(hash_mix(seed, id->at.st_dev), id->at.st_ino);

	return hash_end(id->kind == IDENTITY_FILE ? hash :
						    hash_bytes(hash, id->name, strlen(id->name)));
}

static bool identity_matches(const struct file_identity *ids, uint32_t number,
			     const struct file_identity *id)
{
	return is_same(&ids[number], id);
}
DEFINE_MAP(identity_map, const struct file_identity *, const struct file_identity *, identity_hash,
	   identity_matches);

/* ---- which of them are one file ---- */

static const char *name_of(const struct named_file *file)
{
	return strcmp(file->path, "-") ? file->path : file->written ? "<stdout>" : "<stdin>";
}

/* For each file that is written the first name, by what is done with it; numbers are those of
 * `ids`.
 */
struct written_files {
	const struct named_file *files;
	const struct file_identity *ids;
	size_t count;
	struct map replaced; /* written alone */
	struct map updated;  /* and read before */
};

static void written_free(struct written_files *written)
{
	map_free(&written->replaced);
	map_free(&written->updated);
}

static bool note(const struct written_files *written, struct map *map, uint32_t number)
{
	const struct file_identity *id = &written->ids[number];
	uint32_t before;

	if (identity_map_find(map, written->ids, id, &before))
		return true;
	if (!map_reserve(map, 1))
		return false;
	identity_map_put(map, id, number);
	return true;
}

static bool note_written(struct written_files *written, struct bc_error *err)
{
	for (uint32_t i = 0; i < written->count; i++) {
		const struct named_file *file = &written->files[i];
		if (file->written && written->ids[i].kind &&
		    !note(written, file->read ? &written->updated : &written->replaced, i))
			return bc_fail_nomem(err);
	}
	return true;
}

static bool two_outputs(const struct written_files *written, struct bc_error *err)
{
	const struct named_file *files = written->files;
	uint32_t first;

	for (uint32_t i = 0; i < written->count; i++) {
		const struct file_identity *id = &written->ids[i];
		if (files[i].written && !files[i].read && id->kind &&
		    !(id->kind == IDENTITY_FILE && S_ISCHR(id->at.st_mode)) &&
		    identity_map_find(&written->replaced, written->ids, id, &first) && first != i)
			return bc_fail(err, BC_MISMATCH, "%s '%s' and %s '%s' are one file",
				       files[first].option, name_of(&files[first]), files[i].option,
				       name_of(&files[i]));
	}
	return true;
}

/* Refuses outputs that are inputs.  A file that is updated is input and output in one; it may be no
 * other input and no other output. */
static bool replaced_inputs(const struct written_files *written, struct bc_error *err)
{
	const struct named_file *files = written->files;

	for (uint32_t i = 0; i < written->count; i++) {
		const struct file_identity *id = &written->ids[i];
		uint32_t replaced = UINT32_MAX, updated = UINT32_MAX;
		if (!files[i].read || id->kind != IDENTITY_FILE || !S_ISREG(id->at.st_mode))
			continue;
		(void)identity_map_find(&written->replaced, written->ids, id, &replaced);
		if (!files[i].written)
			(void)identity_map_find(&written->updated, written->ids, id, &updated);
		uint32_t first = replaced < updated ? replaced : updated;
		if (first != UINT32_MAX)
			return bc_fail(err, BC_MISMATCH, "%s '%s' would replace the input '%s'",
				       files[first].option, name_of(&files[first]),
				       name_of(&files[i]));
	}
	return true;
}

bool files_are_apart(const struct named_files *files, struct bc_error *err)
{
	const struct named_file *all = files->all.at;
	size_t count = files->all.len;
	struct file_identity *ids = calloc(count + 1, sizeof(*ids));
	BC_AUTO(written_free)
	struct written_files written = {.files = all, .ids = ids, .count = count};
	bool ok = ids || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < count; i++)
		ok = look(&all[i], &ids[i]) || bc_fail_nomem(err);
	ok = ok && note_written(&written, err) && two_outputs(&written, err) &&
	     replaced_inputs(&written, err);
	identities_free(ids, count);
	return ok;
}
