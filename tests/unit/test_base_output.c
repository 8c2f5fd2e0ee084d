/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static char folder[] = "/tmp/batconv-test-XXXXXX";

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	unlink("a");
	unlink("link");
	unlink("fifo");
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
	char buffer[64] = {0};
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(buffer, 1, sizeof(buffer) - 1, file), strlen(text));
	fclose(file);
	assert_string_equal(buffer, text);
}

static void old_file_stays_until_commit(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	put("a", "old");
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
	put("a", "old");
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
	put("a", "old");
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
	assert_string_equal(err.text, "no/such/folder: cannot create a temporary file beside it: "
				      "No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_file_stays_until_commit),
		cmocka_unit_test(discard_leaves_no_trace),
		cmocka_unit_test(mode_and_link_are_kept),
		cmocka_unit_test(fifo_is_written_directly),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(bad_places_are_refused),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
