/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of saved rings: what is written is read, and what is damaged is refused with its byte.
 */
#include "tests/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/rings_file.h"
#include "tests/support/build_perf.h"

static const uint8_t attr[64] = {1, 2, 3};

/* ATTR of 64 bytes, a host of 5, 3 rings; then two parts, a round, the end. */
static void write_file(struct build_perf *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	rings_begin(to, (struct bytes){attr, sizeof(attr)}, 3, text_of("host\n"));
	rings_put(to, 2, (struct bytes){(const uint8_t *)"abcdefgh", 8});
	rings_put(to, 0, (struct bytes){NULL, 0}); /* nothing is written of nothing */
	rings_put(to, RINGS_SCAN, (struct bytes){(const uint8_t *)"12345678", 8});
	rings_put_round(to);
	rings_end(to);
	fclose(to);
	*out = (struct build_perf){0};
	put_bytes(out, text, size);
	free(text);
}

#define HEAD  28
#define PARTS (HEAD + 64 + 5)
#define WHOLE (PARTS + 16 + 16 + 8 + 8)

/* Reads to the end.  Returns the parts' bytes, and the error if it fails. */
static bool read_file(struct bytes bytes, size_t *parts, struct bc_error *err)
{
	struct file_stream stream = {
		.name = "x.rings", .fd = -1, .size = bytes.size, .memory = bytes.data};
	struct rings_reader reader;
	struct rings_part part = {0};

	*parts = 0;
	bool ok = rings_open(&stream, &reader, err);
	while (ok && part.ring != RINGS_END) {
		ok = rings_next(&reader, &part, err);
		*parts += ok;
	}
	rings_close(&reader);
	return ok;
}

static void test_what_is_written_is_read(void **state)
{
	struct build_perf b;
	struct bc_error err = {0};
	struct rings_reader reader;
	struct rings_part part;

	(void)state;
	write_file(&b);
	assert_int_equal(b.size, WHOLE);
	struct file_stream stream = {.name = "x.rings", .fd = -1, .size = b.size, .memory = b.data};
	assert_true(rings_open(&stream, &reader, &err));
	assert_int_equal(reader.rings, 3);
	assert_int_equal(reader.attr_size, 64);
	assert_memory_equal(reader.attr, attr, 64);
	assert_string_equal(reader.host, "host\n");
	assert_true(rings_next(&reader, &part, &err) && part.ring == 2 && part.bytes.size == 8 &&
		    !memcmp(part.bytes.data, "abcdefgh", 8));
	assert_true(rings_next(&reader, &part, &err) && part.ring == RINGS_SCAN &&
		    !memcmp(part.bytes.data, "12345678", 8));
	assert_true(rings_next(&reader, &part, &err) && part.ring == RINGS_ROUND);
	assert_true(rings_next(&reader, &part, &err) && part.ring == RINGS_END);
	rings_close(&reader);
	build_perf_free(&b);
}

/* More bytes than a part holds. */
static void test_large_reads_are_several_parts(void **state)
{
	struct bc_error err = {0};
	uint8_t *bytes = calloc(1, 2 * RINGS_PART_MOST + 8);
	char *text = NULL;
	size_t size = 0, parts;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_true(bytes && to);
	rings_begin(to, (struct bytes){attr, sizeof(attr)}, 1, text_of(""));
	rings_put(to, 0, (struct bytes){bytes, 2 * RINGS_PART_MOST + 8});
	rings_end(to);
	fclose(to);
	assert_true(read_file((struct bytes){(const uint8_t *)text, size}, &parts, &err));
	assert_int_equal(parts, 4);
	free(bytes);
	free(text);
}

/* Cut at every byte. */
static void test_cut_files(void **state)
{
	struct build_perf b;

	(void)state;
	write_file(&b);
	for (size_t size = 0; size < b.size; size++) {
		struct bc_error err = {0};
		size_t parts;
		uint8_t *copy = malloc(size ? size : 1);
		assert_non_null(copy);
		memcpy(copy, b.data, size);
		assert_false(read_file((struct bytes){copy, size}, &parts, &err));
		assert_int_equal(err.code, BC_FORMAT);
		if (size >= 16) {
			char byte[64];
			snprintf(byte, sizeof(byte), ", byte %zu", size);
			assert_non_null(strstr(err.text, byte));
		}
		free(copy);
	}
	build_perf_free(&b);
}

static void test_damaged_files(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		enum bc_code code;
		const char *why;
	} cases[] = {
		{0, 0x31, BC_FORMAT, "x.rings: no saved rings: they begin with 'batconv-rings 1'"},
		{14, 0x0a32, BC_UNSUPPORTED, "x.rings: saved rings of another version than 1"},
		{16, RINGS_ATTR_MOST + 1, BC_FORMAT,
		 "x.rings: sizes beyond those that are read, byte 16"},
		{20, RINGS_HOST_MOST + 1, BC_FORMAT,
		 "x.rings: sizes beyond those that are read, byte 16"},
		{24, 0, BC_FORMAT, "x.rings: sizes beyond those that are read, byte 16"},
		{24, RINGS_MOST + 1, BC_FORMAT,
		 "x.rings: sizes beyond those that are read, byte 16"},
		{PARTS, 3, BC_FORMAT, "x.rings: a ring that there is not, byte 97"},
		{PARTS + 4, RINGS_PART_MOST + 1, BC_FORMAT,
		 "x.rings: a part larger than those that are written, byte 97"},
		{PARTS + 36, 1, BC_FORMAT, "x.rings: a mark with bytes, byte 129"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct build_perf b;
		struct bc_error err = {0};
		size_t parts;
		write_file(&b);
		set_u16(&b, cases[i].at, (uint16_t)cases[i].value);
		if (cases[i].at != 14)
			set_u16(&b, cases[i].at + 2, (uint16_t)(cases[i].value >> 16));
		assert_false(read_file(build_perf_bytes(&b), &parts, &err));
		assert_string_equal(err.text, cases[i].why);
		assert_int_equal(err.code, cases[i].code);
		build_perf_free(&b);
	}
}

static void test_bytes_behind_the_end(void **state)
{
	struct build_perf b;
	struct bc_error err = {0};
	size_t parts;

	(void)state;
	write_file(&b);
	put_zeros(&b, 1);
	assert_false(read_file(build_perf_bytes(&b), &parts, &err));
	assert_string_equal(err.text, "x.rings: bytes after the end, byte 145");
	build_perf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_large_reads_are_several_parts),
		cmocka_unit_test(test_cut_files),
		cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_bytes_behind_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
