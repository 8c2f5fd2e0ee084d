/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damaged files, files that were cut, and files of another kind. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_data/perf_records.h"
#include "tests/support/cmocka.h"
#include "tests/support/perf_cases.h"
#include "tests/support/perf_log.h"
#include "tests/support/prng.h"

static void assert_fails(const struct build_perf *b, enum bc_code code, const char *text)
{
	struct read_result result;

	perf_read_built(b, &result);
	assert_false(result.ok);
	assert_int_equal(result.err.code, code);
	assert_string_equal(result.err.text, text);
	free(result.log);
}

static void test_damaged_records(void **state)
{
	struct build_perf b = {0};
	char text[100];

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_LBR], &b);
	uint64_t data = le64(b.data + 40), size = le64(b.data + 48);
	uint16_t first = le16(b.data + data + 6);
	for (uint16_t bad = 0; bad < 8; bad++) {
		set_u16(&b, data + first + 6, bad);
		snprintf(text, sizeof(text), "x.data: a record of less than 8 bytes, byte %" PRIu64,
			 data + first);
		assert_fails(&b, BC_FORMAT, text);
	}
	set_u16(&b, data + first + 6, (uint16_t)(size - first + 8));
	snprintf(text, sizeof(text), "x.data: a record passes the end of the data, byte %" PRIu64,
		 data + first);
	assert_fails(&b, BC_FORMAT, text);
	set_u16(&b, data + first + 6, 16);
	snprintf(text, sizeof(text), "x.data: a mapping of 16 bytes is cut, byte %" PRIu64,
		 data + first);
	set_u16(&b, data + first + 16 + 4, 0);
	struct read_result result;
	perf_read_built(&b, &result);
	assert_false(result.ok);
	free(result.log);
	build_perf_free(&b);
}

static void test_cut_sample(void **state)
{
	struct build_perf_file file = {.attrs = &lbr_attr, .attr_count = 1};
	struct build_perf b = {0};
	char text[100];

	(void)state;
	put_at(&file.records, &lbr_attr, 20);
	file.records.size -= 8;
	set_u16(&file.records, 6, (uint16_t)file.records.size);
	build_file(&file, &b);
	snprintf(text, sizeof(text), "x.data: a sample of %zu bytes is cut, byte %" PRIu64,
		 file.records.size, le64(b.data + 40));
	assert_fails(&b, BC_FORMAT, text);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

static void test_other_kinds_of_files(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum bc_code code;
		const char *part;
	} files[] = {
		{"PERFFILE", 8, BC_UNSUPPORTED, "version 1"},
		{"2ELIFREP", 8, BC_UNSUPPORTED, "other byte order"},
		{"ELIFFREP", 8, BC_UNSUPPORTED, "other byte order"},
		{"PERFILE3", 8, BC_FORMAT, "is not perf.data"},
		{"", 0, BC_FORMAT, "is not perf.data"},
		{"PERFILE2", 8, BC_FORMAT, "ends at byte 8"},
		{"PERFILE2\20\0\0\0\0\0\0", 15, BC_FORMAT, "ends at byte 15"},
		{"PERFILE2\21\0\0\0\0\0\0\0", 16, BC_FORMAT, "a header of 17 bytes, byte 8"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(files); i++) {
		struct read_result result;
		perf_read_bytes((struct bytes){(const uint8_t *)files[i].bytes, files[i].size},
				&result);
		assert_false(result.ok);
		assert_int_equal(result.err.code, files[i].code);
		assert_non_null(strstr(result.err.text, files[i].part));
		free(result.log);
	}
}

/* The recorder was killed: the header says nothing of the data's size. */
static void test_unfinished_file(void **state)
{
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_NAMELESS], &b);
	set_u64(&b, 48, 0);
	perf_read_built(&b, &result);
	assert_true(result.ok);
	assert_true(result.report.perf.unfinished);
	assert_int_equal(result.report.perf.delivered, 1);
	free(result.log);
	build_perf_free(&b);
}

static size_t lines_of(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Cut at every byte: an error in the header, else what is whole and a word. */
static void check_truncations(const struct perf_case *built)
{
	struct build_perf b = {0};
	size_t whole_lines = 0;

	perf_case_build(built, &b);
	bool is_pipe = built->build == build_pipe;
	uint64_t data = is_pipe ? 16 : le64(b.data + 40);
	uint64_t end = is_pipe ? b.size : data + le64(b.data + 48);
	for (size_t size = 0; size < b.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct read_result result;
		assert_non_null(copy);
		memcpy(copy, b.data, size);
		perf_read_bytes((struct bytes){copy, size}, &result);
		if (size < data) {
			assert_false(result.ok && !is_pipe);
		} else {
			assert_true(result.ok);
			assert_true(size >= end || is_pipe || result.report.perf.truncated);
			assert_true(result.report.perf.truncated_at <= size);
			assert_true(lines_of(result.log) >= whole_lines);
			whole_lines = lines_of(result.log);
		}
		free(result.log);
		free(copy);
	}
	build_perf_free(&b);
}

static void test_every_truncation(void **state)
{
	(void)state;
	for (size_t i = 0; i < PERF_CASES; i++)
		check_truncations(&perf_cases[i]);
}

/* Every byte changed, in several ways: whatever comes out, it is orderly. */
static void test_every_byte_corrupted(void **state)
{
	struct prng p = {9};

	(void)state;
	for (size_t i = 0; i < PERF_CASES; i++) {
		struct build_perf b = {0};
		perf_case_build(&perf_cases[i], &b);
		for (size_t at_byte = 0; at_byte < b.size; at_byte++)
			for (int j = 0; j < 4; j++) {
				struct read_result result;
				uint8_t old = b.data[at_byte];
				b.data[at_byte] = j == 0 ? 0 :
						  j == 1 ? 0xff :
							   (uint8_t)prng_next(&p);
				perf_read_built(&b, &result);
				if (!result.ok)
					assert_true(result.err.code == BC_FORMAT ||
						    result.err.code == BC_UNSUPPORTED);
				b.data[at_byte] = old;
				free(result.log);
			}
		build_perf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_cut_sample),
		cmocka_unit_test(test_other_kinds_of_files),
		cmocka_unit_test(test_unfinished_file),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_every_byte_corrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
