/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/merge_list.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/sort.h"

#define LEVELS_MOST 200 /* of directories */

void merge_list_free(struct merge_list *list)
{
	for (size_t i = 0; i < list->lists.len; i++)
		free(list->lists.at[i]);
	owned_vec_free(&list->lists);
	merge_input_vec_free(&list->inputs);
}

bool merge_list_add(struct merge_list *list, const char *path, uint64_t weight)
{
	return merge_input_vec_push(&list->inputs,
				    (struct merge_input){.path = path, .weight = weight});
}

static bool add_line(struct merge_list *list, char *line, size_t length, uint64_t weight,
		     const char *file, struct bc_error *err)
{
	char *tab = memchr(line, '\t', length);
	struct text number =
		tab ? (struct text){tab + 1, length - (size_t)(tab - line) - 1} : (struct text){0};

	if (memchr(line, 0, length))
		return bc_fail(err, BC_FORMAT, "%s: a zero byte in a name (--null)",
			       input_name(file));
	if (tab && (!text_dec(text_trim(number), &weight) || !weight))
		return bc_fail(
			err, BC_FORMAT, "%s: expected a weight from 1 on after the tab, not '%.*s'",
			input_name(file), (int)(number.len < 40 ? number.len : 40), number.at);
	line[tab ? (size_t)(tab - line) : length] = '\0';
	if (!*line)
		return true;
	if (!strcmp(line, "-"))
		return bc_fail(err, BC_FORMAT, "%s: stdin cannot be named in a list",
			       input_name(file));
	return merge_list_add(list, line, weight) || bc_fail_nomem(err);
}

bool merge_list_read(struct merge_list *list, const char *path, bool zeros, uint64_t weight,
		     struct bc_error *err)
{
	size_t size;
	char *at = file_read_text(path, SIZE_MAX, &size, err);

	if (!at)
		return false;
	const char *end = at + size;
	if (!owned_vec_push(&list->lists, at)) {
		free(at);
		return bc_fail_nomem(err);
	}
	while (at < end) {
		char *stop = memchr(at, zeros ? '\0' : '\n', (size_t)(end - at));
		size_t length = stop ? (size_t)(stop - at) : (size_t)(end - at);
		if (!add_line(list, at, length, weight, path, err))
			return false;
		at += length + 1;
	}
	return true;
}

/* ---- files below directories ---- */

static bool add_path(struct merge_list *list, const char *path, size_t length, struct bc_error *err)
{
	char *copy = strndup(path, length);

	if (!copy)
		return bc_fail_nomem(err);
	if (!owned_vec_push(&list->lists, copy)) {
		free(copy);
		return bc_fail_nomem(err);
	}
	return merge_list_add(list, copy, 1) || bc_fail_nomem(err);
}

static bool add_file(struct merge_list *list, const char *path, size_t length, unsigned level,
		     struct bc_error *err);

/* Every file below a directory. */
static bool add_directory(struct merge_list *list, const char *path, unsigned level,
			  struct bc_error *err)
{
	size_t size = strlen(path) + sizeof("/") + NAME_MAX;
	char *below = malloc(size);
	DIR *directory = below ? opendir(path) : NULL;
	bool ok = below ? directory || bc_fail_errno(err, "%s: cannot read the directory", path) :
			  bc_fail_nomem(err);

	ok = ok && (level < LEVELS_MOST ||
		    bc_fail(err, BC_IO, "%.200s: more than %d directories in each other", path,
			    LEVELS_MOST));
	for (struct dirent *entry; ok && (entry = readdir(directory));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		int length = snprintf(below, size, "%s/%s", path, entry->d_name);
		ok = add_file(list, below, (size_t)length, level + 1, err);
	}
	if (directory)
		closedir(directory);
	free(below);
	return ok;
}

/* Takes the last path off the list again if it is a directory. */
static bool take_directory(struct merge_list *list, const char **path)
{
	struct stat st;

	*path = list->inputs.at[list->inputs.len - 1].path;
	if (stat(*path, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	list->inputs.len--;
	return true;
}

/* level: 0 is an operand, which can be a link to a directory.  Below it links could form
 * loops. */
static bool add_file(struct merge_list *list, const char *path, size_t length, unsigned level,
		     struct bc_error *err)
{
	const char *directory;
	struct stat link;

	if (!add_path(list, path, length, err))
		return false;
	if (!take_directory(list, &directory) ||
	    (level && lstat(directory, &link) == 0 && S_ISLNK(link.st_mode)))
		return true;
	return add_directory(list, directory, level, err);
}

bool merge_list_add_below(struct merge_list *list, const char *word, struct bc_error *err)
{
	bool ok = true;

	for (size_t length; ok && *word; word += length + (word[length] == ',')) {
		length = strcspn(word, ",");
		ok = !length || add_file(list, word, length, 0, err);
	}
	return ok;
}

/* ---- files that are there twice ---- */

struct where {
	dev_t device;
	ino_t number;
	const char *path;
};

static bool where_less(const struct where *a, const struct where *b)
{
	return a->device != b->device ? a->device < b->device : a->number < b->number;
}
DEFINE_SORT(sort_where, struct where, where_less)

static size_t look(const struct merge_list *list, struct where *places)
{
	struct stat st;
	size_t count = 0;

	for (size_t i = 0; i < list->inputs.len; i++) {
		const char *path = list->inputs.at[i].path;
		if ((strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) == 0 &&
		    S_ISREG(st.st_mode))
			places[count++] = (struct where){st.st_dev, st.st_ino, path};
	}
	return count;
}

bool merge_list_check(const struct merge_list *list, struct bc_error *err)
{
	struct where *places = malloc((list->inputs.len + 1) * sizeof(*places));
	bool ok = true;

	if (!places)
		return bc_fail_nomem(err);
	size_t count = look(list, places);
	if (count)
		sort_where(places, count);
	for (size_t i = 1; ok && i < count; i++)
		if (!where_less(&places[i - 1], &places[i]))
			ok = bc_fail(err, BC_MISMATCH,
				     "%.250s and %.250s are one file, which would count twice",
				     input_name(places[i - 1].path), input_name(places[i].path)) ||
			     bc_hint(err, "name it once, with --weight=2 to count it twice");
	free(places);
	return ok;
}
