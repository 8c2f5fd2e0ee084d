/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/shard_list.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/sort.h"
#include "src/profile/shard.h"
#include "src/samples/reader.h"

static bool path_less(const struct listed_shard *a, const struct listed_shard *b)
{
	return strcmp(a->path, b->path) < 0;
}
DEFINE_SORT(sort_by_path, struct listed_shard, path_less)

static bool id_less(const struct listed_shard *a, const struct listed_shard *b)
{
	int differ = memcmp(a->id.data, b->id.data, sizeof(a->id.data));

	return differ ? differ < 0 : path_less(a, b);
}
DEFINE_SORT(sort_by_id, struct listed_shard, id_less)

bool shard_list_is_one(const struct shard_list *list)
{
	return !list->all.len || shard_list_same(list, 0) == list->all.len;
}

void shard_list_sort(struct shard_list *list)
{
	sort_by_id(list->all.at, list->all.len);
}

size_t shard_list_same(const struct shard_list *list, size_t first)
{
	size_t end = first;

	while (end < list->all.len && build_id_same(&list->all.at[end].id, &list->all.at[first].id))
		end++;
	return end - first;
}

bool shard_list_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !is_recording_folder(path);
}

/* Takes the path. */
static bool add(struct shard_list *list, char *path, struct bc_error *err)
{
	struct file_stream stream;
	struct shard shard;
	struct stat st;
	bool is = false;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		list->others += !S_ISDIR(st.st_mode);
		free(path);
		return true;
	}
	bool ok = stream_open_named(path, NAMED_BY_FOLDER, &stream, err);
	if (ok) {
		ok = shard_look(&stream, &is, &shard, err);
		stream_close(&stream);
	}
	bool listed = ok && is;
	bool kept =
		listed && listed_shard_vec_push(&list->all,
						(struct listed_shard){path, shard.kind, shard.id});
	if (!kept)
		free(path);
	list->unreadable += !ok && err->code != BC_NOMEM;
	list->others += ok && !is;
	return (ok || err->code != BC_NOMEM) && (kept || !listed || bc_fail_nomem(err));
}

bool shard_list_add(struct shard_list *list, const char *folder, struct bc_error *err)
{
	size_t begin = list->all.len, size = strlen(folder) + sizeof("/") + NAME_MAX;
	DIR *at = opendir(folder);
	bool ok = at || bc_fail_errno(err, "%s: cannot read the directory", folder);

	for (const struct dirent *entry; ok && (entry = readdir(at));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		char *path = malloc(size);
		const char *slash = text_ends(text_of(folder), "/") ? "" : "/";
		ok = path || bc_fail_nomem(err);
		if (ok) {
			snprintf(path, size, "%s%s%s", folder, slash, entry->d_name);
			ok = add(list, path, err);
		}
	}
	if (at)
		closedir(at);
	if (list->all.len > begin)
		sort_by_path(list->all.at + begin, list->all.len - begin);
	return ok;
}

void shard_list_free(struct shard_list *list)
{
	for (size_t i = 0; i < list->all.len; i++)
		free(list->all.at[i].path);
	listed_shard_vec_free(&list->all);
}
