/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/proc_files.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/samples/snapshots.h"
#include "src/base/file.h"
#include "src/elf/binary.h"

/* False: it is no path of a file. */
static bool path_of(struct text text, char path[PATH_MAX])
{
	if (!text.len || text.at[0] != '/' || text.len >= PATH_MAX ||
	    memchr(text.at, '\0', text.len))
		return false;
	memcpy(path, text.at, text.len);
	path[text.len] = '\0';
	return true;
}

/* A regular file, of this inode if one is known; -1: it is not.  Devices differ between file
 * systems and what lies over them (overlayfs, btrfs), inodes hardly do. */
static int open_file(const char *path, uint64_t inode)
{
	struct bc_error err;
	struct stat st;
	int fd;

	if (!named_file_open(path, NAMED_BY_MAPPING, &fd, &err))
		return -1;
	if (fstat(fd, &st) == 0 && (!inode || st.st_ino == inode))
		return fd;
	close(fd);
	return -1;
}

static int open_mapped(const struct proc_files *files, const struct map_event *mapping,
		       const char *name)
{
	char path[2 * PATH_MAX];
	uint64_t inode = mapping->node.inode;

	/* Without an inode it could be any file that lies there by now, but the kernel knows what
	 * is mapped. */
	snprintf(path, sizeof(path), "%s/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, files->root,
		 mapping->pid, mapping->start.v, mapping->start.v + mapping->size);
	int fd = open_file(path, 0);
	if (fd < 0 && inode) {
		snprintf(path, sizeof(path), "%s/%" PRIu32 "/exe", files->root, mapping->pid);
		fd = open_file(path, inode);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "%s/%" PRIu32 "/root%s", files->root, mapping->pid,
			 name);
		fd = open_file(path, inode);
	}
	return fd < 0 ? open_file(name, inode) : fd;
}

/* ---- those that are asked for ---- */

static struct build_id id_of_file(int fd)
{
	struct build_id id = {0};
	struct binary binary = {0};
	struct bc_error err;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own >= 0 && binary_map_opened(own, "a mapped file", false, &binary, &err)) {
		id = binary.image.build_id;
		binary_close(&binary);
	}
	return id;
}

static bool is_wanted(const struct proc_files *files, int fd)
{
	struct stat st;

	if (!files->wanted.len)
		return true;
	if (fstat(fd, &st) != 0)
		return false;
	for (size_t i = 0; i < files->wanted.len; i++)
		if (files->wanted.at[i].device == st.st_dev &&
		    files->wanted.at[i].inode == st.st_ino)
			return true;
	struct build_id id = id_of_file(fd);
	for (size_t i = 0; i < files->wanted.len; i++)
		if (build_id_equal(&id, &files->wanted.at[i].build_id))
			return true;
	return false;
}

static bool matches(const struct proc_files *files, const char *path)
{
	bool any = !files->pattern_count;

	for (size_t i = 0; i < files->pattern_count && !any; i++)
		any = fnmatch(files->patterns[i], path, 0) == 0;
	return any;
}

/* Of the name of a file that is asked for. */
static const struct wanted_file *wanted_of_name(const struct proc_files *files, const char *path)
{
	struct text name = text_basename(text_of(path));

	for (size_t i = 0; i < files->wanted.len; i++)
		if (text_equal(text_basename(text_of(files->wanted.at[i].path)), name))
			return &files->wanted.at[i];
	return NULL;
}

/* Of a recording of another time or host. */
static int open_replayed(const struct proc_files *files, const struct map_event *mapping,
			 const char *path)
{
	const struct wanted_file *wanted = wanted_of_name(files, path);

	return wanted ? open_file(wanted->path, 0) : open_file(path, mapping->node.inode);
}

static int open_path(const struct proc_files *files, const struct map_event *mapping,
		     const char *path)
{
	return files->replayed ? open_replayed(files, mapping, path) :
				 open_mapped(files, mapping, path);
}

enum file_answer proc_files_open(void *ctx, const struct map_event *mapping, int *fd)
{
	const struct proc_files *files = ctx;
	char whole[PATH_MAX], rest[PATH_MAX];

	if (!path_of(mapping->path, whole) || !path_of(path_without_deleted(mapping->path), rest))
		return FILE_GONE;
	if (!matches(files, rest) && !matches(files, whole))
		return FILE_LEFT_OUT;
	int opened =
		open_path(files, mapping,
			  whole); /* first: the name of a file can end with " (deleted)" itself */
	if (opened < 0 && strcmp(whole, rest))
		opened = open_path(files, mapping, rest);
	if (opened < 0) /* on another host its own files have other names, as far as one can tell */
		return files->replayed && files->wanted.len && !wanted_of_name(files, rest) ?
			       FILE_LEFT_OUT :
			       FILE_GONE;
	if (!is_wanted(files, opened)) {
		close(opened);
		return FILE_LEFT_OUT;
	}
	*fd = opened;
	return FILE_OPENED;
}

bool proc_files_want(struct proc_files *files, const char *path, struct bc_error *err)
{
	struct wanted_file wanted = {.path = path};
	struct binary binary = {0};
	struct stat st;

	if (stat(path, &st) != 0)
		return bc_fail_errno(err, "%s", path);
	if (!binary_map(path, &binary, err))
		return false;
	wanted.device = st.st_dev;
	wanted.inode = st.st_ino;
	wanted.build_id = binary.image.build_id;
	bool is_program = binary.kind != BINARY_SECTION;
	binary_close(&binary);
	if (!is_program)
		return bc_fail(err, BC_UNSUPPORTED, "%s: is a table alone, and no binary", path);
	return wanted_file_vec_push(&files->wanted, wanted) || bc_fail_nomem(err);
}

void proc_files_free(struct proc_files *files)
{
	wanted_file_vec_free(&files->wanted);
}
