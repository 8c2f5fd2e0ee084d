/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* DT_DIR */
#include "src/record/proc_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/base/map.h"
#include "src/base/text.h"
#include "src/elf/binary.h"
#include "src/record/shares.h"
#include "src/samples/snapshots.h"

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
	struct binary head = {0};
	struct bc_error err;

	if (binary_read_head(fd, "a mapped file", &head, &err)) {
		id = head.image.build_id;
		binary_close(&head);
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

/* For the name of a file that is asked for. */
static const struct wanted_file *wanted_of_name(const struct proc_files *files, const char *path)
{
	struct text name = text_basename(text_of(path));

	for (size_t i = 0; i < files->wanted.len; i++)
		if (text_equal(text_basename(text_of(files->wanted.at[i].path)), name))
			return &files->wanted.at[i];
	return NULL;
}

/* For a recording of another time or host. */
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
	if (opened < 0) /* on another host its own files have other names, as far as one can know */
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
		return bc_fail(err, BC_UNSUPPORTED, "%s: is a BAT section alone, and no binary",
			       path);
	return wanted_file_vec_push(&files->wanted, wanted) || bc_fail_nomem(err);
}

void proc_files_free(struct proc_files *files)
{
	wanted_file_vec_free(&files->wanted);
}

/* ---- processes and threads ---- */

#define INITIAL_NAMESPACE 0xeffffffcu /* PROC_PID_INIT_INO of Linux */
#define LEVELS_MOST       32          /* of directories of a cgroup */

static bool is_gone(int why)
{
	return why == ENOENT || why == ESRCH;
}

/* Why something could not be read that has not ended, and that this program may see: an error. */
static bool is_failure(int why)
{
	return why && !is_gone(why) && why != EACCES && why != EPERM;
}

static bool fail_reading(int why, const char *path, struct bc_error *err)
{
	errno = why;
	return bc_fail_errno(err, "%s", path);
}

/* Adds the names of a directory that are numbers.  0, or errno. */
static int add_numbers(const char *path, struct task_vec *out)
{
	DIR *folder = opendir(path);
	int why = folder ? 0 : errno;

	while (!why) {
		uint64_t number;
		errno = 0;
		const struct dirent *entry = readdir(folder);
		if (!entry) {
			why = errno;
			break;
		}
		if (text_dec(text_of(entry->d_name), &number) && number && number <= INT_MAX &&
		    !task_vec_push(out, (int)number))
			why = ENOMEM;
	}
	if (folder)
		closedir(folder);
	return why;
}

bool proc_processes(const char *root, struct task_vec *out, struct bc_error *err)
{
	int why = add_numbers(root, out);

	return !why || fail_reading(why, root, err);
}

/* path: room for PATH_MAX characters, of which so many are its directory. */
static bool add_cgroup(char *path, size_t length, unsigned levels, struct task_vec *out)
{
	int pid;

	if ((size_t)snprintf(path + length, PATH_MAX - length, "/cgroup.procs") >=
	    PATH_MAX - length)
		return true;
	FILE *file = fopen(path, "re");
	bool ok = true;
	while (file && ok && fscanf(file, "%d", &pid) == 1)
		ok = pid <= 0 || task_vec_push(out, pid);
	if (file)
		fclose(file);
	path[length] = '\0';
	DIR *dir = levels ? opendir(path) : NULL;
	for (const struct dirent *entry; dir && ok && (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		size_t more =
			(size_t)snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
		if (more < PATH_MAX - length)
			ok = add_cgroup(path, length + more, levels - 1, out);
	}
	if (dir)
		closedir(dir);
	return ok;
}

bool proc_cgroup_folder(const char *name, char path[PATH_MAX], struct bc_error *err)
{
	static const char *const roots[] = {"/sys/fs/cgroup/", "/sys/fs/cgroup/unified/",
					    "/sys/fs/cgroup/perf_event/", ""};
	static const char list[] =
		"/cgroup.procs"; /* of its processes: what has none is no cgroup */

	for (size_t i = 0; i < BC_COUNT(roots); i++) {
		int length = snprintf(path, PATH_MAX, "%s%s%s", roots[i], name, list);
		if (length >= PATH_MAX || access(path, F_OK) != 0)
			continue;
		path[(size_t)length - strlen(list)] = '\0';
		return true;
	}
	return bc_fail(err, BC_NOTFOUND, "%s: no such cgroup below /sys/fs/cgroup", name);
}

bool proc_cgroup(const char *cgroup, struct task_vec *out, struct bc_error *err)
{
	char path[PATH_MAX];
	size_t length = (size_t)snprintf(path, sizeof(path), "%s", cgroup);

	return length >= sizeof(path) || add_cgroup(path, length, LEVELS_MOST, out) ||
	       bc_fail_nomem(err);
}

bool proc_threads(const char *root, int process, struct task_vec *out, struct bc_error *err)
{
	char path[PATH_MAX];
	size_t before = out->len;

	snprintf(path, sizeof(path), "%s/%d/task", root, process);
	int why = add_numbers(path, out);
	if (is_gone(why) || (!why && out->len == before))
		return bc_fail(err, BC_NOTFOUND, "no process %d", process);
	return !why || fail_reading(why, path, err);
}

/* The text of a small file of a process; empty if it cannot be read.  0, or errno. */
static int read_small(const char *root, int process, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", root, process, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : file_read_at(fd, text, size - 1, 0);
	int why = got < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return why;
}

uint32_t proc_files_user(void *ctx, uint32_t pid)
{
	const struct proc_files *files = ctx;
	char text[1024];
	unsigned uid;

	/* Not the owner of its directory, which is root for a process that wants it so. */
	(void)read_small(files->root, (int)pid, "status", text, sizeof(text));
	const char *line = strstr(text, "\nUid:");
	return line && sscanf(line + 5, "%u", &uid) == 1 ? uid : NO_USER;
}

/* PID (NAME) STATE PARENT ..., where the name can hold anything.  *parent is 0 if there is none to
 * be seen. */
static bool parent_of(const char *root, int process, int *parent, struct bc_error *err)
{
	char text[512];
	int why = read_small(root, process, "stat", text, sizeof(text));
	const char *rest = strrchr(text, ')');

	if (!rest || sscanf(rest + 1, " %*c %d", parent) != 1)
		*parent = 0;
	snprintf(text, sizeof(text), "%s/%d/stat", root, process);
	return !is_failure(why) || fail_reading(why, text, err);
}

struct kinship {
	int parent, child;
};
DEFINE_VEC(kinship_vec, struct kinship);

static int by_parent(const void *a, const void *b)
{
	const struct kinship *x = a, *y = b;

	return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) :
					(x->child > y->child) - (x->child < y->child);
}

/* The first of those with this parent, or where they would be. */
static size_t first_child(const struct kinship_vec *all, int parent)
{
	size_t from = 0, to = all->len;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (all->at[middle].parent < parent)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool read_kinship(const char *root, struct kinship_vec *out, struct bc_error *err)
{
	struct task_vec all = {0};
	bool ok = proc_processes(root, &all, err);

	for (size_t i = 0; ok && i < all.len; i++) {
		struct kinship process = {.child = all.at[i]};
		ok = parent_of(root, process.child, &process.parent, err) &&
		     (kinship_vec_push(out, process) || bc_fail_nomem(err));
	}
	if (out->len)
		qsort(out->at, out->len, sizeof(*out->at), by_parent);
	task_vec_free(&all);
	return ok;
}

bool proc_add_descendants(const char *root, struct task_vec *processes, struct bc_error *err)
{
	BC_AUTO(number_set_free) struct number_set listed = {0};
	struct kinship_vec all = {0};
	bool ok = read_kinship(root, &all, err);

	for (size_t i = 0; ok && i < processes->len; i++)
		ok = number_set_add(&listed, (uint64_t)processes->at[i]) || bc_fail_nomem(err);
	/* Each process of the list takes its children to the end of it. */
	for (size_t at = 0; ok && at < processes->len; at++) {
		int parent = processes->at[at];
		for (size_t i = first_child(&all, parent);
		     ok && i < all.len && all.at[i].parent == parent; i++)
			if (!number_set_has(&listed, (uint64_t)all.at[i].child))
				ok = (number_set_add(&listed, (uint64_t)all.at[i].child) &&
				      task_vec_push(processes, all.at[i].child)) ||
				     bc_fail_nomem(err);
	}
	kinship_vec_free(&all);
	return ok;
}

void proc_name(const char *root, int process, char name[16])
{
	(void)read_small(root, process, "comm", name, 16);
	name[strcspn(name, "\n")] = '\0';
}

bool proc_is_in_namespace(const char *root)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/self/ns/pid", root);
	return stat(path, &st) == 0 && st.st_ino != INITIAL_NAMESPACE;
}
