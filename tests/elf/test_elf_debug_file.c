/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which file an alternative link names; all that commands look for is tested by
 * tests/cli/debug-files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/elf/debug_file.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

static void test_absolute_link(void **state)
{
	char here[PATH_MAX - 8], link[PATH_MAX];
	struct debug_name name = {.by = NAMED_BY_ALTLINK, .of = "a", .link = link};
	struct bc_error err = {0};
	char *path = NULL;

	(void)state;
	put_file("a", "the binary");
	put_file("b", "what it shares with others");
	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(link, sizeof(link), "%s/b", here);
	int fd = debug_file_open(&name, &path, &err);
	assert_true(fd >= 0);
	assert_string_equal(path, link);
	close(fd);
	free(path);
	/* A file that cannot be it, and none. */
	name.id = (struct build_id){.size = 20};
	assert_int_equal(debug_file_open(&name, &path, &err), -1);
	assert_int_equal(err.code, BC_OK);
	snprintf(link, sizeof(link), "%s/none", here);
	assert_int_equal(debug_file_open(&name, &path, &err), -1);
	assert_int_equal(err.code, BC_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_absolute_link)};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
