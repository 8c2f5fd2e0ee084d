/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/binary_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/attr.h"
#include "src/elf/binary.h"

void binaries_free(struct binary_vec *list)
{
	for (size_t i = 0; i < list->len; i++) {
		free(list->at[i].path);
		free(list->at[i].name);
	}
	binary_vec_free(list);
}

/* Takes ownership of both strings, also on failure. */
static bool add(struct binary_vec *list, char *path, char *name, bool found, struct bc_error *err)
{
	bool twice = false;

	for (size_t i = 0; name && i < list->len; i++)
		twice |= !strcmp(list->at[i].name, name);
	if (path && name && !twice &&
	    binary_vec_push(list, (struct named_binary){path, name, found}))
		return true;
	if (twice)
		bc_fail(err, BC_MISMATCH, "%s: another binary's profile is to be called %s, too",
			path, name);
	else
		bc_fail_nomem(err);
	free(path);
	free(name);
	return false;
}

static char *join(const char *path, char between, const char *name)
{
	size_t size = strlen(path) + strlen(name) + 2;
	char *joined = malloc(size);

	if (joined)
		snprintf(joined, size, "%s%c%s", path, between, name);
	return joined;
}

/* A directory that is still to be looked through. */
struct folder {
	char *path, *name; /* the name is that of the path below the first one */
};
DEFINE_VEC(folder_vec, struct folder);

static void folders_free(struct folder_vec *folders)
{
	for (size_t i = 0; i < folders->len; i++) {
		free(folders->at[i].path);
		free(folders->at[i].name);
	}
	folder_vec_free(folders);
}

/* One entry of a directory.  Links are not followed: build-id directories are full of
 * links to files that stand there, too. */
static bool add_entry(struct binary_vec *list, struct folder_vec *folders, struct folder in,
		      const char *entry, struct bc_error *err)
{
	struct stat st;
	char *path = join(in.path, '/', entry),
	     *name = *in.name ? join(in.name, '-', entry) : strdup(entry);

	bool ok = (path && name) || bc_fail_nomem(err), has = false;

	if (ok && lstat(path, &st)) {
		ok = errno == ENOENT ||
		     bc_fail_errno(err, "%s: cannot stat", path); /* it was removed meanwhile */
	} else if (ok) {
		if (S_ISREG(st.st_mode))
			ok = binary_has_bat(path, &has, err);
		if (has)
			return add(list, path, name, true, err);
		if (S_ISDIR(st.st_mode) && folder_vec_push(folders, (struct folder){path, name}))
			return true;
		ok = ok && (!S_ISDIR(st.st_mode) || bc_fail_nomem(err));
	}
	free(path);
	free(name);
	return ok;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_entries(struct binary_vec *list, struct folder_vec *folders, struct folder in,
			struct bc_error *err)
{
	struct dirent **names;
	int count = scandir(in.path, &names, NULL, by_name);
	bool ok = count >= 0 || bc_fail_errno(err, "%s: cannot be listed", in.path);

	for (int i = 0; i < count; i++) {
		const char *entry = names[i]->d_name;
		if (ok && strcmp(entry, ".") && strcmp(entry, ".."))
			ok = add_entry(list, folders, in, entry, err);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return ok;
}

static bool add_below(struct binary_vec *list, const char *path, struct bc_error *err)
{
	BC_AUTO(folders_free) struct folder_vec folders = {0};
	struct folder first = {strdup(path), strdup("")};

	if (!first.path || !first.name || !folder_vec_push(&folders, first)) {
		free(first.path);
		free(first.name);
		return bc_fail_nomem(err);
	}
	for (size_t i = 0; i < folders.len; i++)
		if (!add_entries(list, &folders, folders.at[i], err))
			return false;
	return true;
}

bool binaries_add(struct binary_vec *list, const char *path, struct bc_error *err)
{
	struct stat st;
	const char *slash = strrchr(path, '/');

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_below(list, path, err);
	return add(list, strdup(path), strdup(slash ? slash + 1 : path), false, err);
}
