/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of a trace of Arm SPE, and branch outcomes of one of Arm ETM: in which process, and in
 * front of which events.  Each recording is read as a file, whose chunks are found first, and from
 * a pipe.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_records.h"
#include "tests/support/bytes_file.h"
#include "tests/support/cmocka.h"
#include "tests/support/perf_log.h"

static struct build_attr attr = {
	.type = 8,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_IDENTIFIER,
	.flags = PERF_ATTR_SAMPLE_ID_ALL,
	.name = "arm_spe_0//",
};

#define NO UINT32_MAX /* processor, or thread */

static struct build_sample id_at(uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time)
{
	return (struct build_sample){.pid = pid, .tid = tid, .cpu = cpu, .time = time};
}

static void put_info(struct build_perf *b)
{
	size_t begin = begin_record(b, PERF_USER_AUXTRACE_INFO, 0);

	put_u64(b, 4);
	put_u64(b, 8);
	put_u64(b, 0);
	end_record(b, begin);
}

/* Ten ns for a tick. */
static void put_clock(struct build_perf *b)
{
	size_t begin = begin_record(b, PERF_USER_TIME_CONV, 0);

	put_u64(b, 0);
	put_u64(b, 10);
	put_u64(b, 0);
	end_record(b, begin);
}

static void put_piece(struct build_perf *b, uint32_t cpu, uint32_t tid, uint64_t position,
		      const struct build_perf *trace)
{
	size_t begin = begin_record(b, PERF_USER_AUXTRACE, 0);

	put_u64(b, trace->size);
	put_u64(b, position);
	put_u64(b, 0);
	put_u32(b, 0);
	put_u32(b, tid);
	put_u32(b, cpu);
	put_u32(b, 0);
	end_record(b, begin);
	put_bytes(b, trace->data, trace->size);
}

static void put_aux(struct build_perf *b, uint32_t cpu, uint64_t position, uint64_t size,
		    uint64_t flags)
{
	struct build_sample id = id_at(7, 7, cpu, 1000);
	size_t begin = begin_record(b, PERF_RECORD_AUX, 0);

	put_u64(b, position);
	put_u64(b, size);
	put_u64(b, flags);
	put_trailer(b, &attr, &id);
	end_record(b, begin);
}

/* A branch of EL0 from `from` to 0x402000.  ticks 0: without a stamp; context 0: without one */
static void put_branch(struct build_perf *trace, uint64_t from, uint64_t ticks, uint32_t context)
{
	put_bytes(trace, "\xb0", 1);
	put_u64(trace, from);
	if (context) {
		put_bytes(trace, "\x64", 1);
		put_u32(trace, context);
	}
	put_bytes(trace, "\x4a\x00\x42\x82\xb1", 5);
	put_u64(trace, 0x402000);
	put_bytes(trace, ticks ? "\x71" : "\x01", 1);
	if (ticks)
		put_u64(trace, ticks);
}

static void put_map(struct build_perf *b, uint32_t pid, uint64_t time, const char *path)
{
	struct build_sample id = id_at(pid, pid, 0, time);

	put_mmap2(b, &attr, &id, 0x401000, 0x2000, 0x1000, path);
}

static void put_exec(struct build_perf *b, uint32_t pid, uint64_t time)
{
	struct build_sample id = id_at(pid, pid, 0, time);

	put_comm(b, &attr, &id, true, "a");
}

static void put_start(struct build_perf *b, uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time)
{
	struct build_sample id = id_at(pid, tid, cpu, time);
	size_t begin = begin_record(b, PERF_RECORD_ITRACE_START, 0);

	put_u32(b, pid);
	put_u32(b, tid);
	put_trailer(b, &attr, &id);
	end_record(b, begin);
}

/* out: `other` runs next; 0: the record of one task, which does not say */
static void put_switch(struct build_perf *b, bool out, uint32_t pid, uint32_t other, uint32_t cpu,
		       uint64_t time)
{
	struct build_sample id = id_at(pid, pid, cpu, time);
	size_t begin = begin_record(b, other ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH,
				    out ? 0x2000 : 0);

	if (other) {
		put_u32(b, other);
		put_u32(b, other);
	}
	put_trailer(b, &attr, &id);
	end_record(b, begin);
}

typedef void fill_fn(struct build_perf *b);

static void build(fill_fn *fill, bool pipe, struct build_perf *out)
{
	struct build_perf_file file = {.attrs = &attr, .attr_count = 1};

	fill(&file.records);
	add_event_names(&file);
	(pipe ? build_pipe : build_file)(&file, out);
	build_perf_file_free(&file);
}

static void read_file(const struct build_perf *b, struct read_result *result)
{
	struct bytes_file file = bytes_file_open(b->data, b->size);
	struct file_stream stream;
	struct bc_error err = {0};

	assert_true(stream_open(file.path, &stream, &err));
	perf_read_input(&(struct perf_data_input){.stream = &stream}, result);
	stream_close(&stream);
	bytes_file_close(&file);
}

/* pipe: of bytes that were read from somewhere, and cannot be read again */
static void assert_log(fill_fn *fill, bool pipe, const char *log, struct perf_data_report *details)
{
	struct build_perf b = {0};
	struct read_result result;

	build(fill, pipe, &b);
	if (pipe)
		perf_read_built(&b, &result);
	else
		read_file(&b, &result);
	if (!result.ok)
		print_error("%s\n", result.err.text);
	assert_true(result.ok);
	assert_string_equal(result.log, log);
	assert_int_equal(result.report.perf.records[PERF_RECORD_SAMPLE] +
				 result.report.perf.trace.branches,
			 result.report.perf.delivered + result.report.perf.late);
	if (details)
		*details = result.report.perf;
	free(result.log);
	build_perf_free(&b);
}

/* The trace comes after all that happened meanwhile; its times say where it belongs. */
static void fill_between(struct build_perf *b)
{
	struct build_perf trace = {0};

	put_clock(b);
	put_info(b);
	put_exec(b, 7, 10);
	put_map(b, 7, 11, "/bin/a");
	put_map(b, 7, 200, "/lib/b");
	put_map(b, 7, 300, "/lib/c");
	for (uint64_t i = 1; i < 5; i++)
		put_branch(&trace, 0x401000 + i, 9 * i, 0); /* at 90, 180, 270, 360 */
	put_piece(b, NO, 7, 0, &trace);
	build_perf_free(&trace);
}

#define BEGUN             "EXEC 7\nMAP 7 401000+2000 @1000 x /bin/a\n"
#define LIBRARY           "MAP 7 401000+2000 @1000 x /lib/b\n"
#define OTHER             "MAP 7 401000+2000 @1000 x /lib/c\n"
#define BRANCH(pid, from) "SAMPLE " #pid " branch: 40100" #from " 0x40100" #from "/0x402000/M\n"

static void test_between_events(void **state)
{
	static const char log[] =
		BEGUN BRANCH(7, 1) BRANCH(7, 2) LIBRARY BRANCH(7, 3) OTHER BRANCH(7, 4);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_between, false, log, &details);
	assert_true(details.has_stacks);
	assert_int_equal(details.first_ns, 90);
	assert_int_equal(details.last_ns, 360);
	assert_int_equal(details.trace.buffers, 1);
	assert_int_equal(details.trace.operations, 4);
	assert_log(fill_between, true, log, NULL);
}

/* perf record -k: records have the time of that clock. */
#define CLOCKID (UINT64_C(1) << 25)

/* The clock of the recording is not the one that TIME_CONV is about, or there is none: what the
 * process maps in the end counts. */
static void fill_timeless(struct build_perf *b)
{
	struct build_perf trace = {0};

	if (attr.flags & CLOCKID)
		put_clock(b);
	put_info(b);
	put_exec(b, 7, 10);
	put_map(b, 7, 11, "/bin/a");
	put_map(b, 7, 200, "/lib/b");
	put_branch(&trace, 0x401001, 9, 0);
	put_branch(&trace, 0x401002, 0, 0);
	put_piece(b, NO, 7, 0, &trace);
	build_perf_free(&trace);
}

static void test_timeless(void **state)
{
	static const char log[] = BEGUN LIBRARY BRANCH(7, 1) BRANCH(7, 2);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_timeless, false, log, &details);
	assert_int_equal(details.first_ns, 0);
	assert_log(fill_timeless, true, log, NULL);
	attr.flags |= CLOCKID;
	assert_log(fill_timeless, false, log, &details);
	assert_int_equal(details.first_ns, 0);
	attr.flags &= ~CLOCKID;
}

/* For a thread: its process. */
static void fill_threads(struct build_perf *b)
{
	struct build_perf trace = {0}, second = {0};
	struct build_sample id = id_at(7, 8, 0, 12);

	put_clock(b);
	put_info(b);
	put_exec(b, 7, 10);
	put_comm(b, &attr, &id, false, "thread");
	put_branch(&trace, 0x401001, 5, 0);
	put_branch(&trace, 0x401002, 7,
		   99); /* the buffer is of one thread, whatever the packets say */
	put_piece(b, NO, 8, 0, &trace);
	put_branch(&second, 0x401003, 6, 0);
	put_piece(b, NO, 9, 0, &second); /* nothing is known of that one */
	build_perf_free(&trace);
	build_perf_free(&second);
}

static void test_threads(void **state)
{
	static const char log[] = "EXEC 7\n" BRANCH(7, 1) BRANCH(7, 2) BRANCH(9, 3);

	(void)state;
	assert_log(fill_threads, false, log, NULL);
	assert_log(fill_threads, true, log, NULL);
}

/* For a processor: by the packets, else by the thread there, else by what began there. */
static void fill_processors(struct build_perf *b)
{
	struct build_perf trace = {0}, second = {0}, third = {0};
	struct build_sample id = id_at(7, 8, 0, 12);

	put_clock(b);
	put_info(b);
	put_exec(b, 7, 10);
	put_comm(b, &attr, &id, false, "thread");
	put_start(b, 7, 7, 2, 13);
	put_switch(b, false, 6, 0, 4, 50); /* on processor 4 only what one task does is known */
	put_switch(b, true, 6, 0, 4, 60);
	put_switch(b, true, 7, 5, 2, 100); /* 5 runs next, on processor 2 */
	put_switch(b, false, 5, 7, 2, 101);
	put_switch(b, true, 5, 0xffffffff, 2, 200); /* nothing */
	put_branch(&trace, 0x401001, 9, 0);
	put_branch(&trace, 0x401002, 15, 0);
	put_branch(&trace, 0x401003, 15, 8);
	put_branch(&trace, 0x401004, 25, 0);
	put_branch(&trace, 0x401005, 25, 6); /* a thread that nothing else shows */
	put_piece(b, 2, NO, 0, &trace);
	put_branch(&second, 0x401006, 12, 0); /* of processor 3 nothing is known */
	put_branch(&second, 0x401007, 12, 7);
	put_piece(b, 3, NO, 0, &second);
	put_branch(&third, 0x401008, 4, 0);
	put_branch(&third, 0x401009, 5, 0);
	put_branch(&third, 0x40100a, 8, 0);
	put_piece(b, 4, NO, 0, &third);
	build_perf_free(&trace);
	build_perf_free(&second);
	build_perf_free(&third);
}

static void test_processors(void **state)
{
	static const char log[] = "EXEC 7\n" BRANCH(4294967295, 8) BRANCH(6, 9)
		BRANCH(4294967295, a) BRANCH(7, 1) /* in front of the switch at 100 */
		BRANCH(4294967295, 6) BRANCH(7, 7) BRANCH(5, 2)
			BRANCH(7, 3) /* in front of the one at 200 */
		BRANCH(4294967295, 4) BRANCH(6, 5);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_processors, false, log, &details);
	assert_int_equal(details.trace.unattributed, 4);
	assert_log(fill_processors, true, log, NULL);
}

/* From a pipe a trace can come too late, after two rounds: what the process maps by then is used,
 * unless it has run another program since. */
static void fill_late(struct build_perf *b)
{
	struct build_perf trace = {0};

	put_clock(b);
	put_info(b);
	put_exec(b, 7, 10);
	put_map(b, 7, 11, "/bin/a");
	put_map(b, 7, 200, "/lib/b");
	put_exec(b, 5, 20);
	put_exec(b, 5, 210);
	put_round(b);
	put_map(b, 7, 220, "/lib/c");
	put_round(b);
	put_branch(&trace, 0x401001, 10, 7);
	put_branch(&trace, 0x401002, 10, 5);
	put_piece(b, 0, NO, 0, &trace);
	build_perf_free(&trace);
}

static void test_late(void **state)
{
	struct perf_data_report details;

	(void)state;
	assert_log(fill_late, false,
		   "EXEC 7\nMAP 7 401000+2000 @1000 x /bin/a\nEXEC 5\n" BRANCH(7, 1) BRANCH(5, 2)
			   LIBRARY "EXEC 5\n" OTHER,
		   &details);
	assert_int_equal(details.late, 0);
	assert_log(fill_late, true,
		   "EXEC 7\nMAP 7 401000+2000 @1000 x /bin/a\nEXEC 5\n" LIBRARY
		   "EXEC 5\n" BRANCH(7, 1) OTHER,
		   &details);
	assert_int_equal(details.late, 1);
}

/* Chunks that cut a record; a record at whose end the buffer was full; a chunk that is missing. */
static void fill_pieces(struct build_perf *b)
{
	struct build_perf trace = {0}, part = {0};
	size_t one, cut;

	put_info(b);
	put_exec(b, 7, 10);
	put_branch(&trace, 0x401001, 0, 0);
	one = trace.size;
	put_branch(&trace, 0x401002, 0, 0);
	cut = one + 5;
	put_bytes(&part, trace.data, cut);
	put_aux(b, 0, 2 * one, one + 7, 1); /* before anything of its buffer is there */
	put_piece(b, 0, NO, 0, &part);
	part.size = 0;
	put_bytes(&part, trace.data + cut, one - 5);
	put_piece(b, 0, NO, cut, &part);
	/* The buffer is full within a record; the next one follows without a gap. */
	part.size = 0;
	put_branch(&part, 0x401003, 0, 0);
	put_bytes(&part, trace.data, 7);
	put_piece(b, 0, NO, 2 * one, &part);
	part.size = 0;
	put_branch(&part, 0x401004, 0, 0);
	put_piece(b, 0, NO, 3 * one + 7, &part);
	/* Bytes are missing: what comes may begin anywhere. */
	part.size = 0;
	put_bytes(&part, trace.data + 3, one - 3);
	put_branch(&part, 0x401005, 0, 0);
	put_bytes(&part, trace.data, 4);
	put_aux(b, 0, 1000, part.size, 8 | 4);
	put_piece(b, 0, NO, 1000, &part);
	build_perf_free(&part);
	build_perf_free(&trace);
}

static void check_pieces(bool pipe)
{
	struct perf_data_report details;

	assert_log(fill_pieces, pipe,
		   "EXEC 7\n" BRANCH(4294967295, 1) BRANCH(4294967295, 2) BRANCH(4294967295, 3)
			   BRANCH(4294967295, 4) BRANCH(4294967295, 5),
		   &details);
	assert_int_equal(details.trace.buffers, 5);
	assert_int_equal(details.trace.truncated, 1);
	assert_int_equal(details.trace.collisions, 1);
	assert_int_equal(details.trace.partial, 1);
	assert_int_equal(details.trace.snapshots, 0);
	assert_int_equal(details.trace.gaps, 1);
	assert_int_equal(details.trace.damaged,
			 3); /* where the buffer was full, after the gap, and at the end */
	assert_int_equal(details.trace_records, 7);
}

static void test_pieces(void **state)
{
	(void)state;
	check_pieces(false);
}

static void test_pieces_of_a_pipe(void **state)
{
	(void)state;
	check_pieces(true);
}

static void fill_cut(struct build_perf *b)
{
	size_t begin;

	put_info(b);
	begin = begin_record(b, PERF_USER_AUXTRACE, 0);
	put_u64(b, 0);
	put_u64(b, 0);
	end_record(b, begin);
}

static void fill_cut_aux(struct build_perf *b)
{
	size_t begin;

	put_info(b);
	begin = begin_record(b, PERF_RECORD_AUX, 0);
	put_u64(b, 0);
	end_record(b, begin);
}

static void assert_refused(fill_fn *fill, const char *why)
{
	struct build_perf b = {0};
	struct read_result result;

	build(fill, false, &b);
	read_file(&b, &result);
	assert_false(result.ok);
	assert_non_null(strstr(result.err.text, why));
	free(result.log);
	build_perf_free(&b);
}

static void test_cut_records(void **state)
{
	(void)state;
	assert_refused(fill_cut, "a cut record, byte ");
	assert_refused(fill_cut_aux, "a cut record, byte ");
}

/* A file that ends within the bytes of a trace: what is there is used. */
static void test_cut_file(void **state)
{
	struct build_perf b = {0};
	struct read_result result;

	(void)state;
	build(fill_between, true, &b);
	size_t whole = b.size;
	for (size_t left = whole - 31; left <= whole; left++) {
		b.size = left;
		read_file(&b, &result);
		assert_true(result.ok);
		assert_int_equal(result.report.perf.truncated, left < whole);
		assert_int_equal(result.report.perf.delivered, left < whole ? 3 : 4);
		assert_int_equal(result.report.perf.trace.damaged,
				 left > whole - 31 && left < whole);
		free(result.log);
	}
	build_perf_free(&b);
}

/* ---- branch outcomes ---- */

/* Two units of ETMv4 with the trace ids 10 and 11, whose time stamps are those of the kernel's
 * counter. */
static void put_etm_info(struct build_perf *b)
{
	size_t begin = begin_record(b, PERF_USER_AUXTRACE_INFO, 0);
	static const uint64_t registers[] = {0x840,  0x10, 0x28000ea1, 0x4100f403,
					     0x1088, 0,    0xcc,       1};

	put_u64(b, 3);
	put_u64(b, 1);
	put_u64(b, UINT64_C(8) << 32 | 2);
	put_u64(b, 0);
	for (uint64_t cpu = 2; cpu < 4; cpu++) {
		put_u64(b, 0x4040404040404040);
		put_u64(b, cpu);
		put_u64(b, 8);
		for (size_t i = 0; i < 8; i++)
			put_u64(b, registers[i] + (i == 1 ? cpu - 2 : 0));
	}
	end_record(b, begin);
}

/* A synchronization, trace on, a time stamp if there are ticks, an address with a context if there
 * is one; then a branch that was taken, and one that was not. */
static void put_stretch(struct build_perf *trace, uint8_t ticks, uint8_t context, uint32_t address)
{
	const uint8_t stamp[] = {2, ticks},
		      at[] = {context ? 0x85 : 0x9d,
			      address >> 2 & 127,
			      address >> 9 & 127,
			      (uint8_t)(address >> 16),
			      0,
			      0,
			      0,
			      0,
			      0},
		      info[] = {0xb0, context, 0, 0, 0};

	put_bytes(trace, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04", 15);
	if (ticks)
		put_bytes(trace, stamp, 2);
	put_bytes(trace, at, 9);
	if (context)
		put_bytes(trace, info, 5);
	put_bytes(trace, "\xd9", 1);
}

#define RAW UINT64_C(0x100)
#define FLOW(lane, pid, tid, time, address)                                                        \
	"FLOW " #lane " " #pid " " #tid " " #time " etm begin:" #address " TN\n"

/* As samples: in front of the first event that came after it. */
static void fill_flow_between(struct build_perf *b)
{
	struct build_perf trace = {0};

	put_clock(b);
	put_etm_info(b);
	put_exec(b, 7, 10);
	put_map(b, 7, 11, "/bin/a");
	put_map(b, 7, 200, "/lib/b");
	put_map(b, 7, 300, "/lib/c");
	put_stretch(&trace, 9, 0, 0x401000);
	put_stretch(&trace, 18, 0, 0x402000);
	put_stretch(&trace, 27, 0, 0x403000);
	put_stretch(&trace, 36, 0, 0x404000);
	put_aux(b, NO, 0, trace.size, RAW);
	put_piece(b, NO, 7, 0, &trace);
	build_perf_free(&trace);
}

static void test_flow_between_events(void **state)
{
	static const char log[] =
		BEGUN "FLOW 0 7 7 90 etm begin:401000 TN begin:402000 TN\n" LIBRARY FLOW(
			0, 7, 7, 270, 403000) OTHER FLOW(0, 7, 7, 360, 404000);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_flow_between, false, log, &details);
	assert_true(details.trace.decoded && !details.trace.refused);
	assert_int_equal(details.first_ns, 90);
	assert_int_equal(details.last_ns, 360);
	assert_int_equal(details.trace.queues, 1);
	assert_int_equal(details.trace.conditional, 8);
	assert_int_equal(details.trace.indirect, 0);
	assert_log(fill_flow_between, true, log, NULL);
}

/* Nobody takes branch outcomes: what there is, is reported, and nothing is read. */
static void test_flow_without_a_taker(void **state)
{
	struct build_perf b = {0};
	struct read_result result;
	size_t size;
	struct file_stream stream = {.name = "x.data", .fd = open("/dev/null", O_RDONLY)};

	(void)state;
	build(fill_flow_between, false, &b);
	FILE *log = open_memstream(&result.log, &size);
	const struct event_sink sink = {log, perf_log_event};
	struct perf_data_input input = {.stream = &stream, .head = build_perf_bytes(&b)};
	assert_true(perf_data_read(&input, &sink, &result.report, &result.err));
	fclose(log);
	assert_string_equal(result.log, BEGUN LIBRARY OTHER);
	assert_int_equal(result.report.perf.trace.buffers, 1);
	assert_false(result.report.perf.trace.decoded);
	close(stream.fd);
	free(result.log);
	build_perf_free(&b);
}

/* For processors: by the context, else by the thread there; a unit's processor is that of
 * its trace id, wherever its bytes lie. */
static void put_frames(struct build_perf *out, const struct build_perf *first,
		       const struct build_perf *second)
{
	const struct build_perf *of[] = {first, second};

	for (size_t i = 0; i < 2; i++)
		for (size_t at = 0; at < of[i]->size; at += 14) {
			uint8_t frame[16] = {(uint8_t)((0x10 + i) << 1 | 1)};
			for (size_t k = 0; k < 14; k++) {
				uint8_t byte = at + k < of[i]->size ? of[i]->data[at + k] : 0x70;
				frame[1 + k] = k % 2 ? byte & 0xfe : byte;
				frame[15] |= (uint8_t)(k % 2 ? (byte & 1) << (k + 1) / 2 : 0);
			}
			put_bytes(out, frame, 16);
		}
}

static void fill_flow_processors(struct build_perf *b)
{
	struct build_perf first = {0}, second = {0}, frames = {0};

	put_clock(b);
	put_etm_info(b);
	put_exec(b, 7, 10);
	put_exec(b, 9, 10);
	put_switch(b, false, 7, 5, 2, 50);
	put_switch(b, false, 9, 5, 3, 50);
	put_switch(b, false, 5, 7, 2, 150);
	put_stretch(&first, 9, 0, 0x401000);
	put_stretch(&first, 16, 0, 0x402000);
	put_stretch(&first, 17, 9, 0x403000);
	put_stretch(&second, 10, 0, 0x404000);
	put_frames(&frames, &first, &second);
	put_piece(b, 2, NO, 0, &frames);
	build_perf_free(&first);
	build_perf_free(&second);
	build_perf_free(&frames);
}

static void test_flow_processors(void **state)
{
	static const char log[] = "EXEC 7\nEXEC 9\n" FLOW(0, 7, 7, 90, 401000)
		FLOW(1, 9, 9, 100, 404000) FLOW(0, 5, 5, 160, 402000) FLOW(0, 9, 9, 170, 403000);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_flow_processors, false, log, &details);
	assert_int_equal(details.trace.queues, 2);
	assert_log(fill_flow_processors, true, log, NULL);
}

/* What is missing and what is cut, and what comes after its process has begun to run another
 * program. */
static void fill_flow_gap(struct build_perf *b)
{
	struct build_perf trace = {0};

	put_clock(b);
	put_etm_info(b);
	put_exec(b, 7, 10);
	put_stretch(&trace, 9, 0, 0x401000);
	put_aux(b, NO, 0, trace.size, RAW);
	put_piece(b, NO, 7, 0, &trace);
	put_piece(b, NO, 7, trace.size + 8, &trace);
	put_piece(b, NO, 7, 2 * trace.size + 8, &trace);
	size_t end = 3 * trace.size + 8;
	trace.size = 0;
	put_bytes(&trace, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\xff",
		  15); /* three atoms of nobody knows where */
	put_piece(b, NO, 7, end + 8, &trace);
	build_perf_free(&trace);
}

static void test_flow_gap(void **state)
{
	static const char log[] =
		"EXEC 7\nFLOW 0 7 7 90 etm begin:401000 TN lost begin:401000 TN begin:401000 TN lost\n";
	struct perf_data_report details;

	(void)state;
	assert_log(fill_flow_gap, false, log, &details);
	assert_int_equal(details.trace.gaps, 2);
	assert_int_equal(details.trace.conditional, 6);
	assert_int_equal(details.trace.dropped, 3);
	assert_log(fill_flow_gap, true, log, NULL);
}

/* In a pipe, after two rounds. */
static void fill_flow_late(struct build_perf *b)
{
	struct build_perf trace = {0};

	put_clock(b);
	put_etm_info(b);
	put_exec(b, 7, 10);
	put_exec(b, 8, 10);
	put_exec(b, 7, 200);
	end_record(b, begin_record(b, PERF_USER_FINISHED_ROUND, 0));
	put_exec(b, 9, 300);
	end_record(b, begin_record(b, PERF_USER_FINISHED_ROUND, 0));
	put_stretch(&trace, 9, 7, 0x401000);
	put_stretch(&trace, 10, 8, 0x402000);
	put_stretch(&trace, 40, 7, 0x403000);
	put_aux(b, 2, 0, trace.size, RAW);
	put_piece(b, 2, NO, 0, &trace);
	build_perf_free(&trace);
}

static void test_flow_late(void **state)
{
	static const char log[] =
		"EXEC 7\nEXEC 8\nEXEC 7\nFLOW 0 8 8 100 etm lost begin:402000 TN\nEXEC 9\n" FLOW(
			0, 7, 7, 400, 403000);
	struct perf_data_report details;

	(void)state;
	assert_log(fill_flow_late, true, log, &details);
	assert_int_equal(details.trace.late, 2); /* bits, as they are counted among all */
	assert_int_equal(details.trace.conditional + details.trace.indirect, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_events),
		cmocka_unit_test(test_timeless),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_processors),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_pieces_of_a_pipe),
		cmocka_unit_test(test_cut_records),
		cmocka_unit_test(test_cut_file),
		cmocka_unit_test(test_flow_between_events),
		cmocka_unit_test(test_flow_without_a_taker),
		cmocka_unit_test(test_flow_processors),
		cmocka_unit_test(test_flow_gap),
		cmocka_unit_test(test_flow_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
