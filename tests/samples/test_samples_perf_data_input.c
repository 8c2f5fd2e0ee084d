/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a file comes from: from a file that can be sought, through a pipe, in several files. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_data/perf_records.h"
#include "tests/support/cmocka.h"
#include "tests/support/perf_cases.h"
#include "tests/support/perf_log.h"

/* Seekable, from after the beginning of the descriptor's file, in small parts. */
static void test_seekable_file(void **state)
{
	struct build_perf b = {0};
	struct read_result result;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	perf_case_build(&perf_cases[PERF_CASE_LBR], &b);
	fputs("before", file);
	fwrite(b.data, 1, b.size, file);
	fflush(file);
	for (size_t head = 0; head <= b.size; head += head < 150 ? 1 : 37) {
		struct file_stream stream = {.name = "x.data", .fd = fileno(file)};
		struct perf_data_input input = {.stream = &stream, .head = {b.data, head}};
		lseek(stream.fd, 6 + (off_t)head, SEEK_SET);
		perf_read_input(&input, &result);
		assert_true(result.ok);
		assert_string_equal(result.log, lbr_log);
		assert_string_equal(result.report.perf.info.arch, "x86_64");
		free(result.log);
	}
	fclose(file);
	build_perf_free(&b);
}

/* What came through a pipe: a file's first `size` bytes. */
static void read_piped(const struct build_perf *b, size_t size, struct read_result *out)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b->data, size), size);
	close(fds[1]);
	struct file_stream stream = {.name = "-", .fd = fds[0]};
	perf_read_input(&(struct perf_data_input){.stream = &stream}, out);
	close(fds[0]);
}

static bool refuse_ids(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)ctx;
	return event->kind != EVENT_BUILD_IDS || bc_fail(err, BC_MISMATCH, "too late");
}

static const char late_log[] =
	"EXEC 7\n"
	"MAP 7 401000+2000 @1000 x /bin/a\n"
	"SAMPLE 7 cycles:uH: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n"
	"SAMPLE 7 cycles:uH: 401015 0x401010/0x401100/M 0x401120/0x401000/P\n"
	"EXIT 7 7\n";

/* A file through a pipe, of which only the header is at hand: its features come after
 * its samples. */
static void test_file_through_a_pipe(void **state)
{
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_LBR], &b);
	read_piped(&b, b.size, &result);
	assert_true(result.ok);
	assert_memory_equal(result.log, late_log, strlen(late_log));
	assert_string_equal(result.log + strlen(late_log), "BUILD-ID /bin/a 20 01\n");
	assert_string_equal(result.report.perf.info.arch, "x86_64");
	assert_int_equal(result.report.perf.damaged_features, 0);
	free(result.log);
	build_perf_free(&b);
}

static void test_late_build_ids_can_be_refused(void **state)
{
	const struct event_sink sink = {NULL, refuse_ids};
	struct reader_report report = {0};
	struct build_perf b = {0};
	struct bc_error err;
	int fds[2];

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_LBR], &b);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b.data, b.size), b.size);
	close(fds[1]);
	struct file_stream stream = {.name = "-", .fd = fds[0]};
	assert_false(
		perf_data_read(&(struct perf_data_input){.stream = &stream}, &sink, &report, &err));
	assert_string_equal(err.text, "too late");
	close(fds[0]);
	build_perf_free(&b);
}

/* Cut after the data there is less to know; all samples are there. */
static void test_cut_features_of_a_pipe(void **state)
{
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_LBR], &b);
	uint64_t end = le64(b.data + 40) + le64(b.data + 48);
	for (size_t size = end; size < b.size; size++) {
		read_piped(&b, size, &result);
		assert_true(result.ok);
		assert_memory_equal(result.log, late_log, strlen(late_log));
		assert_true(result.report.perf.damaged_features);
		free(result.log);
	}
	build_perf_free(&b);
}

/* perf inject -b puts build-ids into the stream as records: what they say holds for the mappings
 * after them; one that cannot be read is counted, and costs nothing else. */
static void test_build_ids_in_the_stream(void **state)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct build_perf_file file = {.attrs = &lbr_attr, .attr_count = 1};
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	put_build_id(&file.records, "/bin/a", id);
	end_record(&file.records,
		   begin_record(&file.records, PERF_USER_BUILD_ID, PERF_RECORD_MISC_USER));
	put_process(&file.records, &lbr_attr, 10);
	build_pipe(&file, &b);
	perf_read_built(&b, &result);
	assert_true(result.ok);
	assert_string_equal(result.log, "EXEC 7\n"
					"MAP 7 401000+2000 @1000 x /bin/a "
					"0102030000000000000000000000000000000000\n");
	assert_int_equal(result.report.perf.damaged_features, 1);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

/* The times of the samples in a log, by the address that they are in. */
static void assert_times(const char *log, const uint64_t *times, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		log = strstr(log, "SAMPLE 7 cycles:u: ");
		assert_non_null(log);
		log += strlen("SAMPLE 7 cycles:u: ");
		assert_true(strtoull(log, NULL, 16) - 0x401000 == times[i]);
	}
	assert_null(strstr(log, "SAMPLE"));
}

/* perf record --threads: one header, records in several files. */
static void test_several_files(void **state)
{
	static const uint64_t times[] = {21, 22, 23, 24, 25, 26, 27, 28};
	struct build_perf_file file = {.attrs = &lbr_attr, .attr_count = 1};
	struct build_perf b = {0};
	struct read_result result;
	struct file_stream more[2];

	(void)state;
	add_event_names(&file);
	put_process(&file.records, &lbr_attr, 10);
	build_file(&file, &b);
	for (size_t i = 0; i < 2; i++) {
		struct build_perf part = {0};
		FILE *f = tmpfile();
		assert_non_null(f);
		for (uint64_t j = 0; j < 4; j++)
			put_at(&part, &lbr_attr, 21 + i + 2 * j);
		assert_int_equal(write(fileno(f), part.data, part.size), part.size);
		more[i] = (struct file_stream){.name = "data.N", .fd = dup(fileno(f))};
		lseek(more[i].fd, 0, SEEK_SET);
		fclose(f);
		build_perf_free(&part);
	}
	struct file_stream stream = {.name = "data", .fd = open("/dev/null", O_RDONLY)};
	perf_read_input(&(struct perf_data_input){.stream = &stream,
						  .head = build_perf_bytes(&b),
						  .more = more,
						  .more_count = 2},
			&result);
	assert_true(result.ok);
	assert_times(result.log, times, BC_COUNT(times));
	close(stream.fd);
	close(more[0].fd);
	close(more[1].fd);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

static bool refuse(void *ctx, const struct event *event, struct bc_error *err)
{
	unsigned *ends = ctx;

	*ends += event->kind == EVENT_END;
	return event->kind != EVENT_SAMPLE || bc_fail(err, BC_MISMATCH, "enough");
}

static void test_the_sink_can_stop_it(void **state)
{
	struct file_stream stream = {.name = "x.data", .fd = open("/dev/null", O_RDONLY)};
	unsigned ends = 0;
	const struct event_sink sink = {&ends, refuse};
	struct reader_report report = {0};
	struct bc_error err;
	struct build_perf b = {0};

	(void)state;
	perf_case_build(&perf_cases[PERF_CASE_NAMELESS], &b);
	struct perf_data_input input = {.stream = &stream, .head = build_perf_bytes(&b)};
	assert_false(perf_data_read(&input, &sink, &report, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_string_equal(err.text, "enough");
	assert_int_equal(ends, 1);
	close(stream.fd);
	build_perf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seekable_file),
		cmocka_unit_test(test_file_through_a_pipe),
		cmocka_unit_test(test_late_build_ids_can_be_refused),
		cmocka_unit_test(test_cut_features_of_a_pipe),
		cmocka_unit_test(test_build_ids_in_the_stream),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_the_sink_can_stop_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
