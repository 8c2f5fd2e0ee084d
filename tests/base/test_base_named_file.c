/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What may be opened of names in inputs; tests/cli/named_files.py has the commands. */
#include "src/base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static char folder[] = "named.XXXXXX";
static char path[64];

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void a_regular_file(void **state)
{
	struct file_stream stream;
	struct bc_error err = {0};
	struct file_map map;
	char buffer[8];
	size_t got;
	int fd;

	(void)state;
	write_file("text");
	assert_true(named_file_open(path, NAMED_BY_MAPPING, &fd, &err));
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close(fd);
	assert_true(file_map_named(path, NAMED_BY_MAPPING, &map, &err));
	assert_int_equal(map.size, 4);
	assert_memory_equal(map.data, "text", 4);
	file_unmap(&map);
	assert_true(stream_open_named(path, NAMED_BY_FOLDER, &stream, &err));
	assert_int_equal(stream.size, 4);
	assert_true(stream_read(&stream, buffer, sizeof(buffer), &got, &err));
	assert_int_equal(got, 4);
	stream_close(&stream);
	unlink(path);
}

static void assert_refused(enum bc_code code, const char *text)
{
	struct bc_error err = {0};
	struct file_stream stream;
	struct file_map map;
	char expected[256];
	int fd = -2;

	snprintf(expected, sizeof(expected), "%s: %s", path, text);
	assert_false(named_file_open(path, NAMED_BY_DEBUGLINK, &fd, &err));
	assert_int_equal(err.code, code);
	assert_string_equal(err.text, expected);
	assert_int_equal(fd, -2);
	assert_false(file_map_named(path, NAMED_BY_MAPPING, &map, &err));
	assert_int_equal(err.code, code);
	assert_false(stream_open_named(path, NAMED_BY_FOLDER, &stream, &err));
	assert_int_equal(err.code, code);
}

static void nothing_else(void **state)
{
	static const char text[] = "is not a regular file, and .gnu_debuglink names it: not opened";

	(void)state;
	assert_refused(BC_IO, "cannot open: No such file or directory");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(BC_UNSUPPORTED, text);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(BC_UNSUPPORTED, text);
	rmdir(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_refused(BC_UNSUPPORTED, text);
	unlink(path);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_refused(BC_IO, "cannot open: No such file or directory");
	unlink(path);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/name", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_regular_file),
		cmocka_unit_test(nothing_else),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
