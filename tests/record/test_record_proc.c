/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes, threads and mapped files, of a /proc that is a directory of the test's own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/record/proc_files.h"
#include "tests/support/cmocka.h"

static char root[64];

static void make_folder(const char *path)
{
	char at[PATH_MAX];

	snprintf(at, sizeof(at), "%s", path);
	for (char *slash = strchr(at + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		assert_true(mkdir(at, 0700) == 0 || errno == EEXIST);
		if (!slash)
			return;
		*slash = '/';
	}
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A process of the name "odd) name", with so many threads. */
static void put_process(int pid, int parent, int threads)
{
	char path[2 * PATH_MAX], text[100];

	for (int i = 0; i < threads; i++) {
		snprintf(path, sizeof(path), "%s/%d/task/%d", root, pid, pid + i);
		make_folder(path);
	}
	snprintf(path, sizeof(path), "%s/%d/stat", root, pid);
	snprintf(text, sizeof(text), "%d (odd) 7 name) S %d 1 1 0 -1", pid, parent);
	put_text(path, text);
	snprintf(path, sizeof(path), "%s/%d/comm", root, pid);
	put_text(path, "odd) 7 name\n");
}

static int start(void **state)
{
	char *made;

	(void)state;
	snprintf(root, sizeof(root), "/tmp/batconv-proc.XXXXXX");
	made = mkdtemp(root);
	return made ? 0 : -1;
}

static int stop(void **state)
{
	char command[PATH_MAX + 20];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command);
}

static void descendants(void **state)
{
	struct task_vec list = {0}, threads = {0};
	struct bc_error err;
	char name[16];

	(void)state;
	put_process(10, 1, 1);
	put_process(20, 10, 3);
	put_process(30, 20, 1);
	put_process(40, 1, 1);
	put_process(5, 30, 1); /* a number that was used before */
	assert_true(task_vec_push(&list, 10));
	assert_true(proc_add_descendants(root, &list, &err));
	assert_int_equal(list.len, 4);
	assert_int_equal(list.at[1] + list.at[2] + list.at[3], 20 + 30 + 5);
	assert_true(proc_add_descendants(root, &list, &err));
	assert_int_equal(list.len, 4);
	assert_true(proc_threads(root, 20, &threads, &err));
	assert_int_equal(threads.len, 3);
	assert_int_equal(threads.at[0] + threads.at[1] + threads.at[2], 20 + 21 + 22);
	assert_false(proc_threads(root, 21, &threads, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_string_equal(err.text, "no process 21");
	proc_name(root, 20, name);
	assert_string_equal(name, "odd) 7 name");
	list.len = 0;
	assert_true(proc_processes(root, &list, &err));
	assert_int_equal(list.len, 5);
	task_vec_free(&list);
	task_vec_free(&threads);
}

/* What cannot be read, and has not ended, is an error: or a child would be missed. */
static void failures(void **state)
{
	struct task_vec list = {0};
	char path[PATH_MAX];
	struct bc_error err;

	(void)state;
	put_process(10, 1, 1);
	snprintf(path, sizeof(path), "%s/50", root);
	make_folder(path);
	assert_true(task_vec_push(&list, 10));
	assert_true(proc_add_descendants(root, &list, &err)); /* it ends at this moment */
	snprintf(path, sizeof(path), "%s/50/stat", root);
	make_folder(path);
	assert_false(proc_add_descendants(root, &list, &err));
	assert_int_equal(err.code, BC_IO);
	assert_non_null(strstr(err.text, "/50/stat: Is a directory"));
	snprintf(path, sizeof(path), "%s/50/task", root);
	put_text(path, "");
	assert_false(proc_threads(root, 50, &list, &err));
	assert_int_equal(err.code, BC_IO);
	assert_non_null(strstr(err.text, "/50/task: Not a directory"));
	assert_false(proc_processes(path, &list, &err));
	assert_int_equal(err.code, BC_IO);
	task_vec_free(&list);
}

/* ---- mapped files ---- */

static struct map_event mapping;
static char path_room[PATH_MAX];

static uint64_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* Opens the mapping; what is in the file, or the result in words. */
static const char *opened(struct proc_files *files)
{
	static char text[64];
	int fd = -1;

	memset(text, 0, sizeof(text));
	switch (proc_files_open(files, &mapping, &fd)) {
	case FILE_GONE: return "gone";
	case FILE_LEFT_OUT: return "left out";
	case FILE_OPENED: break;
	}
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	return text;
}

static void mapped_files(void **state)
{
	struct proc_files files = {.root = root};
	char place[2 * PATH_MAX];

	(void)state;
	make_folder(root);
	snprintf(path_room, sizeof(path_room), "%s/prog", root);
	put_text(path_room, "own");
	mapping = (struct map_event){.pid = 7,
				     .start = {0x1000},
				     .size = 0x2000,
				     .executable = true,
				     .path = text_of(path_room),
				     .node = {.inode = inode_of(path_room)}};
	assert_string_equal(opened(&files), "own");
	mapping.node.inode++; /* another file has the name by now */
	assert_string_equal(opened(&files), "gone");

	/* In the process's own root, with its own inode. */
	snprintf(place, sizeof(place), "%s/7/root%s", root, root);
	make_folder(place);
	strcat(place, "/prog");
	put_text(place, "container");
	mapping.node.inode = inode_of(place);
	assert_string_equal(opened(&files), "container");

	/* What is mapped counts before any path: the file is deleted. */
	snprintf(place, sizeof(place), "%s/7/map_files", root);
	make_folder(place);
	strcat(place, "/1000-3000");
	put_text(place, "mapped");
	char deleted[PATH_MAX + 20];
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path_room);
	mapping.path = text_of(deleted);
	assert_string_equal(opened(&files), "mapped");
	unlink(place);

	/* A file may have a name that ends so. */
	put_text(deleted, "so called");
	mapping.node.inode = inode_of(deleted);
	assert_string_equal(opened(&files), "so called");
	mapping.node.inode = inode_of(path_room);
	assert_string_equal(opened(&files), "own");
	unlink(deleted);
	snprintf(place, sizeof(place), "%s/7/exe", root);
	put_text(place, "program");
	mapping.node.inode = inode_of(place);
	assert_string_equal(opened(&files), "program");
	mapping.path = text_of("//anon");
	mapping.node.inode = 1;
	assert_string_equal(opened(&files), "gone");
	mapping.path = text_of("[vdso]");
	assert_string_equal(opened(&files), "gone");
}

/* A FIFO, and a directory, under the name: nothing waits, and neither is a program. */
static void no_regular_file(void **state)
{
	struct proc_files files = {.root = root};

	(void)state;
	make_folder(root);
	snprintf(path_room, sizeof(path_room), "%s/fifo", root);
	assert_int_equal(mkfifo(path_room, 0600), 0);
	mapping = (struct map_event){.pid = 7, .path = text_of(path_room)};
	assert_string_equal(opened(&files), "gone");
	mapping.path = text_of(root);
	assert_string_equal(opened(&files), "gone");
}

static void chosen_files(void **state)
{
	static const char *const patterns[] = {"*/nothing", "/usr/*prog"};
	const char *const own[] = {"*/prog"};
	struct proc_files files = {.root = root, .patterns = patterns, .pattern_count = 2};
	struct bc_error err;

	(void)state;
	snprintf(path_room, sizeof(path_room), "%s/prog", root);
	put_text(path_room, "own");
	mapping = (struct map_event){.pid = 7, .path = text_of(path_room)};
	assert_string_equal(opened(&files), "left out");
	files.patterns = own;
	files.pattern_count = 1;
	assert_string_equal(opened(&files), "own");
	assert_true(proc_files_want(&files, "/proc/self/exe", &err));
	assert_string_equal(opened(&files), "left out");
	files.patterns = NULL;
	files.pattern_count = 0;
	mapping.path = text_of("/proc/self/exe");
	assert_true(memcmp(opened(&files), "\177ELF", 4) == 0);
	assert_false(proc_files_want(&files, path_room, &err));
	assert_true(strstr(err.text, "prog") != NULL);
	assert_false(proc_files_want(&files, "/nowhere/prog", &err));
	assert_string_equal(err.text, "/nowhere/prog: No such file or directory");

	/* Replayed: by the name, whatever directory or inode the host had. */
	files.replayed = true;
	mapping.node.inode = 12345;
	mapping.path = text_of("/srv/exe");
	assert_true(memcmp(opened(&files), "\177ELF", 4) == 0);
	proc_files_free(&files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(descendants), TEST(failures), TEST(mapped_files),
					   TEST(no_regular_file), TEST(chosen_files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
