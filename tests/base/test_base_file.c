/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static char folder[] = "/tmp/batconv-file-XXXXXX";

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	unlink("a");
	unlink("empty");
	unlink("fifo");
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, 0644), 0);
}

static void a_mapped_file_holds_its_bytes(void **state)
{
	struct file_map map;
	struct bc_error err = {0};

	(void)state;
	put("a", "hello");
	assert_true(file_map("a", &map, &err));
	assert_int_equal(map.size, 5);
	assert_memory_equal(map.data, "hello", 5);
	file_unmap(&map);
	assert_null(map.data);
	file_unmap(&map);
}

/* How much is in memory of what is mapped at `at`. */
static size_t kilobytes_in(const uint8_t *at)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[512];
	unsigned long begin, kb = 0;
	bool here = false;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-", &begin) == 1 && strchr(line, '-'))
			here = begin == (uintptr_t)at;
		else if (here && sscanf(line, "Rss: %lu kB", &kb) == 1)
			break;
	}
	fclose(file);
	return here ? kb : 0;
}

/* Pages of a file that are released are gone, and come back as they were; memory that is
 * no file's stays. */
static void what_is_released_can_be_read(void **state)
{
	enum { SIZE = 256 << 10 };
	char *text = malloc(SIZE + 1);
	struct file_map map;
	struct bc_error err = {0};

	(void)state;
	assert_non_null(text);
	memset(text, 'x', SIZE);
	text[SIZE] = 0;
	put("a", text);
	assert_true(file_map("a", &map, &err));
	assert_memory_equal(map.data, text, SIZE);
	assert_int_equal(kilobytes_in(map.data), SIZE >> 10);
	file_release(map.data + 100, SIZE - 100);
	assert_true(kilobytes_in(map.data) < SIZE >> 12);
	assert_memory_equal(map.data, text, SIZE);
	file_release(text, SIZE);
	assert_memory_equal(map.data, text, SIZE);
	assert_int_equal(text[SIZE / 2], 'x');
	file_unmap(&map);
	free(text);
}

static void only_what_is_there_is_copied(void **state)
{
	const off_t size = (off_t)1 << 32, at = ((off_t)1 << 31) + 5;
	struct file_map map;
	struct stat st;
	struct bc_error err = {0};
	int fd = open("holes", O_RDWR | O_CREAT | O_TRUNC, 0666);

	(void)state;
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(pwrite(fd, "there", 5, at), 5);
	assert_true(file_map("holes", &map, &err));
	assert_int_equal(map.size, size);
	assert_memory_equal(map.data + at, "there", 6);
	assert_int_equal(map.data[size - 1], 0);
	assert_true(kilobytes_in(map.data) <= 64);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks <= 256);
	file_unmap(&map);
	close(fd);
	remove("holes");
}

static void whose_a_file_is(void **state)
{
	struct stat st = {.st_uid = geteuid(), .st_mode = 0644};

	(void)state;
	assert_false(file_is_anothers(&st));
	st.st_mode = 0755;
	assert_false(file_is_anothers(&st));
	st.st_mode = 0664;
	assert_true(file_is_anothers(&st));
	st.st_mode = 0646;
	assert_true(file_is_anothers(&st));
	st.st_mode = 0600;
	st.st_uid = 0;
	assert_false(file_is_anothers(&st));
	st.st_uid = geteuid() + 1;
	assert_true(file_is_anothers(&st));
}

/* As each user can do to the file of another one who may write to it, and root cannot prevent. */
static void a_file_that_others_write_to_is_copied(void **state)
{
	enum { PAGE = 4096, SIZE = 4 * PAGE };
	struct file_map map;
	struct bc_error err = {0};
	FILE *file = fopen("cut", "w+b");

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		putc('x', file);
	fflush(file);
	assert_int_equal(fchmod(fileno(file), 0666), 0);
	assert_true(file_map("cut", &map, &err));
	assert_null(file_mapped_at(map.data)); /* it is no mapping */
	assert_int_equal(ftruncate(fileno(file), PAGE), 0);
	assert_int_equal(pwrite(fileno(file), "yy", 2, 0), 2);
	assert_int_equal(map.size, SIZE);
	assert_int_equal(map.present, SIZE);
	assert_int_equal(map.data[0], 'x');
	assert_int_equal(map.data[2 * PAGE + 5], 'x');
	assert_int_equal(map.data[SIZE - 1], 'x');
	file_release(map.data, SIZE); /* there is nothing to read it again from */
	assert_int_equal(map.data[0], 'x');
	file_unmap(&map);
	assert_int_equal(fchmod(fileno(file), 0644), 0);
	assert_true(file_map("cut", &map, &err));
	assert_string_equal(file_mapped_at(map.data), "cut");
	file_unmap(&map);
	fclose(file);
	remove("cut");
}

static void an_empty_file_maps_to_nothing(void **state)
{
	struct file_map map;
	struct bc_error err = {0};

	(void)state;
	put("empty", "");
	assert_true(file_map("empty", &map, &err));
	assert_null(map.data);
	assert_int_equal(map.size, 0);
	file_unmap(&map);
}

static void what_cannot_be_opened_is_named(void **state)
{
	struct file_map map;
	struct file_stream stream;
	struct bc_error err = {0};

	(void)state;
	assert_false(file_map("missing", &map, &err));
	assert_int_equal(err.code, BC_IO);
	assert_string_equal(err.text, "missing: cannot open: No such file or directory");
	assert_false(stream_open("missing", &stream, &err));
	assert_string_equal(err.text, "missing: cannot open: No such file or directory");
	assert_false(stream_open(".", &stream, &err));
	assert_string_equal(err.text, ".: is a directory");
	assert_false(file_map("/dev/null", &map, &err));
	assert_string_equal(err.text, "/dev/null: is not a regular file");
}

static void streams_read_in_parts(void **state)
{
	struct file_stream stream;
	struct bc_error err = {0};
	char buffer[8];
	size_t got;

	(void)state;
	put("a", "hello");
	assert_true(stream_open("a", &stream, &err));
	assert_string_equal(stream.name, "a");
	assert_int_equal(stream.size, 5);
	assert_true(stream_read(&stream, buffer, 3, &got, &err));
	assert_int_equal(got, 3);
	assert_true(stream_read(&stream, buffer + 3, 5, &got, &err));
	assert_int_equal(got, 2);
	assert_memory_equal(buffer, "hello", 5);
	assert_true(stream_read(&stream, buffer, 1, &got, &err));
	assert_int_equal(got, 0);
	stream_close(&stream);
	assert_false(stream_read(&stream, buffer, 1, &got, &err));
	assert_int_equal(err.code, BC_IO);
}

/* A pipe gives its bytes in chunks: a read waits for all of them. */
static void a_fifo_is_a_stream(void **state)
{
	struct file_stream stream;
	struct bc_error err = {0};
	char buffer[8];
	size_t got;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	pid_t writer = fork();
	assert_true(writer >= 0);
	if (writer == 0) {
		int fd = open("fifo", O_WRONLY);
		struct timespec moment = {0, 20000000};
		ssize_t done = write(fd, "he", 2);
		nanosleep(&moment, NULL);
		done += write(fd, "llo", 3);
		_exit(done == 5 ? 0 : 1);
	}
	assert_true(stream_open("fifo", &stream, &err));
	assert_int_equal(stream.size, 0);
	assert_true(stream_read(&stream, buffer, sizeof(buffer), &got, &err));
	assert_int_equal(got, 5);
	assert_memory_equal(buffer, "hello", 5);
	stream_close(&stream);
}

static void a_dash_is_stdin(void **state)
{
	struct file_stream stream;
	struct bc_error err = {0};

	(void)state;
	assert_true(stream_open("-", &stream, &err));
	assert_string_equal(stream.name, "<stdin>");
	assert_int_equal(stream.fd, STDIN_FILENO);
	stream_close(&stream); /* leaves stdin open */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapped_file_holds_its_bytes),
		cmocka_unit_test(what_is_released_can_be_read),
		cmocka_unit_test(only_what_is_there_is_copied),
		cmocka_unit_test(whose_a_file_is),
		cmocka_unit_test(a_file_that_others_write_to_is_copied),
		cmocka_unit_test(an_empty_file_maps_to_nothing),
		cmocka_unit_test(what_cannot_be_opened_is_named),
		cmocka_unit_test(streams_read_in_parts),
		cmocka_unit_test(a_fifo_is_a_stream),
		cmocka_unit_test(a_dash_is_stdin),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
