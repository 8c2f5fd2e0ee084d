/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whole files.  With arguments this program is a tool for
 * tests/peer/perf_data_vs_perf.sh:
 *
 *   --cases          names of the files that it can build
 *   --build CASE     writes one of them to stdout
 *   --dump FILE...   prints what the reader delivers (FILE data.0 ... of a folder)
 */
#include "tests/support/cmocka.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/event/perf_data/perf_data.h"
#include "src/event/perf_data/record.h"
#include "tests/support/build_perf.h"
#include "tests/support/prng.h"

/* A sink that writes one line per call. */

static void log_map(FILE *log, const struct map_event *e)
{
	fprintf(log, "MAP %" PRIu32 " %" PRIx64 "+%" PRIx64 " @%" PRIx64 " %c %.*s", e->pid,
		e->start.v, e->size, e->offset.v, e->executable ? 'x' : '-', (int)e->path.len,
		e->path.at);
	for (size_t i = 0; i < e->build_id.size; i++)
		fprintf(log, "%s%02x", i ? "" : " ", e->build_id.data[i]);
	fputc('\n', log);
}

static char verdict(uint64_t flags)
{
	return flags & 1 ? 'M' : flags & 2 ? 'P' : '-';
}

static void log_sample(FILE *log, const struct sample *s)
{
	fprintf(log, "SAMPLE %" PRIu32 " %.*s %" PRIx64, s->pid, (int)s->event.len, s->event.at,
		s->ip.v);
	for (size_t i = 0; i < s->branch_count; i++)
		fprintf(log, " 0x%" PRIx64 "/0x%" PRIx64 "/%c", s->branches[i].from,
			s->branches[i].to, verdict(s->branches[i].flags));
	fputc('\n', log);
}

static void log_build_ids(FILE *log, const struct event *e)
{
	for (size_t i = 0; i < e->build_ids.count; i++) {
		const struct file_id *file = &e->build_ids.at[i];
		fprintf(log, "BUILD-ID %.*s %zu %02x\n", (int)file->path.len, file->path.at,
			(size_t)file->id->size, file->id->data[0]);
	}
}

static bool log_event(void *ctx, const struct event *e, struct bc_error *err)
{
	(void)err;
	switch (e->kind) {
	case EVENT_MAP: log_map(ctx, e->map); break;
	case EVENT_EXEC: fprintf(ctx, "EXEC %" PRIu32 "\n", e->task.pid); break;
	case EVENT_FORK: fprintf(ctx, "FORK %" PRIu32 " %" PRIu32 "\n", e->task.parent, e->task.pid); break;
	case EVENT_EXIT: fprintf(ctx, "EXIT %" PRIu32 " %" PRIu32 "\n", e->task.pid, e->task.tid); break;
	case EVENT_SAMPLE: log_sample(ctx, e->sample); break;
	case EVENT_BUILD_IDS: log_build_ids(ctx, e); break;
	case EVENT_BEGIN: assert_true(e->recording); break;
	case EVENT_CONTINUES: fprintf(ctx, "CONTINUES\n"); break;
	case EVENT_END: break;
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME: fail_msg("perf.data has nothing that was aggregated");
	}
	return true;
}

/* What reading gave. */
struct result {
	bool ok;
	char *log; /* to be freed */
	struct bc_error err;
	struct reader_report report;
};

static void read_input(const struct perf_data_input *input, struct result *out)
{
	size_t size;
	FILE *log = open_memstream(&out->log, &size);

	assert_non_null(log);
	const struct event_sink sink = {log, log_event};
	out->report = (struct reader_report){0};
	out->ok = perf_data_read(input, &sink, &out->report, &out->err);
	fclose(log);
}

/* All bytes were read from the stream already, and it is no file. */
static void read_bytes(struct bytes bytes, struct result *out)
{
	struct file_stream stream = {.name = "x.data", .fd = open("/dev/null", O_RDONLY)};
	struct perf_data_input input = {.stream = &stream, .head = bytes};

	read_input(&input, out);
	close(stream.fd);
}

static void read_built(const struct build_perf *b, struct result *out)
{
	read_bytes(build_perf_bytes(b), out);
}

/* Files */

static const struct branch two_branches[] = {{0x401010, 0x401100, 1}, {0x401120, 0x401000, 2}};

static const struct build_attr lbr = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
		       PERF_SAMPLE_BRANCH_STACK,
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	.flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV |
		 PERF_ATTR_EXCLUDE_GUEST,
	.name = "cycles:u",
};

static struct build_sample at(uint64_t time)
{
	return (struct build_sample){.pid = 7, .tid = 7, .time = time, .ip = 0x401000 + time,
				     .period = 1, .branches = two_branches, .branch_count = 2};
}

static void put_at(struct build_perf *b, const struct build_attr *attr, uint64_t time)
{
	struct build_sample sample = at(time);

	put_sample(b, attr, &sample);
}

static void put_process(struct build_perf *b, const struct build_attr *attr, uint64_t time)
{
	struct build_sample id = at(time);

	put_comm(b, attr, &id, true, "a");
	put_mmap2(b, attr, &id, 0x401000, 0x2000, 0x1000, "/bin/a");
}

static void case_lbr(struct build_perf_file *file)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct build_sample exit_id = at(30);

	file->attrs = &lbr;
	file->attr_count = 1;
	put_process(&file->records, &lbr, 10);
	put_at(&file->records, &lbr, 20);
	put_at(&file->records, &lbr, 21);
	put_task(&file->records, &lbr, &exit_id, PERF_RECORD_EXIT, 1);
	put_build_id(add_feature(file, PERF_FEATURE_BUILD_ID), "/bin/a", id);
	put_long_string(add_feature(file, PERF_FEATURE_ARCH), "x86_64");
	add_event_names(file);
}

static const char lbr_log[] =
	"EXEC 7\n"
	"MAP 7 401000+2000 @1000 x /bin/a 0102030000000000000000000000000000000000\n"
	"SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n"
	"SAMPLE 7 cycles:u: 401015 0x401010/0x401100/M 0x401120/0x401000/P\n"
	"EXIT 7 7\n";

/* Nothing says what the event is called: perf makes the name up. */
static void case_nameless(struct build_perf_file *file)
{
	file->attrs = &lbr;
	file->attr_count = 1;
	put_at(&file->records, &lbr, 20);
}

/* The oldest records come last, within what rounds allow. */
static void case_rounds(struct build_perf_file *file)
{
	static const uint64_t times[] = {30, 50, 20, 40, 0, 60, 35, 55, 0, 70, 51, 0, 65, 80};

	file->attrs = &lbr;
	file->attr_count = 1;
	put_process(&file->records, &lbr, 25);
	for (size_t i = 0; i < BC_COUNT(times); i++)
		if (times[i])
			put_at(&file->records, &lbr, times[i]);
		else
			put_round(&file->records);
	add_event_names(file);
}

/* Two events whose samples differ, told apart by what stands first in them. */
static const struct build_attr mixed[] = {
	{
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
		.name = "instructions",
		.ids = {101, 102},
		.id_count = 2,
	},
	{
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
		.name = "cycles",
		.ids = {201, 202},
		.id_count = 2,
	},
};

static void case_mixed(struct build_perf_file *file)
{
	file->attrs = mixed;
	file->attr_count = 2;
	struct build_sample id = at(10);
	id.id = 101;
	put_mmap2(&file->records, &mixed[0], &id, 0x401000, 0x2000, 0x1000, "/bin/a");
	for (size_t i = 0; i < 8; i++) {
		struct build_sample sample = at(20 + i);
		sample.id = mixed[i % 2].ids[i / 2 % 2];
		put_sample(&file->records, &mixed[i % 2], &sample);
	}
	add_event_names(file);
}

/* Every field before and behind the stack. */
static const struct build_attr wide = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_type = (UINT64_C(1) << 25) - 1 -
		       (PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_READ),
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
	.regs_user = 0xff,
	.regs_intr = 0xffff,
	.flags = PERF_ATTR_SAMPLE_ID_ALL,
	.name = "cycles",
	.ids = {5},
	.id_count = 1,
};

static void case_wide(struct build_perf_file *file)
{
	file->attrs = &wide;
	file->attr_count = 1;
	for (uint64_t i = 0; i < 6; i++) {
		struct build_sample sample = at(20 + i);
		sample.id = 5;
		sample.callchain_count = i;
		sample.raw_size = 4 + 8 * (uint32_t)i;
		sample.stack_size = 8 * i;
		sample.no_user_regs = i % 2;
		sample.branch_count = i % 3;
		put_sample(&file->records, &wide, &sample);
	}
	add_event_names(file);
}

static void case_processes(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;
	struct build_sample child = at(30), later = at(50);

	file->attrs = &lbr;
	file->attr_count = 1;
	put_process(b, &lbr, 10);
	put_at(b, &lbr, 20);
	child.pid = child.tid = 9;
	put_task(b, &lbr, &child, PERF_RECORD_FORK, 7);
	child.time = 31;
	put_comm(b, &lbr, &child, false, "b");
	child.time = 40;
	put_comm(b, &lbr, &child, true, "c");
	put_mmap2(b, &lbr, &child, 0x55d000, 0x1000, 0, "/bin/c (deleted)");
	put_sample(b, &lbr, &child);
	child.time = 45;
	put_task(b, &lbr, &child, PERF_RECORD_EXIT, 7);
	put_task(b, &lbr, &later, PERF_RECORD_EXIT, 1);
	add_event_names(file);
}

static void compress(struct build_perf_file *file, bool second_form)
{
	struct build_perf plain = {0}, packed = {0};

	case_lbr(file);
	plain = file->records;
	/* In two frames, with a record across the border. */
	size_t half = plain.size / 2 + 3;
	put_compressed(&packed, bytes_first(build_perf_bytes(&plain), half), second_form);
	put_compressed(&packed, bytes_from(build_perf_bytes(&plain), half), second_form);
	file->records = packed;
	build_perf_free(&plain);
}

/* perf needs to know how large the pieces are: bit 27 comes behind the others. */
static void case_compressed(struct build_perf_file *file)
{
	compress(file, false);
	struct build_perf *b = add_feature(file, PERF_FEATURE_COMPRESSED);
	put_u32(b, 1);
	put_u32(b, 1);
	put_u32(b, 1);
	put_u32(b, 3);
	put_u32(b, 528384);
}

static const struct built_case {
	const char *name;
	void (*fill)(struct build_perf_file *file);
	void (*build)(const struct build_perf_file *file, struct build_perf *out);
} cases[] = {
	{"lbr", case_lbr, build_file},
	{"lbr-pipe", case_lbr, build_pipe},
	{"nameless", case_nameless, build_file},
	{"rounds", case_rounds, build_file},
	{"mixed", case_mixed, build_file},
	{"mixed-pipe", case_mixed, build_pipe},
	{"wide", case_wide, build_file},
	{"processes", case_processes, build_file},
	{"compressed", case_compressed, build_file},
};

static void build_case(const struct built_case *built, struct build_perf *out)
{
	struct build_perf_file file = {0};

	built->fill(&file);
	built->build(&file, out);
	build_perf_file_free(&file);
}

/* Build, read and compare with the expected lines. */
static void assert_reads(void (*fill)(struct build_perf_file *),
			 void (*build)(const struct build_perf_file *, struct build_perf *),
			 const char *log, struct perf_data_report *details)
{
	struct built_case built = {"", fill, build};
	struct build_perf b = {0};
	struct result result;

	build_case(&built, &b);
	read_built(&b, &result);
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

static void case_compressed2(struct build_perf_file *file)
{
	compress(file, true);
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

/* The times of the samples in a log, by the address that they stand in. */
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
	struct result result;

	(void)state;
	build_case(&(struct built_case){"", case_rounds, build_file}, &b);
	read_built(&b, &result);
	assert_true(result.ok);
	assert_int_equal(strncmp(result.log, "SAMPLE 7 cycles:u: 401014 ", 26), 0);
	const char *process = strstr(result.log, "EXEC 7\n");
	assert_non_null(process);
	assert_times(process, times, BC_COUNT(times));
	assert_int_equal(result.report.perf.late, 0);
	free(result.log);
	build_perf_free(&b);
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
	struct build_sample sample = at(20);

	case_mixed(file);
	build_perf_free(&file->records);
	sample.id = 300;
	put_sample(&file->records, &mixed[0], &sample);
}

static void test_unknown_event(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_unknown_id, build_file, "", &details);
	assert_int_equal(details.of_unknown_events, 1);
	assert_int_equal(details.delivered, 0);
}

/* Two layouts and nothing to tell them apart. */
static void test_layouts_without_ids(void **state)
{
	struct build_attr attrs[] = {mixed[0], mixed[1]};
	struct build_perf_file file = {.attrs = attrs, .attr_count = 2};
	struct build_perf b = {0};
	struct result result;

	(void)state;
	attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	put_at(&file.records, &attrs[0], 5);
	build_file(&file, &b);
	read_built(&b, &result);
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

	file->attrs = &lbr;
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
	put_at(b, &lbr, 20);
}

static void test_other_records_are_counted(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_others, build_file,
		     "SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n", &details);
	assert_int_equal(details.lost_events, 40);
	assert_int_equal(details.lost_samples, 2);
	assert_int_equal(details.trace_records, 2);
	assert_int_equal(details.other_records, 2);
	assert_int_equal(details.records[60], 1);
	/* 60, 63, 90 and 200; the others are known and mean nothing here. */
	assert_int_equal(details.unknown_records, 4);
	assert_int_equal(details.unknown_type, 60);
	assert_int_equal(details.unknown_at, 104 + 144 + 7 * 8 + 8 * (0 + 1 + 2 + 3 + 4 + 5 + 6));
	assert_int_equal(details.skipped_bytes, 600000 + 16 + 0x20000 + 0x100);
}

static void case_guests(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;

	file->attrs = &lbr;
	file->attr_count = 1;
	add_event_names(file);
	struct build_sample sample = at(20);
	size_t begin = begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_USER);
	put_sample_body(b, &lbr, &sample);
	end_record(b, begin);
	begin = b->size;
	sample.pid = NO_PID;
	put_mmap2(b, &lbr, &sample, 0, 1, 0, "[kernel.kallsyms]_text");
}

static void test_guests_and_the_kernel(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_guests, build_file, "", &details);
	assert_int_equal(details.of_guests, 1);
	assert_int_equal(details.delivered, 0);
}

/* --call-graph lbr: what is in the stack are calls that have not returned. */
static void case_call_stacks(struct build_perf_file *file)
{
	static struct build_attr attr;

	attr = lbr;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	file->attrs = &attr;
	file->attr_count = 1;
}

static void test_stacks_that_leave_branches_out(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_reads(case_call_stacks, build_file, "", &details);
	assert_true(details.has_stacks && details.has_partial_stacks);
	assert_reads(case_lbr, build_file, lbr_log, &details);
	assert_true(details.has_stacks && !details.has_partial_stacks);
}

static void case_timeless(struct build_perf_file *file)
{
	static struct build_attr attr;

	attr = lbr;
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
	struct build_perf_file file = {.attrs = &lbr, .attr_count = 1};
	struct build_perf b = {0};
	struct result result;

	(void)state;
	put_process(&file.records, &lbr, 10);
	for (uint64_t i = 0; i < 200000; i++)
		put_at(&file.records, &lbr, 1000 + i);
	put_at(&file.records, &lbr, 5);
	put_at(&file.records, &lbr, 11);
	build_file(&file, &b);
	read_built(&b, &result);
	assert_true(result.ok);
	assert_int_equal(result.report.perf.late, 1); /* the mapping came after it */
	assert_int_equal(result.report.perf.delivered, 200001);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

/* Seekable, from behind the beginning of the descriptor's file, in small parts. */
static void test_seekable_file(void **state)
{
	struct build_perf b = {0};
	struct result result;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	build_case(&cases[0], &b);
	fputs("before", file);
	fwrite(b.data, 1, b.size, file);
	fflush(file);
	for (size_t head = 0; head <= b.size; head += head < 150 ? 1 : 37) {
		struct file_stream stream = {.name = "x.data", .fd = fileno(file)};
		struct perf_data_input input = {.stream = &stream, .head = {b.data, head}};
		lseek(stream.fd, 6 + (off_t)head, SEEK_SET);
		read_input(&input, &result);
		assert_true(result.ok);
		assert_string_equal(result.log, lbr_log);
		assert_string_equal(result.report.perf.info.arch, "x86_64");
		free(result.log);
	}
	fclose(file);
	build_perf_free(&b);
}

/* What came through a pipe: a file's first `size` bytes. */
static void read_piped(const struct build_perf *b, size_t size, struct result *out)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b->data, size), size);
	close(fds[1]);
	struct file_stream stream = {.name = "-", .fd = fds[0]};
	read_input(&(struct perf_data_input){.stream = &stream}, out);
	close(fds[0]);
}

static bool refuse_ids(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)ctx;
	return event->kind != EVENT_BUILD_IDS || bc_fail(err, BC_MISMATCH, "too late");
}

static const char late_log[] = "EXEC 7\n"
			       "MAP 7 401000+2000 @1000 x /bin/a\n"
			       "SAMPLE 7 cycles:uH: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n"
			       "SAMPLE 7 cycles:uH: 401015 0x401010/0x401100/M 0x401120/0x401000/P\n"
			       "EXIT 7 7\n";

/* A file through a pipe, of which only the header is at hand: its features come behind
 * its samples. */
static void test_file_through_a_pipe(void **state)
{
	struct build_perf b = {0};
	struct result result;

	(void)state;
	build_case(&cases[0], &b);
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
	build_case(&cases[0], &b);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b.data, b.size), b.size);
	close(fds[1]);
	struct file_stream stream = {.name = "-", .fd = fds[0]};
	assert_false(perf_data_read(&(struct perf_data_input){.stream = &stream}, &sink, &report, &err));
	assert_string_equal(err.text, "too late");
	close(fds[0]);
	build_perf_free(&b);
}

/* Cut behind the data there is less to know; all samples are there. */
static void test_cut_features_of_a_pipe(void **state)
{
	struct build_perf b = {0};
	struct result result;

	(void)state;
	build_case(&cases[0], &b);
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
 * behind them; one that cannot be read is counted, and costs nothing else. */
static void test_build_ids_in_the_stream(void **state)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct build_perf_file file = {.attrs = &lbr, .attr_count = 1};
	struct build_perf b = {0};
	struct result result;

	(void)state;
	put_build_id(&file.records, "/bin/a", id);
	end_record(&file.records,
		   begin_record(&file.records, PERF_USER_BUILD_ID, PERF_RECORD_MISC_USER));
	put_process(&file.records, &lbr, 10);
	build_pipe(&file, &b);
	read_built(&b, &result);
	assert_true(result.ok);
	assert_string_equal(result.log, "EXEC 7\n"
					"MAP 7 401000+2000 @1000 x /bin/a "
					"0102030000000000000000000000000000000000\n");
	assert_int_equal(result.report.perf.damaged_features, 1);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

/* perf record --threads: one header, records in several files. */
static void test_several_files(void **state)
{
	static const uint64_t times[] = {21, 22, 23, 24, 25, 26, 27, 28};
	struct build_perf_file file = {.attrs = &lbr, .attr_count = 1};
	struct build_perf b = {0};
	struct result result;
	struct file_stream more[2];

	(void)state;
	add_event_names(&file);
	put_process(&file.records, &lbr, 10);
	build_file(&file, &b);
	for (size_t i = 0; i < 2; i++) {
		struct build_perf part = {0};
		FILE *f = tmpfile();
		assert_non_null(f);
		for (uint64_t j = 0; j < 4; j++)
			put_at(&part, &lbr, 21 + i + 2 * j);
		assert_int_equal(write(fileno(f), part.data, part.size), part.size);
		more[i] = (struct file_stream){.name = "data.N", .fd = dup(fileno(f))};
		lseek(more[i].fd, 0, SEEK_SET);
		fclose(f);
		build_perf_free(&part);
	}
	struct file_stream stream = {.name = "data", .fd = open("/dev/null", O_RDONLY)};
	read_input(&(struct perf_data_input){.stream = &stream, .head = build_perf_bytes(&b),
					     .more = more, .more_count = 2}, &result);
	assert_true(result.ok);
	assert_times(result.log, times, BC_COUNT(times));
	close(stream.fd);
	close(more[0].fd);
	close(more[1].fd);
	free(result.log);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

static void assert_fails(const struct build_perf *b, enum bc_code code, const char *text)
{
	struct result result;

	read_built(b, &result);
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
	build_case(&cases[0], &b);
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
	struct result result;
	read_built(&b, &result);
	assert_false(result.ok);
	free(result.log);
	build_perf_free(&b);
}

static void test_cut_sample(void **state)
{
	struct build_perf_file file = {.attrs = &lbr, .attr_count = 1};
	struct build_perf b = {0};
	char text[100];

	(void)state;
	put_at(&file.records, &lbr, 20);
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
		struct result result;
		read_bytes((struct bytes){(const uint8_t *)files[i].bytes, files[i].size}, &result);
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
	struct result result;

	(void)state;
	build_case(&cases[2], &b);
	set_u64(&b, 48, 0);
	read_built(&b, &result);
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
static void check_truncations(const struct built_case *built)
{
	struct build_perf b = {0};
	size_t whole_lines = 0;

	build_case(built, &b);
	bool is_pipe = built->build == build_pipe;
	uint64_t data = is_pipe ? 16 : le64(b.data + 40);
	uint64_t end = is_pipe ? b.size : data + le64(b.data + 48);
	for (size_t size = 0; size < b.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct result result;
		assert_non_null(copy);
		memcpy(copy, b.data, size);
		read_bytes((struct bytes){copy, size}, &result);
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
	for (size_t i = 0; i < BC_COUNT(cases); i++)
		check_truncations(&cases[i]);
}

/* Every byte changed, in several ways: whatever comes out, it is orderly. */
static void test_every_byte_corrupted(void **state)
{
	struct prng p = {9};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct build_perf b = {0};
		build_case(&cases[i], &b);
		for (size_t at_byte = 0; at_byte < b.size; at_byte++)
			for (int j = 0; j < 4; j++) {
				struct result result;
				uint8_t old = b.data[at_byte];
				b.data[at_byte] = j == 0   ? 0
						  : j == 1 ? 0xff
							   : (uint8_t)prng_next(&p);
				read_built(&b, &result);
				if (!result.ok)
					assert_true(result.err.code == BC_FORMAT ||
						    result.err.code == BC_UNSUPPORTED);
				b.data[at_byte] = old;
				free(result.log);
			}
		build_perf_free(&b);
	}
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
	build_case(&cases[2], &b);
	struct perf_data_input input = {.stream = &stream, .head = build_perf_bytes(&b)};
	assert_false(perf_data_read(&input, &sink, &report, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_string_equal(err.text, "enough");
	assert_int_equal(ends, 1);
	close(stream.fd);
	build_perf_free(&b);
}

/* The tool */

static int print_cases(void)
{
	for (size_t i = 0; i < BC_COUNT(cases); i++)
		puts(cases[i].name);
	return 0;
}

static int write_case(const char *name)
{
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		if (strcmp(cases[i].name, name))
			continue;
		struct build_perf b = {0};
		build_case(&cases[i], &b);
		bool ok = fwrite(b.data, 1, b.size, stdout) == b.size;
		build_perf_free(&b);
		return !ok;
	}
	fprintf(stderr, "no case %s\n", name);
	return 2;
}

static int dump(char **paths, int count)
{
	struct file_stream streams[64];
	const struct event_sink sink = {stdout, log_event};
	struct reader_report report = {0};
	struct bc_error err;

	for (int i = 0; i < count; i++)
		if (i == 64 || !stream_open(paths[i], &streams[i], &err))
			return 2;
	struct perf_data_input input = {.stream = streams, .more = streams + 1, .more_count = (size_t)count - 1};
	bool ok = perf_data_read(&input, &sink, &report, &err);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	for (int i = 0; i < count; i++)
		stream_close(&streams[i]);
	return !ok;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_and_pipe),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_names_that_perf_makes_up),
		cmocka_unit_test(test_rounds_put_records_in_order),
		cmocka_unit_test(test_several_layouts),
		cmocka_unit_test(test_unknown_event),
		cmocka_unit_test(test_layouts_without_ids),
		cmocka_unit_test(test_fork_exec_exit),
		cmocka_unit_test(test_other_records_are_counted),
		cmocka_unit_test(test_guests_and_the_kernel),
		cmocka_unit_test(test_stacks_that_leave_branches_out),
		cmocka_unit_test(test_without_times_order_is_the_files),
		cmocka_unit_test(test_late_samples_of_a_file_without_rounds),
		cmocka_unit_test(test_seekable_file),
		cmocka_unit_test(test_file_through_a_pipe),
		cmocka_unit_test(test_late_build_ids_can_be_refused),
		cmocka_unit_test(test_cut_features_of_a_pipe),
		cmocka_unit_test(test_build_ids_in_the_stream),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_cut_sample),
		cmocka_unit_test(test_other_kinds_of_files),
		cmocka_unit_test(test_unfinished_file),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_every_byte_corrupted),
		cmocka_unit_test(test_the_sink_can_stop_it),
	};

	if (argc == 2 && !strcmp(argv[1], "--cases"))
		return print_cases();
	if (argc == 3 && !strcmp(argv[1], "--build"))
		return write_case(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--dump"))
		return dump(argv + 2, argc - 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
