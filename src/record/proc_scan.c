/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/proc_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/map.h"
#include "src/base/text.h"

#define INITIAL_NAMESPACE 0xeffffffcu /* PROC_PID_INIT_INO of Linux */

/* Adds the names of a directory that are numbers. */
static bool add_numbers(DIR *folder, struct task_vec *out)
{
	for (const struct dirent *entry; (entry = readdir(folder));) {
		uint64_t number;
		if (text_dec(text_of(entry->d_name), &number) && number && number <= INT_MAX &&
		    !task_vec_push(out, (int)number))
			return false;
	}
	return true;
}

bool proc_processes(const char *root, struct task_vec *out, struct bc_error *err)
{
	DIR *folder = opendir(root);

	if (!folder)
		return bc_fail_errno(err, "%s", root);
	bool ok = add_numbers(folder, out) || bc_fail_nomem(err);
	closedir(folder);
	return ok;
}

bool proc_threads(const char *root, int process, struct task_vec *out, struct bc_error *err)
{
	char path[PATH_MAX];
	size_t before = out->len;

	snprintf(path, sizeof(path), "%s/%d/task", root, process);
	DIR *folder = opendir(path);
	if (folder) {
		bool ok = add_numbers(folder, out) || bc_fail_nomem(err);
		closedir(folder);
		if (!ok)
			return false;
	}
	return out->len > before || bc_fail(err, BC_NOTFOUND, "no process %d", process);
}

/* The text of a small file of a process; empty if it is gone. */
static size_t read_small(const char *root, int process, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", root, process, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* PID (NAME) STATE PARENT ..., where the name can hold anything. */
static int parent_of(const char *root, int process)
{
	char text[512];
	int parent = 0;

	read_small(root, process, "stat", text, sizeof(text));
	const char *behind = strrchr(text, ')');
	return behind && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
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

	for (size_t i = 0; ok && i < all.len; i++)
		ok = kinship_vec_push(out,
				      (struct kinship){parent_of(root, all.at[i]), all.at[i]}) ||
		     bc_fail_nomem(err);
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
	size_t length = read_small(root, process, "comm", name, 16);

	if (length && name[length - 1] == '\n')
		name[length - 1] = '\0';
}

bool proc_is_in_namespace(const char *root)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/self/ns/pid", root);
	return stat(path, &st) == 0 && st.st_ino != INITIAL_NAMESPACE;
}
