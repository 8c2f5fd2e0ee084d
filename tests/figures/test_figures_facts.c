/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file is: by the lines of resolved stacks that it begins with, and what a directory has in
 * it. */
#include "src/figures/advice.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

static void resolved_stacks(void **state)
{
	static const struct {
		const char *text;
		enum file_kind kind;
	} files[] = {
		{"12 p77\n  0x401000 main\n", FILE_RESOLVED},
		{"12\n  0x401000         /srv/prog+0x1000\n", FILE_RESOLVED},
		{"12 m3\n  0x401000 main\n", FILE_RESOLVED},
		{"12 q77\n  0x401000 main\n", FILE_UNKNOWN},  /* of no process, and no map */
		{"xii p77\n  0x401000 main\n", FILE_UNKNOWN}, /* no time */
		{"12 p77\n  401000 main\n", FILE_UNKNOWN},
		{"12 p77\n  0x40100x main\n", FILE_UNKNOWN},
		{"12 p77\n  0x401000\n", FILE_UNKNOWN}, /* nothing is there */
		{"12 p77\n", FILE_UNKNOWN},
		{"main;inner 12\n", FILE_RESOLVED},
		{"prog+0x1000 12\n", FILE_RESOLVED},
		{"prog+1000 12\n", FILE_UNKNOWN},
		{"main (main.c:7) 12\n", FILE_RESOLVED},
		{"main (main.c:7x) 12\n", FILE_UNKNOWN},
		{"main (main.c:7] 12\n", FILE_UNKNOWN},
		{"main (main.c:7) 1x\n", FILE_UNKNOWN},
		{"main 12\ninner 3\n", FILE_RESOLVED},
		{"main 12\nmain;inner 3\n", FILE_RESOLVED},
		{"main 12\n", FILE_UNKNOWN}, /* one line says too little */
		{"main 12\nof yesterday\n", FILE_UNKNOWN},
		{"beef 12\ncafe 3\n", FILE_UNKNOWN}, /* numbers */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(files); i++)
		if (file_kind_of(text_of(files[i].text), NULL) != files[i].kind)
			fail_msg("%s: %s", files[i].text,
				 file_kind_name(file_kind_of(text_of(files[i].text), NULL)));
}

/* A recording can be a directory, too: of perf record --output-dir. */
static void recordings_of_a_directory(void **state)
{
	struct file_facts facts;

	(void)state;
	assert_int_equal(mkdir("all", 0700) | mkdir("all/one", 0700), 0);
	put_file("all/one/data", "PERFILE2");
	put_file("all/two", "PERFILE2");
	put_file("all/notes", "of yesterday\n");
	put_file("all/.hidden", "PERFILE2");
	file_facts_look("all", &facts);
	assert_true(facts.read);
	assert_int_equal(facts.kind, FILE_FOLDER);
	assert_int_equal(facts.recordings, 2);
	assert_int_equal(facts.others, 1);
	assert_string_equal(facts.recording, "one"); /* the first by name */
	file_facts_look("all/one", &facts);
	assert_int_equal(facts.kind, FILE_SAMPLES);
	assert_int_equal(unlink("all/one/data") | rmdir("all/one") | unlink("all/two") |
				 unlink("all/notes") | unlink("all/.hidden") | rmdir("all"),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolved_stacks),
		cmocka_unit_test(recordings_of_a_directory),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
