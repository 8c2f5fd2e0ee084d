/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/cmocka.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_events.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_records.h"
#include "tests/support/build_perf.h"

static const struct build_attr attr = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.flags = PERF_ATTR_SAMPLE_ID_ALL,
};
#define TRAILER 16
static const struct build_sample who = {.pid = 7, .tid = 8, .time = 99};

/* The record at the front of what was built, in memory of its exact size. */
static struct perf_record only_record(const struct build_perf *b, uint8_t **copy)
{
	*copy = malloc(b->size);
	assert_non_null(*copy);
	memcpy(*copy, b->data, b->size);
	return (struct perf_record){
		.type = le32(*copy),
		.misc = le16(*copy + 4),
		.body = {*copy + 8, b->size - 8},
	};
}

static void assert_text(struct text got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.at, want, got.len);
}

static void test_mmap2_with_inode(void **state)
{
	struct build_perf b = {0};
	struct map_event map;
	uint8_t *copy;

	(void)state;
	put_mmap2(&b, &attr, &who, 0x55d000, 0x3000, 0x1000, "/usr/bin/x (deleted)");
	set_u64(&b, 40,
		UINT64_C(3) << 32 |
			254); /* after the header, pid and tid, start, size and offset */
	set_u64(&b, 48, 0x1234567890);
	set_u64(&b, 56, 77);
	struct perf_record record = only_record(&b, &copy);
	assert_true(perf_record_map(&record, TRAILER, &map));
	assert_int_equal(map.pid, 7);
	assert_true(map.start.v == 0x55d000 && map.size == 0x3000 && map.offset.v == 0x1000);
	assert_true(map.executable);
	assert_int_equal(map.build_id.size, 0);
	assert_true(map.node.major == 254 && map.node.minor == 3 &&
		    map.node.inode == 0x1234567890 && map.node.generation == 77);
	assert_text(map.path, "/usr/bin/x (deleted)");
	free(copy);
	build_perf_free(&b);
}

static void put_mmap2_build_id(struct build_perf *b, uint8_t size)
{
	size_t begin = begin_record(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);

	put_u32(b, 7);
	put_u32(b, 8);
	put_u64(b, 0x1000);
	put_u64(b, 0x2000);
	put_u64(b, 0x3000);
	put_u32(b, size);
	for (uint8_t i = 1; i <= 20; i++)
		put_bytes(b, &i, 1);
	put_u32(b, 1); /* PROT_READ */
	put_u32(b, 2);
	put_string(b, "x");
	put_trailer(b, &attr, &who);
	end_record(b, begin);
}

static void test_mmap2_with_build_id(void **state)
{
	static const struct {
		uint8_t written, read;
	} sizes[] = {{20, 20}, {8, 8}, {0, 0}, {21, 20}, {255, 20}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(sizes); i++) {
		struct build_perf b = {0};
		struct map_event map;
		uint8_t *copy;
		put_mmap2_build_id(&b, sizes[i].written);
		struct perf_record record = only_record(&b, &copy);
		assert_true(perf_record_map(&record, TRAILER, &map));
		assert_int_equal(map.build_id.size, sizes[i].read);
		assert_true(!map.node.inode && !map.node.major && !map.node.generation);
		for (uint8_t j = 0; j < sizes[i].read; j++)
			assert_int_equal(map.build_id.data[j], j + 1);
		assert_false(map.executable);
		assert_text(map.path, "x");
		free(copy);
		build_perf_free(&b);
	}
}

static void put_mmap(struct build_perf *b, uint16_t misc, const char *path)
{
	size_t begin = begin_record(b, PERF_RECORD_MMAP, misc);

	put_u32(b, 7);
	put_u32(b, 8);
	put_u64(b, 0x1000);
	put_u64(b, 0x2000);
	put_u64(b, 0x3000);
	put_string(b, path);
	put_trailer(b, &attr, &who);
	end_record(b, begin);
}

/* The older record says only whether it is data. */
static void test_mmap(void **state)
{
	static const uint16_t miscs[] = {PERF_RECORD_MISC_USER,
					 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(miscs); i++) {
		struct build_perf b = {0};
		struct map_event map;
		uint8_t *copy;
		put_mmap(&b, miscs[i], "/lib/y.so");
		struct perf_record record = only_record(&b, &copy);
		assert_true(perf_record_map(&record, TRAILER, &map));
		assert_int_equal(map.executable, i == 0);
		assert_text(map.path, "/lib/y.so");
		free(copy);
		build_perf_free(&b);
	}
}

/* A path without a NUL ends where the trailer begins. */
static void test_path_is_bounded(void **state)
{
	struct build_perf b = {0};
	struct map_event map;
	uint8_t *copy;

	(void)state;
	put_mmap(&b, 0, "1234567");
	memset(b.data + b.size - TRAILER - 8, 'x', 8 + TRAILER);
	struct perf_record record = only_record(&b, &copy);
	assert_true(perf_record_map(&record, TRAILER, &map));
	assert_text(map.path, "xxxxxxxx");
	assert_true(perf_record_map(&record, 0, &map));
	assert_int_equal(map.path.len, 8 + TRAILER);
	free(copy);
	build_perf_free(&b);
}

static void test_comm(void **state)
{
	(void)state;
	for (int exec = 0; exec < 2; exec++) {
		struct build_perf b = {0};
		struct perf_comm comm;
		uint8_t *copy;
		put_comm(&b, &attr, &who, exec, "a name");
		struct perf_record record = only_record(&b, &copy);
		assert_true(perf_record_comm(&record, TRAILER, &comm));
		assert_int_equal(comm.pid, 7);
		assert_int_equal(comm.tid, 8);
		assert_int_equal(comm.exec, exec);
		assert_text(comm.name, "a name");
		free(copy);
		build_perf_free(&b);
	}
}

static void test_fork_and_exit(void **state)
{
	static const uint32_t types[] = {PERF_RECORD_FORK, PERF_RECORD_EXIT};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(types); i++) {
		struct build_perf b = {0};
		struct perf_task task;
		uint8_t *copy;
		put_task(&b, &attr, &who, types[i], 5);
		struct perf_record record = only_record(&b, &copy);
		assert_true(perf_record_task(&record, &task));
		assert_int_equal(task.pid, 7);
		assert_int_equal(task.tid, 8);
		assert_int_equal(task.parent_pid, 5);
		assert_int_equal(task.parent_tid, 5);
		assert_true(task.time == 99);
		free(copy);
		build_perf_free(&b);
	}
}

static void test_lost(void **state)
{
	uint64_t body[] = {11, 12}, lost;
	struct perf_record record = {.type = PERF_RECORD_LOST,
				     .body = {(const uint8_t *)body, sizeof(body)}};

	(void)state;
	assert_true(perf_record_lost(&record, &lost));
	assert_true(lost == 12);
	record.type = PERF_RECORD_LOST_SAMPLES;
	assert_true(perf_record_lost(&record, &lost));
	assert_true(lost == 11);
	record.body.size = 7;
	assert_false(perf_record_lost(&record, &lost));
}

/* Bodies of every size below what the fields need. */
static void test_short_bodies(void **state)
{
	uint8_t *zeros = calloc(1, 64);
	struct map_event map;
	struct perf_task task;
	struct perf_comm comm;

	(void)state;
	assert_non_null(zeros);
	for (size_t size = 0; size <= 64; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		assert_non_null(copy);
		memcpy(copy, zeros, size);
		struct perf_record record = {.type = PERF_RECORD_MMAP2, .body = {copy, size}};
		assert_int_equal(perf_record_map(&record, 0, &map), size >= 64);
		record.type = PERF_RECORD_MMAP;
		assert_int_equal(perf_record_map(&record, 0, &map), size >= 32);
		assert_int_equal(perf_record_task(&record, &task), size >= 24);
		assert_int_equal(perf_record_comm(&record, 0, &comm), size >= 8);
		assert_int_equal(perf_record_comm(&record, 16, &comm), size >= 24);
		free(copy);
	}
	free(zeros);
}

static void test_extra_bytes(void **state)
{
	uint64_t body[] = {13, 0};
	struct perf_record record = {.type = PERF_USER_TRACING_DATA,
				     .body = {(const uint8_t *)body, sizeof(body)}};
	uint64_t extra;

	(void)state;
	assert_true(perf_record_extra(&record, &extra));
	assert_true(extra == 16);
	record.type = PERF_USER_AUXTRACE;
	assert_true(perf_record_extra(&record, &extra));
	assert_true(extra == 13);
	record.body.size = 7;
	assert_false(perf_record_extra(&record, &extra));
	record.type = PERF_RECORD_SAMPLE;
	assert_true(perf_record_extra(&record, &extra));
	assert_true(extra == 0);
}

static void test_compressed_payloads(void **state)
{
	uint64_t body[] = {5, 0};
	struct perf_record record = {.type = PERF_USER_COMPRESSED,
				     .body = {(const uint8_t *)body, sizeof(body)}};
	struct bytes payload;

	(void)state;
	assert_true(perf_record_compressed(&record, &payload));
	assert_int_equal(payload.size, 16);
	record.type = PERF_USER_COMPRESSED2;
	assert_true(perf_record_compressed(&record, &payload));
	assert_int_equal(payload.size, 5);
	body[0] = 9;
	assert_false(perf_record_compressed(&record, &payload));
}

static void add_build_id(struct perf_build_ids *table, const char *path, uint8_t first)
{
	uint8_t id[20] = {first};
	struct build_perf b = {0};
	struct bc_error err;
	uint8_t *copy;

	put_build_id(&b, path, id);
	struct perf_record record = only_record(&b, &copy);
	assert_true(perf_build_ids_add(table, record.misc, record.body, &err));
	free(copy);
	build_perf_free(&b);
}

static void test_build_id_table(void **state)
{
	struct perf_build_ids table = {0};

	(void)state;
	assert_null(perf_build_ids_find(&table, text_of("/a")));
	add_build_id(&table, "/b", 2);
	add_build_id(&table, "/a", 1);
	add_build_id(&table, "/c", 3);
	add_build_id(&table, "/a", 1); /* the same, of another process */
	add_build_id(&table, "/d", 4);
	add_build_id(&table, "/d", 5); /* which of them? */
	const struct build_id *id = perf_build_ids_find(&table, text_of("/a"));
	assert_non_null(id);
	assert_int_equal(id->size, 20);
	assert_int_equal(id->data[0], 1);
	assert_int_equal(perf_build_ids_find(&table, text_of("/b"))->data[0], 2);
	assert_int_equal(perf_build_ids_find(&table, text_of("/c"))->data[0], 3);
	assert_null(perf_build_ids_find(&table, text_of("/d")));
	assert_null(perf_build_ids_find(&table, text_of("/")));
	assert_null(perf_build_ids_find(&table, text_of("/aa")));
	assert_null(perf_build_ids_find(&table, text_of("")));
	add_build_id(&table, "/", 6);
	assert_int_equal(perf_build_ids_find(&table, text_of("/"))->data[0], 6);
	perf_build_ids_free(&table);
}

static void test_damaged_build_ids(void **state)
{
	struct perf_build_ids table = {0};
	uint8_t zeros[64] = {0};
	struct bc_error err;

	(void)state;
	for (size_t size = 0; size < sizeof(zeros); size++) {
		assert_false(perf_build_ids_add(&table, PERF_RECORD_MISC_USER,
						(struct bytes){zeros, size}, &err));
		assert_int_equal(err.code, BC_FORMAT);
	}
	zeros[28] = 'x';
	assert_true(perf_build_ids_add(&table, PERF_RECORD_MISC_KERNEL,
				       (struct bytes){zeros, sizeof(zeros)}, &err));
	assert_int_equal(table.all.len, 0);
	perf_build_ids_free(&table);
}

/* linux/perf_event.h: 1 to 22 (7.0); tools/perf/util/event.h: 64 to 86; simpleperf's record.h:
 * 32769 to 32778. */
static void test_known_types(void **state)
{
	static const struct {
		uint32_t type;
		bool known;
	} rows[] = {
		{0, false},    {1, true},     {22, true},     {23, false},         {63, false},
		{64, true},    {86, true},    {87, false},    {32767, false},      {32768, false},
		{32769, true}, {32778, true}, {32779, false}, {UINT32_MAX, false},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		if (perf_record_type_is_known(rows[i].type) != rows[i].known)
			fail_msg("type %u", rows[i].type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_types),         cmocka_unit_test(test_mmap2_with_inode),
		cmocka_unit_test(test_mmap2_with_build_id), cmocka_unit_test(test_mmap),
		cmocka_unit_test(test_path_is_bounded),     cmocka_unit_test(test_comm),
		cmocka_unit_test(test_fork_and_exit),       cmocka_unit_test(test_lost),
		cmocka_unit_test(test_short_bodies),        cmocka_unit_test(test_extra_bytes),
		cmocka_unit_test(test_compressed_payloads), cmocka_unit_test(test_build_id_table),
		cmocka_unit_test(test_damaged_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
