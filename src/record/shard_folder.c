/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/shard_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/sort.h"

#define STALE       600  /* seconds: a shard is written in less */
#define OLDEST_MOST 8192 /* names of old shards that are remembered */
#define BLOCK       512  /* bytes: what st_blocks counts, whatever the file system's are */

/* ---- which files are this host's ---- */

struct folder_reading {
	DIR *at;
	uid_t owner; /* of the directory */
};

static bool reading_begin(const struct shard_folder *folder, struct folder_reading *out)
{
	struct stat st;

	out->at = opendir(folder->path);
	out->owner = out->at && fstat(dirfd(out->at), &st) == 0 ? st.st_uid : geteuid();
	return out->at;
}

static void reading_end(struct folder_reading *reading)
{
	if (reading->at)
		closedir(reading->at);
}

/* A regular file of this user, or of who owns the directory: a file server can give all files to
 * somebody else. */
static bool is_ours(const struct folder_reading *reading, const char *name, struct stat *st)
{
	return fstatat(dirfd(reading->at), name, st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == reading->owner);
}

static uint64_t bytes_of(const struct stat *st)
{
	uint64_t blocks = (uint64_t)st->st_blocks * BLOCK, length = (uint64_t)st->st_size;

	return blocks > length ? blocks : length;
}

/* Removes what a run that was killed left. */
static void remove_unfinished(const struct shard_folder *folder)
{
	BC_AUTO(reading_end) struct folder_reading reading;
	struct stat st;

	if (!reading_begin(folder, &reading))
		return;
	for (const struct dirent *entry; (entry = readdir(reading.at));)
		if (shard_name_is_unfinished(text_of(entry->d_name), folder->host) &&
		    is_ours(&reading, entry->d_name, &st) && time(NULL) - st.st_mtime > STALE)
			(void)unlinkat(dirfd(reading.at), entry->d_name, 0);
}

/* ---- the account ---- */

static bool is_newer(const struct old_shard *a, const struct old_shard *b)
{
	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec > b->time.tv_sec;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec > b->time.tv_nsec;
	return strcmp(a->name, b->name) > 0;
}
DEFINE_SORT(sort_newest_first, struct old_shard, is_newer)

/* Only the oldest are remembered. */
static void forget_newest(struct old_shard_vec *oldest)
{
	size_t surplus = oldest->len > OLDEST_MOST ? oldest->len - OLDEST_MOST : 0;

	if (oldest->len)
		sort_newest_first(oldest->at, oldest->len);
	for (size_t i = 0; i < surplus; i++)
		free(oldest->at[i].name);
	oldest->len -= surplus;
	for (size_t i = 0; surplus && i < oldest->len; i++)
		oldest->at[i] = oldest->at[i + surplus];
}

static void forget_all(struct shard_folder *folder)
{
	for (size_t i = 0; i < folder->oldest.len; i++)
		free(folder->oldest.at[i].name);
	folder->oldest.len = 0;
	folder->files = folder->bytes = 0;
}

static bool note(struct shard_folder *folder, const char *name, const struct stat *st)
{
	struct old_shard shard = {st->st_mtim, bytes_of(st), strdup(name)};

	if (folder->oldest.len == (size_t)2 * OLDEST_MOST)
		forget_newest(&folder->oldest);
	if (!shard.name || !old_shard_vec_push(&folder->oldest, shard)) {
		free(shard.name);
		return false;
	}
	folder->files++;
	folder->bytes += shard.bytes;
	return true;
}

/* Reads what is there.  false: it cannot be read, and nothing is known. */
static bool take_stock(struct shard_folder *folder)
{
	BC_AUTO(reading_end) struct folder_reading reading;
	struct stat st;
	bool ok = reading_begin(folder, &reading);

	forget_all(folder);
	for (const struct dirent *entry; ok && (entry = readdir(reading.at));)
		if (shard_name_is(text_of(entry->d_name), folder->host) &&
		    is_ours(&reading, entry->d_name, &st))
			ok = note(folder, entry->d_name, &st);
	forget_newest(&folder->oldest);
	return ok;
}

static bool has_limit(const struct shard_folder *folder)
{
	return folder->keep.files || folder->keep.bytes;
}

static bool is_full(const struct shard_folder *folder)
{
	return (folder->keep.files && folder->files > folder->keep.files) ||
	       (folder->keep.bytes && folder->bytes > folder->keep.bytes);
}

/* false: it was gone. */
static bool delete_oldest(struct shard_folder *folder, int fd)
{
	const struct old_shard *shard = &folder->oldest.at[--folder->oldest.len];
	bool deleted = unlinkat(fd, shard->name, 0) == 0, gone = !deleted && errno == ENOENT;

	free(shard->name);
	if (deleted) {
		folder->files--;
		folder->bytes -= shard->bytes;
		folder->deleted++;
	}
	return !gone;
}

void shard_folder_keep(struct shard_folder *folder)
{
	uint64_t before = UINT64_MAX;
	int fd = is_full(folder) ? open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	while (fd >= 0 && is_full(folder)) {
		if (folder->oldest.len && delete_oldest(folder, fd))
			continue;
		/* No other is known, or somebody else deletes here: what is there now? */
		if (folder->deleted == before || !take_stock(folder))
			break;
		before = folder->deleted;
	}
	if (fd >= 0)
		close(fd);
}

void shard_folder_add(struct shard_folder *folder, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return;
	folder->files++;
	folder->bytes += bytes_of(&st);
	folder->written_bytes += bytes_of(&st);
}

/* ---- open and close ---- */

bool shard_folder_open(const char *path, struct record_keep keep, struct shard_folder *out,
		       struct bc_error *err)
{
	struct utsname own;
	struct stat st;

	*out = (struct shard_folder){.path = path, .keep = keep};
	shard_host(uname(&own) == 0 ? own.nodename : "", out->host);
	out->made = mkdir(path, 0777) == 0;
	if (!out->made && (errno != EEXIST || stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
		return bc_fail_errno(err, "%s: cannot be the directory of the shards", path);
	if (access(path, W_OK | X_OK) != 0)
		return bc_fail_errno(err, "%s: no shards can be written there", path);
	remove_unfinished(out);
	return !has_limit(out) || take_stock(out) ||
	       bc_fail_errno(err, "%s: cannot be read, which --keep takes", path);
}

void shard_folder_close(struct shard_folder *folder)
{
	forget_all(folder);
	old_shard_vec_free(&folder->oldest);
	if (folder->made)
		(void)rmdir(folder->path); /* which it does only if it is empty */
}
