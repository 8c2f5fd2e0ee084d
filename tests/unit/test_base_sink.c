/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

/* Written by hand: a pipe without a reader would be a signal; /dev/full is full. */
static void the_first_failure_is_kept(void **state)
{
	struct sink *sink;
	FILE *file = sink_open(open("/dev/full", O_WRONLY), &sink);

	(void)state;
	assert_non_null(file);
	assert_int_equal(sink_failed(sink), 0);
	fputs("lost", file);
	assert_int_equal(fflush(file), EOF);
	assert_int_equal(sink_failed(sink), ENOSPC);
	errno = 0;
	fputs("not tried", file);
	assert_int_equal(fflush(file), EOF);
	assert_int_equal(sink_failed(sink), ENOSPC);
	fclose(file);
}

enum { LINE = 1 << 12, LINES = 10000 }; /* 41 MB: room is asked for a few times */

/* Returns false if it could not be written. */
static bool write_lines(int fd)
{
	char line[LINE];
	struct sink *sink;
	FILE *file = sink_open(fd, &sink);

	assert_non_null(file);
	sink_reserve(sink);
	for (int i = 0; i < LINES; i++) {
		memset(line, 'a' + i % 26, sizeof(line));
		assert_int_equal(fwrite(line, 1, sizeof(line), file), sizeof(line));
	}
	assert_int_equal(fputc('z', file), 'z');
	return fclose(file) == 0;
}

static void room_that_is_not_needed_is_given_back(void **state)
{
	char path[] = "sink-test.XXXXXX", line[LINE];
	int fd = mkstemp(path), again = dup(fd);
	struct stat st;

	(void)state;
	assert_true(again >= 0);
	assert_true(write_lines(fd));
	assert_int_equal(fstat(again, &st), 0);
	assert_int_equal(st.st_size, (off_t)LINE * LINES + 1);
	assert_true(st.st_blocks * 512 <= st.st_size + (1 << 20));
	for (int i = 0; i < LINES; i += 999) {
		assert_int_equal(pread(again, line, LINE, (off_t)LINE * i), LINE);
		assert_int_equal(line[0], 'a' + i % 26);
		assert_int_equal(line[LINE - 1], 'a' + i % 26);
	}
	close(again);
	unlink(path);
}

static void a_device_has_no_room_to_ask_for(void **state)
{
	(void)state;
	assert_true(write_lines(open("/dev/null", O_WRONLY)));
}

static void memory_holds_all(void **state)
{
	struct memory_sink memory = {0};
	FILE *file = sink_memory(&memory);

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < 100000; i++)
		fprintf(file, "%06d\n", i);
	assert_int_equal(fclose(file), 0);
	assert_false(memory.failed);
	assert_int_equal(memory.len, 700000);
	assert_memory_equal(memory.at + 7 * 99999, "099999\n", 7);
	free(memory.at);
}

static void empty_memory_is_none(void **state)
{
	struct memory_sink memory = {0};
	FILE *file = sink_memory(&memory);

	(void)state;
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_false(memory.failed);
	assert_null(memory.at);
	assert_int_equal(memory.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(room_that_is_not_needed_is_given_back),
		cmocka_unit_test(a_device_has_no_room_to_ask_for),
		cmocka_unit_test(memory_holds_all),
		cmocka_unit_test(empty_memory_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
