/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records out of the kernel's rings. */
#include "tests/support/cmocka.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/rings.h"
#include "tests/support/build_perf.h"

static const struct build_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
				       .flags = PERF_ATTR_SAMPLE_ID_ALL};
static const struct perf_order_limit most = {1000, 16};

struct bench {
	struct perf_rings rings;
	struct build_perf attr_bytes;
	char *log;
	size_t log_size;
	FILE *to;
};

static bool log_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct bench *bench = ctx;

	(void)err;
	fprintf(bench->to, "%" PRIu64, event->time);
	switch (event->kind) {
	case EVENT_MAP:
		fprintf(bench->to,
			" map %u %" PRIx64 "+%" PRIx64 "@%" PRIx64 " %.*s%s %u:%u %" PRIu64
			".%" PRIu64,
			event->map->pid, event->map->start.v, event->map->size,
			event->map->offset.v, (int)event->map->path.len, event->map->path.at,
			event->map->executable ? " x" : "", event->map->node.major,
			event->map->node.minor, event->map->node.inode,
			event->map->node.generation);
		break;
	case EVENT_SAMPLE:
		fprintf(bench->to, " sample %u %" PRIx64, event->sample->pid, event->sample->ip.v);
		break;
	case EVENT_EXEC: fprintf(bench->to, " exec %u", event->task.pid); break;
	case EVENT_FORK:
	case EVENT_EXIT:
		fprintf(bench->to, " %s %u/%u of %u", event->kind == EVENT_FORK ? "fork" : "exit",
			event->task.pid, event->task.tid, event->task.parent);
		break;
	default: fail();
	}
	fprintf(bench->to, "\n");
	return true;
}

static void open_bench(struct bench *bench, uint32_t count)
{
	const struct event_sink sink = {bench, log_event};
	struct bc_error err = {0};

	*bench = (struct bench){0};
	bench->to = open_memstream(&bench->log, &bench->log_size);
	assert_non_null(bench->to);
	put_attr(&bench->attr_bytes, &attr);
	assert_true(perf_rings_init(&bench->rings, build_perf_bytes(&bench->attr_bytes), count,
				    most, &sink, &err));
}

static void close_bench(struct bench *bench)
{
	perf_rings_fini(&bench->rings);
	build_perf_free(&bench->attr_bytes);
	fclose(bench->to);
	free(bench->log);
}

static void assert_log(struct bench *bench, const char *want)
{
	struct bc_error err = {0};

	assert_true(perf_rings_end(&bench->rings, &err));
	fflush(bench->to);
	assert_string_equal(bench->log, want);
}

static void put_at(struct build_perf *b, uint64_t time)
{
	put_sample(b, &attr,
		   &(struct build_sample){.pid = 7, .tid = 7, .time = time, .ip = 0x1000 + time});
}

/* Records of all sizes, cut at every position: a ring wraps anywhere. */
static void test_records_that_are_cut(void **state)
{
	(void)state;
	for (size_t cut = 1; cut < 200; cut++) {
		struct bench bench;
		struct bc_error err = {0};
		struct build_perf b = {0};
		const struct build_sample id = {.pid = 7, .tid = 7, .time = 2};
		open_bench(&bench, 2);
		put_at(&b, 1);
		put_mmap2(&b, &attr, &id, 0x1000, 0x2000, 0, "/a/path/that/is/not/short/at/all");
		put_at(&b, 3);
		for (struct bytes rest = build_perf_bytes(&b); rest.size;
		     rest = bytes_from(rest, cut))
			assert_true(perf_rings_take(&bench.rings, 1, bytes_first(rest, cut), &err));
		assert_log(
			&bench,
			"1 sample 7 1001\n2 map 7 1000+2000@0 /a/path/that/is/not/short/at/all x 0:0 0.0\n3 sample 7 1003\n");
		build_perf_free(&b);
		close_bench(&bench);
	}
}

/* Records of two rings that are cut, in turn: each continues in its own. */
static void test_rests_are_of_their_ring(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	struct build_perf b[2] = {0};

	(void)state;
	open_bench(&bench, 2);
	for (uint64_t time = 1; time < 100; time++)
		put_at(&b[time % 2], time);
	for (size_t at = 0; at < b[0].size || at < b[1].size; at += 11)
		for (uint32_t ring = 0; ring < 2; ring++)
			assert_true(perf_rings_take(
				&bench.rings, ring,
				bytes_first(bytes_from(build_perf_bytes(&b[ring]), at), 11), &err));
	assert_true(perf_rings_end(&bench.rings, &err));
	fflush(bench.to);
	const char *at = bench.log;
	for (unsigned time = 1; time < 100; time++) { /* in the order of time */
		char line[64];
		int size = snprintf(line, sizeof(line), "%u sample 7 %x\n", time, 0x1000 + time);
		assert_memory_equal(at, line, (size_t)size);
		at += size;
	}
	assert_string_equal(at, "");
	build_perf_free(&b[0]);
	build_perf_free(&b[1]);
	close_bench(&bench);
}

/* More than a block (128 KiB) at a time, and records at the end of one. */
static void test_many_blocks(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	struct build_perf b = {0};

	(void)state;
	open_bench(&bench, 1);
	for (uint64_t time = 1; time <= 20000; time++)
		put_at(&b, time);
	assert_true(b.size > 6 * PERF_BLOCK_SIZE);
	assert_true(perf_rings_take(&bench.rings, 0, build_perf_bytes(&b), &err));
	assert_true(perf_rings_end(&bench.rings, &err));
	assert_int_equal(bench.rings.details.delivered, 20000);
	assert_int_equal(bench.rings.details.late, 0);
	assert_true(perf_rings_memory(&bench.rings) < 3 << 20);
	build_perf_free(&b);
	close_bench(&bench);
}

static void test_rounds(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	struct build_perf b = {0}, other = {0};

	(void)state;
	open_bench(&bench, 2);
	put_at(&b, 10);
	put_at(&other, 5);
	assert_true(perf_rings_take(&bench.rings, 0, build_perf_bytes(&b), &err));
	assert_true(perf_rings_round(&bench.rings, &err));
	assert_true(perf_rings_take(&bench.rings, 1, build_perf_bytes(&other), &err));
	assert_int_equal(bench.rings.details.delivered, 0);
	assert_true(perf_rings_round(&bench.rings, &err));
	assert_int_equal(bench.rings.details.delivered, 2);
	assert_log(&bench, "5 sample 7 1005\n10 sample 7 100a\n");
	build_perf_free(&b);
	build_perf_free(&other);
	close_bench(&bench);
}

static void test_damaged_records(void **state)
{
	static const struct {
		uint32_t type;
		uint16_t size;
		const char *why;
	} cases[] = {
		{9, 7,
		 "the ring buffers: no record of the kernel (type 9, 7 bytes), byte 40 of ring 0"},
		{9, 0,
		 "the ring buffers: no record of the kernel (type 9, 0 bytes), byte 40 of ring 0"},
		{9, 41,
		 "the ring buffers: no record of the kernel (type 9, 41 bytes), byte 40 of ring 0"},
		{64, 40,
		 "the ring buffers: no record of the kernel (type 64, 40 bytes), byte 40 of ring 0"},
		{32769, 40,
		 "the ring buffers: no record of the kernel (type 32769, 40 bytes), byte 40 of ring 0"},
		{9, 16, "the ring buffers: a sample of 16 bytes is cut, byte 40"},
		{2, 16, "the ring buffers: a record of losses of 16 bytes is cut, byte 40"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++)
		for (size_t cut = 1; cut < 100; cut += 98) {
			struct bench bench;
			struct bc_error err = {0};
			struct build_perf b = {0};
			bool ok = true;
			open_bench(&bench, 1);
			put_at(&b, 1);
			assert_int_equal(b.size, 40);
			put_u32(&b, cases[i].type);
			put_u16(&b, 0);
			put_u16(&b, cases[i].size);
			put_zeros(&b, cases[i].size == 16 ? 8 : 40);
			for (struct bytes rest = build_perf_bytes(&b); ok && rest.size;
			     rest = bytes_from(rest, cut))
				ok = perf_rings_take(&bench.rings, 0, bytes_first(rest, cut), &err);
			assert_false(ok && perf_rings_end(&bench.rings, &err));
			assert_string_equal(err.text, cases[i].why);
			assert_int_equal(err.code, BC_FORMAT);
			build_perf_free(&b);
			close_bench(&bench);
		}
}

/* Records that are made here are read like the kernel's. */
static void test_records_of_ones_own(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	uint8_t *record = malloc(PERF_RECORD_MOST);
	const struct map_event maps[] = {
		{.pid = 7,
		 .start = {0x1000},
		 .size = 0x2000,
		 .offset = {0x3000},
		 .executable = true,
		 .path = text_of("/bin/12345"),
		 .node = {8, 1, 77, 3}},
		{.pid = 7, .start = {0x1000}, .size = 0x2000, .path = text_of("")},
		{.pid = 7,
		 .start = {0x1000},
		 .size = 0x2000,
		 .executable = true,
		 .path = text_of("/1234567")}, /* with its NUL more than 8 */
	};

	(void)state;
	assert_non_null(record);
	open_bench(&bench, 1);
	size_t size = perf_rings_put_exec(&bench.rings, 7, 10, record);
	assert_true(perf_rings_take(&bench.rings, 0, (struct bytes){record, size}, &err));
	for (size_t i = 0; i < BC_COUNT(maps); i++) {
		size = perf_rings_put_map(&bench.rings, &maps[i], 11 + i, record);
		assert_true(perf_rings_take(&bench.rings, 0, (struct bytes){record, size}, &err));
	}
	size = perf_rings_put_thread(&bench.rings, PERF_RECORD_FORK, 7, 8, 20, record);
	assert_true(perf_rings_take(&bench.rings, 0, (struct bytes){record, size}, &err));
	size = perf_rings_put_thread(&bench.rings, PERF_RECORD_EXIT, 7, 8, 21, record);
	assert_true(perf_rings_take(&bench.rings, 0, (struct bytes){record, size}, &err));
	assert_log(&bench, "10 exec 7\n"
			   "11 map 7 1000+2000@3000 /bin/12345 x 8:1 77.3\n"
			   "12 map 7 1000+2000@0  0:0 0.0\n"
			   "13 map 7 1000+2000@0 /1234567 x 0:0 0.0\n"
			   "20 fork 7/8 of 7\n"
			   "21 exit 7/8 of 7\n");
	free(record);
	close_bench(&bench);
}

/* The longest path, of which a record holds as much as it can. */
static void test_a_path_that_is_too_long(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	uint8_t *record = malloc(PERF_RECORD_MOST);
	char *path = malloc(70000);

	(void)state;
	assert_true(record && path);
	memset(path, 'p', 70000);
	open_bench(&bench, 1);
	const struct map_event map = {
		.pid = 7, .start = {0x1000}, .size = 0x2000, .path = {path, 70000}};
	size_t size = perf_rings_put_map(&bench.rings, &map, 1, record);
	assert_true(size <= PERF_RECORD_MOST && size % 8 == 0);
	assert_true(perf_rings_take(&bench.rings, 0, (struct bytes){record, size}, &err));
	assert_true(perf_rings_end(&bench.rings, &err));
	fflush(bench.to);
	assert_true(bench.log_size > 65000);
	free(record);
	free(path);
	close_bench(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_that_are_cut),
		cmocka_unit_test(test_rests_are_of_their_ring),
		cmocka_unit_test(test_many_blocks),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_records_of_ones_own),
		cmocka_unit_test(test_a_path_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
