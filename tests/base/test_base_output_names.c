/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The moment when outputs get their names: several at once, new ones, and none after a signal. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

/* The last of three fails: the others are as they were. */
static void several_are_named_together(void **state)
{
	struct output outputs[4] = {0};
	struct bc_error err = {0};

	(void)state;
	put_file("a", "old");
	unlink("b");
	assert_true(output_open("a", &outputs[0], &err));
	assert_true(output_open("b", &outputs[2], &err));
	assert_true(output_open("/dev/full", &outputs[3], &err));
	for (size_t i = 0; i < 4; i++)
		if (outputs[i].file)
			fputs("new", outputs[i].file);
	assert_false(output_commit_all(outputs, 4, &err));
	assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
	assert_holds("a", "old");
	assert_int_equal(access("b", F_OK), -1);

	assert_true(output_open("a", &outputs[0], &err));
	assert_true(output_open("b", &outputs[2], &err));
	fputs("one", outputs[0].file);
	fputs("two", outputs[2].file);
	assert_true(output_commit_all(outputs, 4, &err));
	assert_holds("a", "one");
	assert_holds("b", "two");
}

/* A directory takes the second name meanwhile: the first file, which had its name, gets the
 * old one back; one that was not there before goes again. */
static void names_that_were_given_are_taken_back(void **state)
{
	struct output outputs[3];
	struct bc_error err = {0};

	(void)state;
	put_file("a", "old");
	unlink("b");
	assert_true(output_open("a", &outputs[0], &err));
	assert_true(output_open("b", &outputs[1], &err));
	assert_true(output_open("c", &outputs[2], &err));
	for (size_t i = 0; i < 3; i++)
		fputs("new", outputs[i].file);
	assert_int_equal(mkdir("c", 0777), 0);
	assert_false(output_commit_all(outputs, 3, &err));
	assert_non_null(strstr(err.text, "c: cannot write: "));
	assert_holds("a", "old");
	assert_int_equal(access("b", F_OK), -1);
	assert_int_equal(rmdir("c"), 0);
}

static void a_signal_removes_all_that_are_open(void **state)
{
	struct output outputs[2];
	struct bc_error err = {0};
	char *names[2];

	(void)state;
	assert_true(output_open("a", &outputs[0], &err));
	assert_true(output_open("b", &outputs[1], &err));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(fcntl(sink_descriptor(outputs[i].sink), F_GETFD), FD_CLOEXEC);
		names[i] = strdup(outputs[i].temporary);
	}
	output_remove_temporaries();
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(access(names[i], F_OK), -1);
		output_discard(&outputs[i]);
		free(names[i]);
	}
}

/* A file system that cannot rename without replacing: the linker puts this instead of
 * renameat2(). */
static bool cannot_rename_so;
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags)
{
	if (!cannot_rename_so)
		return __real_renameat2(from_folder, from, to_folder, to, flags);
	errno = EINVAL;
	return -1;
}

static void a_new_file_replaces_none(void **state)
{
	struct output output;
	struct bc_error err = {0};

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		cannot_rename_so = turn;
		unlink("a");
		assert_true(output_open("a", &output, &err));
		char *temporary = strdup(output.temporary);
		fputs("first", output.file);
		assert_true(output_commit_new(&output, &err));
		assert_holds("a", "first");
		assert_int_equal(access(temporary, F_OK), -1);
		free(temporary);

		unlink("a");
		assert_true(output_open("a", &output, &err));
		temporary = strdup(output.temporary);
		fputs("late", output.file);
		put_file("a", "somebody's");
		assert_false(output_commit_new(&output, &err));
		assert_int_equal(err.code, BC_EXISTS);
		assert_holds("a", "somebody's");
		assert_int_equal(access(temporary, F_OK), -1);
		free(temporary);
	}
	cannot_rename_so = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_are_named_together),
		cmocka_unit_test(names_that_were_given_are_taken_back),
		cmocka_unit_test(a_signal_removes_all_that_are_open),
		cmocka_unit_test(a_new_file_replaces_none),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
