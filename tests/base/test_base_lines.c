/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* A stream of bytes that were written to a file. */
static FILE *open_bytes(const char *bytes, size_t size, struct file_stream *stream)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	rewind(file);
	*stream = (struct file_stream){.name = "input", .fd = fileno(file)};
	return file;
}

static void assert_lines(const char *text, const char *const *want, size_t count)
{
	struct file_stream stream;
	struct lines lines;
	struct bc_error err = {0};
	struct text line;
	FILE *file = open_bytes(text, strlen(text), &stream);

	assert_true(lines_init(&lines, &stream, &err));
	for (size_t i = 0; i < count; i++) {
		assert_true(lines_next(&lines, &line, &err));
		assert_true(text_is(line, want[i]));
		assert_int_equal(lines.number, i + 1);
	}
	assert_false(lines_next(&lines, &line, &err));
	assert_int_equal(err.code, BC_OK);
	assert_int_equal(lines.bytes, strlen(text));
	lines_fini(&lines);
	fclose(file);
}

static void lines_of_small_files(void **state)
{
	(void)state;
	assert_lines("", NULL, 0);
	assert_lines("\n", (const char *const[]){""}, 1);
	assert_lines("a", (const char *const[]){"a"}, 1);
	assert_lines("a\n", (const char *const[]){"a"}, 1);
	assert_lines("a\n\nb\r\n c", (const char *const[]){"a", "", "b\r", " c"}, 4);
}

static void peeking_takes_nothing(void **state)
{
	struct file_stream stream;
	struct lines lines;
	struct bc_error err = {0};
	struct text text;
	FILE *file = open_bytes("one\ntwo\n", 8, &stream);

	(void)state;
	assert_true(lines_init(&lines, &stream, &err));
	assert_true(lines_peek(&lines, LINES_LONGEST, &text, &err));
	assert_true(text_is(text, "one\ntwo\n"));
	assert_true(lines_next(&lines, &text, &err));
	assert_true(text_is(text, "one"));
	assert_true(lines_peek(&lines, LINES_LONGEST, &text, &err));
	assert_true(text_is(text, "two\n"));
	lines_fini(&lines);
	fclose(file);
}

/* Lines of random lengths, several buffers full, against the bytes. */
static void lines_across_buffers(void **state)
{
	size_t size = 5 * LINES_LONGEST / 2, at = 0;
	char *bytes = malloc(size);
	struct prng prng = {1};
	struct file_stream stream;
	struct lines lines;
	struct bc_error err = {0};
	struct text line;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', size);
	for (size_t i = 0; i < size; i += 1 + prng_below(&prng, 200000))
		bytes[i] = '\n';
	bytes[size - 1] = '\n';
	FILE *file = open_bytes(bytes, size, &stream);
	assert_true(lines_init(&lines, &stream, &err));
	while (lines_next(&lines, &line, &err)) {
		assert_memory_equal(line.at, bytes + at, line.len);
		at += line.len;
		assert_int_equal(bytes[at++], '\n');
	}
	assert_int_equal(err.code, BC_OK);
	assert_int_equal(at, size);
	lines_fini(&lines);
	fclose(file);
	free(bytes);
}

/* What is skipped counts: the next line has its own number, and all bytes are counted. */
static void blank_lines_are_skipped(void **state)
{
	static const char text[] = "a\n\n \t\n\r\n  b\n \n";
	struct file_stream stream;
	struct lines lines;
	struct bc_error err = {0};
	struct text line;
	FILE *file = open_bytes(text, strlen(text), &stream);

	(void)state;
	assert_true(lines_init(&lines, &stream, &err));
	assert_int_equal(lines_skip_blank(&lines), 0); /* nothing was read yet */
	assert_true(lines_next(&lines, &line, &err));
	assert_int_equal(lines_skip_blank(&lines), 6);
	assert_int_equal(lines.number, 4);
	assert_int_equal(lines_skip_blank(&lines), 0);
	assert_true(lines_next(&lines, &line, &err));
	assert_true(text_is(line, "  b"));
	assert_int_equal(lines.number, 5);
	assert_int_equal(lines_skip_blank(&lines), 2);
	assert_false(lines_next(&lines, &line, &err));
	assert_int_equal(err.code, BC_OK);
	assert_int_equal(lines.number, 6);
	assert_int_equal(lines.bytes, strlen(text));
	lines_fini(&lines);
	fclose(file);
}

static bool first_line_of(size_t len, struct bc_error *err)
{
	char *bytes = malloc(len + 1);
	struct file_stream stream;
	struct lines lines;
	struct text line;

	assert_non_null(bytes);
	memset(bytes, 'x', len);
	bytes[len] = '\n';
	FILE *file = open_bytes(bytes, len + 1, &stream);
	assert_true(lines_init(&lines, &stream, err));
	bool ok = lines_next(&lines, &line, err);
	if (ok)
		assert_int_equal(line.len, len);
	lines_fini(&lines);
	fclose(file);
	free(bytes);
	return ok;
}

static void the_longest_line(void **state)
{
	struct bc_error err = {0};

	(void)state;
	assert_true(first_line_of(LINES_LONGEST - 1, &err));
	assert_false(first_line_of(LINES_LONGEST, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, "input: line 1, byte 0: longer than 1048576 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_small_files), cmocka_unit_test(peeking_takes_nothing),
		cmocka_unit_test(lines_across_buffers), cmocka_unit_test(blank_lines_are_skipped),
		cmocka_unit_test(the_longest_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
