/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

static void old_file_stays_until_commit(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	put_file("a", "old");
	assert_true(output_open("a", &output, &err));
	fputs("new", output.file);
	fflush(output.file);
	assert_holds("a", "old");
	assert_true(output_commit(&output, &err));
	assert_holds("a", "new");
}

static void discard_leaves_no_trace(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	put_file("a", "old");
	assert_true(output_open("a", &output, &err));
	fputs("new", output.file);
	char *temporary = strdup(output.temporary);
	output_discard(&output);
	assert_holds("a", "old");
	assert_int_equal(access(temporary, F_OK), -1);
	free(temporary);
	output_discard(&output); /* twice does no harm */
}

static void mode_and_link_are_kept(void **state)
{
	struct output output;
	struct bc_error err = {0};
	struct stat st;

	(void)state;
	put_file("a", "old");
	assert_int_equal(chmod("a", 0640), 0);
	assert_int_equal(symlink("a", "link"), 0);
	assert_true(output_open("link", &output, &err));
	fputs("new", output.file);
	assert_true(output_commit(&output, &err));
	assert_holds("a", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void fifo_is_written_directly(void **state)
{
	struct output output;
	struct bc_error err = {0};
	char buffer[8] = {0};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	int reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(output_open("fifo", &output, &err));
	fputs("x", output.file);
	assert_true(output_commit(&output, &err));
	assert_int_equal(read(reader, buffer, sizeof(buffer)), 1);
	close(reader);
}

/* Links to what is no file stay links, and what they point to stays what it is. */
static void links_to_others_are_written_through(void **state)
{
	struct output output;
	struct bc_error err = {0};
	struct stat st;
	char buffer[8] = {0};

	(void)state;
	unlink("fifo");
	unlink("link");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("fifo", "link"), 0);
	int reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(output_open("link", &output, &err));
	assert_null(output.temporary);
	fputs("x", output.file);
	assert_int_equal(stat("/", &st), 0); /* some other mode: it is not taken */
	output_take_mode(&output, &st, true);
	assert_true(output_commit(&output, &err));
	assert_int_equal(read(reader, buffer, sizeof(buffer)), 1);
	close(reader);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	unlink("link");

	assert_int_equal(symlink("/dev/null", "link"), 0);
	assert_true(output_open("link", &output, &err));
	assert_null(output.temporary);
	fputs("x", output.file);
	assert_true(output_commit(&output, &err));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("link", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	unlink("link");
}

/* Whatever it refers to: it is not replaced by its name. */
static void descriptor_is_written_where_it_stands(void **state)
{
	static const char *const forms[] = {"/dev/fd", "/proc/self/fd", "/dev/../dev/fd"};
	struct output output;
	struct bc_error err = {0};
	char name[64];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(forms); i++) {
		unlink("a");
		unlink("link");
		int fd = open("a", O_WRONLY | O_CREAT,
			      0600); /* as a shell gives it: not O_CLOEXEC */
		assert_int_equal(write(fd, "old", 3), 3);
		snprintf(name, sizeof(name), "%s/%d", forms[i], fd);
		assert_int_equal(symlink(name, "link"), 0);
		assert_true(output_open(name, &output, &err));
		fputs("one", output.file);
		assert_true(output_commit(&output, &err));
		assert_true(output_open("link", &output, &err));
		assert_null(output.temporary);
		fputs("two", output.file);
		assert_true(output_commit(&output, &err));
		assert_holds("a", "oldonetwo");
		/* This program's own are no outputs, nor what cannot be written to. */
		assert_int_equal(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
		assert_false(output_open(name, &output, &err));
		assert_non_null(strstr(err.text, ": cannot write: Bad file descriptor"));
		close(fd);
		assert_false(output_open(name, &output, &err));
		fd = open("a", O_RDONLY);
		snprintf(name, sizeof(name), "%s/%d", forms[i], fd);
		assert_false(output_open(name, &output, &err));
		assert_non_null(strstr(err.text, ": cannot write: Bad file descriptor"));
		close(fd);
	}
	assert_false(output_open("/dev/fd/x", &output, &err));
	assert_false(output_open("/dev/fd/99999999999", &output, &err));
	unlink("link");
}

static void stdout_has_many_names(void **state)
{
	(void)state;
	assert_true(output_is_stdout("-"));
	assert_true(output_is_stdout("/dev/stdout"));
	assert_true(output_is_stdout("/proc/self/fd/1"));
	assert_false(output_is_stdout("/dev/stderr"));
	assert_false(output_is_stdout("none"));
	assert_int_equal(symlink("/dev/stdout", "link"), 0);
	assert_true(output_is_stdout("link"));
	unlink("link");
}

/* Bits of an owner go to a file of the same owner only. */
static void mode_of_another_file_is_taken(void **state)
{
	struct output output;
	struct bc_error err = {0};
	struct stat st, of;

	(void)state;
	unlink("a");
	put_file("b", "");
	assert_int_equal(chmod("b", 04751), 0);
	assert_int_equal(stat("b", &of), 0);
	for (int same = 0; same < 2; same++) {
		assert_true(output_open("a", &output, &err));
		fputs("new", output.file);
		of.st_uid += !same;
		output_take_mode(&output, &of, false);
		of.st_uid -= !same;
		assert_true(output_commit(&output, &err));
		assert_int_equal(stat("a", &st), 0);
		assert_int_equal(st.st_mode & 07777, same ? 04751 : 0751);
	}
	if (geteuid() == 0) {
		assert_true(output_open("a", &output, &err));
		of.st_uid = of.st_gid = 65534;
		output_take_mode(&output, &of, true);
		assert_true(output_commit(&output, &err));
		assert_int_equal(stat("a", &st), 0);
		assert_int_equal(st.st_mode & 07777, 04751);
		assert_int_equal(st.st_uid, 65534);
	}
	unlink("a");
}

static void full_disk_is_an_error(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	assert_true(output_open("/dev/full", &output, &err));
	fputs("x", output.file);
	assert_false(output_commit(&output, &err));
	assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
}

static void bad_places_are_refused(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	assert_false(output_open(".", &output, &err));
	assert_string_equal(err.text, ".: is a directory");
	assert_false(output_open("no/such/folder", &output, &err));
	assert_string_equal(err.text,
			    "no/such/folder: cannot write: there is no directory no/such/");
}

static void dangling_link_stays_and_is_filled(void **state)
{
	struct output output;
	struct bc_error err = {0};
	struct stat st;

	(void)state;
	unlink("a");
	unlink("link");
	assert_int_equal(symlink("b", "link"), 0);
	assert_true(output_open("link", &output, &err));
	fputs("new", output.file);
	assert_true(output_commit(&output, &err));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_holds("b", "new");
	unlink("b");
	unlink("link");
	assert_int_equal(symlink("link", "link"), 0);
	assert_false(output_open("link", &output, &err));
	assert_string_equal(err.text, "link: cannot write: Too many levels of symbolic links");
	unlink("link");
}

static void targets_of_names_are_alike(void **state)
{
	char *real = realpath(".", NULL), *target;
	size_t length = strlen(real);

	(void)state;
	put_file("a", "");
	static const char *const same[] = {"a", "./a", ".//a"};
	for (size_t i = 0; i < BC_COUNT(same); i++) {
		target = output_target(same[i]);
		assert_memory_equal(target, real, length);
		assert_string_equal(target + length, "/a");
		free(target);
	}
	target = output_target("./none");
	assert_string_equal(target + length, "/none");
	free(target);
	assert_int_equal(symlink("./none", "link"), 0);
	target = output_target("link");
	assert_string_equal(target + length, "/none");
	free(target);
	assert_null(output_target("no/such/folder"));
	unlink("link");
	free(real);
}

/* In a process of its own, as nobody: root may write anything. */
static void read_only_file_is_refused(void **state)
{
	(void)state;
	put_file("a", "old");
	assert_int_equal(chmod("a", 0444), 0);
	assert_int_equal(chmod(".", 0777), 0);
	pid_t child = fork();
	if (!child) {
		struct output output;
		struct bc_error err = {0};
		bool refused = (geteuid() || !setuid(65534)) && !output_open("a", &output, &err);
		_exit(refused && !strcmp(err.text, "a: cannot write: Permission denied") ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_holds("a", "old");
	unlink("a");
}

static void pipe_without_a_path_is_written(void **state)
{
	struct output output;
	struct bc_error err = {0};
	int ends[2];
	char name[32], buffer[8] = {0};

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_true(output_open(name, &output, &err));
	fputs("x", output.file);
	assert_true(output_commit(&output, &err));
	assert_int_equal(read(ends[0], buffer, sizeof(buffer)), 1);
	close(ends[0]);
	close(ends[1]);
}

static void too_large_a_file_leaves_nothing(void **state)
{
	struct rlimit old, limit;
	struct output output;
	struct bc_error err = {0};

	(void)state;
	put_file("a", "old");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){4096, old.rlim_max};
	assert_true(output_open("a", &output, &err));
	char *temporary = strdup(output.temporary);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 10000; i++)
		fputs("new", output.file);
	bool committed = output_commit(&output, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_false(committed);
	assert_non_null(strstr(err.text, "a: cannot write: File too large"));
	assert_int_equal(access(temporary, F_OK), -1);
	assert_holds("a", "old");
	free(temporary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_file_stays_until_commit),
		cmocka_unit_test(discard_leaves_no_trace),
		cmocka_unit_test(mode_and_link_are_kept),
		cmocka_unit_test(fifo_is_written_directly),
		cmocka_unit_test(links_to_others_are_written_through),
		cmocka_unit_test(descriptor_is_written_where_it_stands),
		cmocka_unit_test(stdout_has_many_names),
		cmocka_unit_test(mode_of_another_file_is_taken),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(bad_places_are_refused),
		cmocka_unit_test(dangling_link_stays_and_is_filled),
		cmocka_unit_test(targets_of_names_are_alike),
		cmocka_unit_test(read_only_file_is_refused),
		cmocka_unit_test(pipe_without_a_path_is_written),
		cmocka_unit_test(too_large_a_file_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
