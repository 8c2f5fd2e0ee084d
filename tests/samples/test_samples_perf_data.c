/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which events the reader delivers of whole files, and in which order. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_data/perf_records.h"
#include "tests/support/cmocka.h"
#include "tests/support/perf_cases.h"
#include "tests/support/perf_log.h"

/* Build, read and compare with the expected lines. */
static void assert_reads(void (*fill)(struct build_perf_file *),
			 void (*build)(const struct build_perf_file *, struct build_perf *),
			 const char *log, struct perf_data_report *details)
{
	struct perf_case built = {"", fill, build};
	struct build_perf b = {0};
	struct read_result result;

	perf_case_build(&built, &b);
	perf_read_built(&b, &result);
	if (!result.ok)
		print_error("%s\n", result.err.text);
	assert_true(result.ok);
	assert_string_equal(result.log, log);
	if (details)
		*details = result.report.perf;
	free(result.log);
	build_perf_free(&b);
}

static void test_file_and_pipe(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_lbr, build_file, lbr_log, &details);
	assert_string_equal(details.info.arch, "x86_64");
	assert_false(details.pipe);
	assert_true(details.has_stacks);
	assert_int_equal(details.delivered, 2);
	assert_int_equal(details.records[PERF_RECORD_SAMPLE], 2);
	assert_false(details.truncated);
	assert_reads(case_lbr, build_pipe, lbr_log, &details);
	assert_true(details.pipe);
}

static void test_compressed(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_compressed, build_file, lbr_log, &details);
	assert_int_equal(details.info.mmap_size, 528384);
	assert_reads(case_compressed2, build_file, lbr_log, NULL);
	assert_reads(case_compressed2, build_pipe, lbr_log, NULL);
}

static void test_names_that_perf_makes_up(void **state)
{
	(void)state;
	assert_reads(case_nameless, build_file,
		     "SAMPLE 7 cycles:uH: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n", NULL);
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

static void test_rounds_put_records_in_order(void **state)
{
	static const uint64_t times[] = {30, 35, 40, 50, 51, 55, 60, 65, 70, 80};
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	perf_case_build(&(struct perf_case){"", case_rounds, build_file}, &b);
	perf_read_built(&b, &result);
	assert_true(result.ok);
	assert_int_equal(strncmp(result.log, "SAMPLE 7 cycles:u: 401014 ", 26), 0);
	const char *process = strstr(result.log, "EXEC 7\n");
	assert_non_null(process);
	assert_times(process, times, BC_COUNT(times));
	assert_int_equal(result.report.perf.late, 0);
	free(result.log);
	build_perf_free(&b);
}

/* What perf says in the end may be in the pipe; 4 KiB of it at most, and nothing may follow. */
static void test_a_message_at_the_end_of_a_pipe(void **state)
{
	static const struct {
		size_t zeros;
		bool truncated;
	} rows[] = {{0, false}, {3000, false}, {5000, true}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		static const char said[] = "[ perf record: Woken up 1 times to write data ]\n";
		struct build_perf b = {0};
		struct read_result result;
		perf_case_build(&(struct perf_case){"", case_lbr, build_pipe}, &b);
		put_bytes(&b, said, sizeof(said) - 1);
		put_zeros(&b, rows[i].zeros);
		perf_read_built(&b, &result);
		assert_true(result.ok);
		assert_string_equal(result.log, lbr_log);
		assert_int_equal(result.report.perf.truncated, rows[i].truncated);
		assert_int_equal(result.report.perf.unknown_records, 0);
		free(result.log);
		build_perf_free(&b);
	}
}

static void test_several_layouts(void **state)
{
	static const char log[] =
		"MAP 7 401000+2000 @1000 x /bin/a\n"
		"SAMPLE 7 instructions: 401014\n"
		"SAMPLE 7 cycles: 401015 0x401010/0x401100/M 0x401120/0x401000/P\n"
		"SAMPLE 7 instructions: 401016\n"
		"SAMPLE 7 cycles: 401017 0x401010/0x401100/M 0x401120/0x401000/P\n"
		"SAMPLE 7 instructions: 401018\n"
		"SAMPLE 7 cycles: 401019 0x401010/0x401100/M 0x401120/0x401000/P\n"
		"SAMPLE 7 instructions: 40101a\n"
		"SAMPLE 7 cycles: 40101b 0x401010/0x401100/M 0x401120/0x401000/P\n";

	(void)state;
	assert_reads(case_mixed, build_file, log, NULL);
	assert_reads(case_mixed, build_pipe, log, NULL);
}

/* An id that no event has. */
static void case_unknown_id(struct build_perf_file *file)
{
	struct build_sample sample = sample_at(20);

	case_mixed(file);
	build_perf_free(&file->records);
	sample.id = 300;
	put_sample(&file->records, &mixed_attrs[0], &sample);
}

static void test_unknown_event(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_unknown_id, build_file, "", &details);
	assert_int_equal(details.of_unknown_events, 1);
	assert_int_equal(details.delivered, 0);
}

/* Two layouts and nothing to distinguish them. */
static void test_layouts_without_ids(void **state)
{
	struct build_attr attrs[] = {mixed_attrs[0], mixed_attrs[1]};
	struct build_perf_file file = {.attrs = attrs, .attr_count = 2};
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	put_at(&file.records, &attrs[0], 5);
	build_file(&file, &b);
	perf_read_built(&b, &result);
	assert_false(result.ok);
	assert_int_equal(result.err.code, BC_UNSUPPORTED);
	assert_non_null(strstr(result.err.text, "x.data: "));
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

static void test_fork_exec_exit(void **state)
{
	(void)state;
	assert_reads(case_processes, build_file,
		     "EXEC 7\n"
		     "MAP 7 401000+2000 @1000 x /bin/a\n"
		     "SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n"
		     "FORK 7 9\n"
		     "EXEC 9\n"
		     "MAP 9 55d000+1000 @0 x /bin/c (deleted)\n"
		     "SAMPLE 9 cycles:u: 40101e 0x401010/0x401100/M 0x401120/0x401000/P\n"
		     "EXIT 9 9\n"
		     "EXIT 7 7\n",
		     NULL);
}

/* Records that are no process events and no samples. */
static void case_others(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	add_event_names(file);
	static const uint32_t types[] = {5, 6, 12, 14, 17, 18, 22, 60, 63, 69, 73, 82, 90, 200};
	for (size_t i = 0; i < BC_COUNT(types); i++) {
		size_t begin = begin_record(b, types[i], 0xffff);
		put_zeros(b, 8 * i);
		end_record(b, begin);
	}
	size_t begin = begin_record(b, PERF_RECORD_LOST, 0);
	put_u64(b, 1);
	put_u64(b, 40);
	end_record(b, begin);
	begin = begin_record(b, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(b, 2);
	end_record(b, begin);
	begin = begin_record(b, PERF_RECORD_AUX, 0);
	put_zeros(b, 24);
	end_record(b, begin);
	begin = begin_record(b, PERF_USER_AUXTRACE, 0);
	put_u64(b, 600000);
	put_zeros(b, 40);
	end_record(b, begin);
	put_zeros(b, 600000);
	begin = begin_record(b, PERF_USER_TRACING_DATA, 0);
	put_u64(b, 13);
	end_record(b, begin);
	put_zeros(b, 16);
	/* simpleperf's, with a size of 32 bits */
	begin = begin_record(b, PERF_SIMPLEPERF_TYPES + 2, 2);
	put_zeros(b, 0x20000 + 0x100);
	set_u16(b, begin + 6, 0x108);
	put_at(b, &lbr_attr, 20);
}

static void test_other_records_are_counted(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_others, build_file,
		     "SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n",
		     &details);
	assert_int_equal(details.lost_events, 40);
	assert_int_equal(details.lost_samples, 2);
	assert_int_equal(details.trace_records, 2);
	assert_int_equal(details.trace.kind, 0);
	assert_int_equal(details.other_records, 2);
	assert_int_equal(details.records[60], 1);
	/* 60, 63, 90 and 200; the others are known and mean nothing here. */
	assert_int_equal(details.unknown_records, 4);
	assert_int_equal(details.unknown_type, 60);
	assert_int_equal(details.unknown_at, 104 + 144 + 7 * 8 + 8 * (0 + 1 + 2 + 3 + 4 + 5 + 6));
	assert_int_equal(details.skipped_bytes, 600000 + 16 + 0x20000 + 0x100);
}

/* The kind of the first AUXTRACE_INFO that has one. */
static uint32_t info_kinds[2];

static void case_traces(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	add_event_names(file);
	size_t begin = begin_record(b, PERF_USER_AUXTRACE_INFO, 0);
	end_record(b, begin);
	for (size_t i = 0; i < BC_COUNT(info_kinds); i++) {
		begin = begin_record(b, PERF_USER_AUXTRACE_INFO, 0);
		put_u64(b, info_kinds[i]);
		end_record(b, begin);
	}
	put_at(b, &lbr_attr, 20);
}

static void test_kinds_of_traces(void **state)
{
	static const struct {
		uint32_t kind;
		const char *word, *itrace;
	} kinds[] = {{PERF_TRACE_INTEL_PT, "Intel PT", "i10usl"},
		     {PERF_TRACE_ARM_ETM, "Arm ETM", "i10usl"},
		     {PERF_TRACE_ARM_SPE, "Arm SPE", NULL}, /* it is read here */
		     {6, "of another kind", "i10usl"}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(kinds); i++) {
		struct perf_data_report details;
		info_kinds[0] = kinds[i].kind;
		info_kinds[1] = PERF_TRACE_ARM_ETM;
		assert_reads(case_traces, build_file,
			     "SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n",
			     &details);
		assert_int_equal(details.trace.kind, kinds[i].kind);
		assert_string_equal(perf_trace_name(&details.trace), kinds[i].word);
		assert_false(details.trace.found);
		assert_null(perf_trace_itrace(&details.trace)); /* there is none */
		details.trace.found = true;
		details.trace.decoded = true; /* somebody took what it says */
		assert_null(perf_trace_itrace(&details.trace));
		details.trace.decoded = false;
		const char *itrace = perf_trace_itrace(&details.trace);
		assert_true(!itrace == !kinds[i].itrace);
		if (itrace)
			assert_string_equal(itrace, kinds[i].itrace);
	}
}

static void case_guests(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	add_event_names(file);
	struct build_sample sample = sample_at(20);
	size_t begin = begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_USER);
	put_sample_body(b, &lbr_attr, &sample);
	end_record(b, begin);
	begin = b->size;
	sample.pid = NO_PID;
	put_mmap2(b, &lbr_attr, &sample, 0, 1, 0, "[kernel.kallsyms]_text");
}

static void test_guests_and_the_kernel(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_guests, build_file, "MAP 4294967295 0+1 @0 x [kernel.kallsyms]_text\n",
		     &details);
	assert_int_equal(details.of_guests, 1);
	assert_int_equal(details.delivered, 0);
}

static uint64_t branches_of_case;

static void case_kinds_of_branches(struct build_perf_file *file)
{
	static struct build_attr attr;

	attr = lbr_attr;
	attr.branch_sample_type = branches_of_case;
	file->attrs = &attr;
	file->attr_count = 1;
}

/* perf inject --itrace leaves all kinds out, and writes all branches. */
static void test_stacks_that_leave_branches_out(void **state)
{
	static const struct {
		uint64_t branches;
		bool partial;
	} rows[] = {
		{PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK, true},
		{PERF_SAMPLE_BRANCH_ANY_CALL, true},
		{PERF_SAMPLE_BRANCH_ANY_RETURN, true},
		{PERF_SAMPLE_BRANCH_IND_CALL, true},
		{PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP, true},
		{PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_TYPE_SAVE, true},
		{PERF_SAMPLE_BRANCH_IN_TX, true},
		{PERF_SAMPLE_BRANCH_NO_TX, true},
		{PERF_SAMPLE_BRANCH_ABORT_TX, true},
		{PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL, false},
		{PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, false},
		{0, false},
		{UINT64_C(1) << 17, false}, /* HW_INDEX */
		{PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV,
		 false},
		{PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES |
			 PERF_SAMPLE_BRANCH_TYPE_SAVE,
		 false},
		{UINT64_C(1) << 18 | UINT64_C(1) << 19, false}, /* PRIV_SAVE, COUNTERS */
	};
	struct perf_data_report details;

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		branches_of_case = rows[i].branches;
		assert_reads(case_kinds_of_branches, build_file, "", &details);
		assert_true(details.has_stacks);
		assert_int_equal(details.has_partial_stacks, rows[i].partial);
		assert_reads(case_kinds_of_branches, build_pipe, "", &details);
		assert_int_equal(details.has_partial_stacks, rows[i].partial);
	}
}

static void case_timeless(struct build_perf_file *file)
{
	static struct build_attr attr;

	attr = lbr_attr;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	file->attrs = &attr;
	file->attr_count = 1;
	put_at(&file->records, &attr, 3);
	put_process(&file->records, &attr, 1);
	put_at(&file->records, &attr, 2);
}

static void test_without_times_order_is_the_files(void **state)
{
	(void)state;
	assert_reads(case_timeless, build_file,
		     "SAMPLE 7 cycles:uH: 401003 0x401010/0x401100/M 0x401120/0x401000/P\n"
		     "EXEC 7\n"
		     "MAP 7 401000+2000 @1000 x /bin/a\n"
		     "SAMPLE 7 cycles:uH: 401002 0x401010/0x401100/M 0x401120/0x401000/P\n",
		     NULL);
}

/* More records than may wait, with one at the end that is older than all. */
static void test_late_samples_of_a_file_without_rounds(void **state)
{
	struct build_perf_file file = {.attrs = &lbr_attr, .attr_count = 1};
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	put_process(&file.records, &lbr_attr, 10);
	for (uint64_t i = 0; i < 200000; i++)
		put_at(&file.records, &lbr_attr, 1000 + i);
	put_at(&file.records, &lbr_attr, 5);
	put_at(&file.records, &lbr_attr, 11);
	build_file(&file, &b);
	perf_read_built(&b, &result);
	assert_true(result.ok);
	assert_int_equal(result.report.perf.late, 1); /* the mapping came after it */
	assert_int_equal(result.report.perf.delivered, 200001);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_and_pipe),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_names_that_perf_makes_up),
		cmocka_unit_test(test_rounds_put_records_in_order),
		cmocka_unit_test(test_a_message_at_the_end_of_a_pipe),
		cmocka_unit_test(test_several_layouts),
		cmocka_unit_test(test_unknown_event),
		cmocka_unit_test(test_layouts_without_ids),
		cmocka_unit_test(test_fork_exec_exit),
		cmocka_unit_test(test_other_records_are_counted),
		cmocka_unit_test(test_kinds_of_traces),
		cmocka_unit_test(test_guests_and_the_kernel),
		cmocka_unit_test(test_stacks_that_leave_branches_out),
		cmocka_unit_test(test_without_times_order_is_the_files),
		cmocka_unit_test(test_late_samples_of_a_file_without_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
