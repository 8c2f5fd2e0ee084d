/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/file_conflicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/output.h"
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

/* Adds an input.  Some commands take "-" for stdin, others for a file of this name, so it is
 * checked as both. */
static bool add_input(struct named_files *files, const char *option, const char *path)
{
	if (!strcmp(path, "-") && access("./-", F_OK) == 0 &&
	    !add(files, option, "./-", true, false))
		return false;
	return add(files, option, path, true, false) &&
	       (!is_recording_folder(path) || add_recording(files, option, path));
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
	return a->kind && a->kind == b->kind && a->at.st_ino == b->at.st_ino &&
	       a->at.st_dev == b->at.st_dev &&
	       (a->kind == IDENTITY_FILE || !strcmp(a->name, b->name));
}

/* ---- which of them are one file ---- */

static const char *name_of(const struct named_file *file)
{
	return strcmp(file->path, "-") ? file->path : file->written ? "<stdout>" : "<stdin>";
}

static bool two_outputs(const struct named_file *files, const struct file_identity *ids,
			size_t count, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; files[i].written && k < i; k++)
			if (files[k].written && !files[i].read && !files[k].read &&
			    is_same(&ids[i], &ids[k]) &&
			    !(ids[i].kind == IDENTITY_FILE && S_ISCHR(ids[i].at.st_mode)))
				return bc_fail(err, BC_MISMATCH, "%s '%s' and %s '%s' are one file",
					       files[k].option, name_of(&files[k]), files[i].option,
					       name_of(&files[i]));
	return true;
}

/* Refuses outputs that are inputs.  A file that is updated is input and output in one; it may be no
 * other input and no other output. */
static bool replaced_inputs(const struct named_file *files, const struct file_identity *ids,
			    size_t count, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; files[i].read && k < count; k++)
			if (files[k].written && !(files[i].written && files[k].read) &&
			    is_same(&ids[i], &ids[k]) && S_ISREG(ids[i].at.st_mode))
				return bc_fail(
					err, BC_MISMATCH, "%s '%s' would replace the input '%s'",
					files[k].option, name_of(&files[k]), name_of(&files[i]));
	return true;
}

bool files_are_apart(const struct named_files *files, struct bc_error *err)
{
	const struct named_file *all = files->all.at;
	size_t count = files->all.len;
	struct file_identity *ids = calloc(count + 1, sizeof(*ids));
	bool ok = ids || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < count; i++)
		ok = look(&all[i], &ids[i]) || bc_fail_nomem(err);
	ok = ok && two_outputs(all, ids, count, err) && replaced_inputs(all, ids, count, err);
	identities_free(ids, count);
	return ok;
}
