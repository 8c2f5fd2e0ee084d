/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header, the features, and the names of events. */
#include "tests/support/cmocka.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_file.h"
#include "tests/support/build_perf.h"

#define USER_ONLY (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV)

/* Features of one test. */
struct bench {
	struct perf_features features;
	struct perf_events events;
	struct build_perf b;
	struct bc_error err;
};

static bool parse(struct bench *bench, unsigned feature)
{
	bool ok = perf_feature_parse(feature, build_perf_bytes(&bench->b), &bench->features,
				     &bench->events, &bench->err);

	build_perf_free(&bench->b);
	return ok;
}

static void bench_fini(struct bench *bench)
{
	perf_events_free(&bench->events);
	perf_build_ids_free(&bench->features.build_ids);
}

static void test_strings(void **state)
{
	struct bench bench = {0};

	(void)state;
	put_long_string(&bench.b, "a.host");
	assert_true(parse(&bench, PERF_FEATURE_HOSTNAME));
	put_long_string(&bench.b, "6.1.0");
	assert_true(parse(&bench, PERF_FEATURE_VERSION));
	put_long_string(&bench.b, "aarch64");
	assert_true(parse(&bench, PERF_FEATURE_ARCH));
	put_u32(&bench.b, 3);
	put_long_string(&bench.b, "perf");
	put_long_string(&bench.b, "record");
	put_long_string(&bench.b, "a b");
	assert_true(parse(&bench, PERF_FEATURE_CMDLINE));
	assert_string_equal(bench.features.info.hostname, "a.host");
	assert_string_equal(bench.features.info.version, "6.1.0");
	assert_string_equal(bench.features.info.arch, "aarch64");
	assert_string_equal(bench.features.info.cmdline, "perf record a b");
	bench_fini(&bench);
}

static void test_strings_that_are_too_long(void **state)
{
	char text[3000];
	struct bench bench = {0};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	put_long_string(&bench.b, text);
	assert_true(parse(&bench, PERF_FEATURE_ARCH));
	assert_int_equal(strlen(bench.features.info.arch), sizeof(bench.features.info.arch) - 1);
	put_u32(&bench.b, 3);
	for (int i = 0; i < 3; i++)
		put_long_string(&bench.b, text);
	assert_true(parse(&bench, PERF_FEATURE_CMDLINE));
	assert_int_equal(strlen(bench.features.info.cmdline),
			 sizeof(bench.features.info.cmdline) - 1);
	put_u32(&bench.b, 3000); /* and a length that is not there */
	assert_false(parse(&bench, PERF_FEATURE_ARCH));
	assert_int_equal(bench.err.code, BC_FORMAT);
	put_u32(&bench.b, UINT32_MAX);
	assert_false(parse(&bench, PERF_FEATURE_CMDLINE));
	bench_fini(&bench);
}

static void test_numbers(void **state)
{
	struct bench bench = {0};

	(void)state;
	put_u64(&bench.b, 123);
	put_u64(&bench.b, 456);
	assert_true(parse(&bench, PERF_FEATURE_SAMPLE_TIME));
	for (uint32_t i = 1; i <= 5; i++)
		put_u32(&bench.b, i);
	assert_true(parse(&bench, PERF_FEATURE_COMPRESSED));
	assert_true(bench.features.info.first_ns == 123 && bench.features.info.last_ns == 456);
	assert_int_equal(bench.features.info.compression_level, 3);
	assert_int_equal(bench.features.info.mmap_size, 5);
	put_u64(&bench.b, 1);
	assert_false(parse(&bench, PERF_FEATURE_COMPRESSED));
	put_u32(&bench.b, 1); /* features that are not read are never damaged */
	assert_true(parse(&bench, 13));
	assert_true(parse(&bench, 255));
	bench_fini(&bench);
}

static void test_build_ids(void **state)
{
	static const uint8_t id[20] = {7};
	struct bench bench = {0};

	(void)state;
	put_build_id(&bench.b, "/bin/a", id);
	put_build_id(&bench.b, "/bin/b", id);
	assert_true(parse(&bench, PERF_FEATURE_BUILD_ID));
	assert_non_null(perf_build_ids_find(&bench.features.build_ids, text_of("/bin/b")));
	put_build_id(&bench.b, "/bin/c", id);
	set_u16(&bench.b, 6, 7);
	assert_false(parse(&bench, PERF_FEATURE_BUILD_ID));
	put_build_id(&bench.b, "/bin/c", id);
	set_u16(&bench.b, 6, 1000);
	assert_false(parse(&bench, PERF_FEATURE_BUILD_ID));
	bench_fini(&bench);
}

static void add_event(struct bench *bench, const struct build_attr *attr)
{
	struct build_perf b = {0}, ids = {0};
	struct perf_attr parsed;

	put_attr(&b, attr);
	for (size_t i = 0; i < attr->id_count; i++)
		put_u64(&ids, attr->ids[i]);
	assert_true(perf_attr_parse(build_perf_bytes(&b), &parsed));
	assert_true(perf_events_add(&bench->events, &parsed, build_perf_bytes(&ids), &bench->err));
	build_perf_free(&b);
	build_perf_free(&ids);
}

static const struct build_attr named[] = {
	{.type = 9, .config = 1, .name = "a/b,c=1/u", .ids = {11, 12}, .id_count = 2},
	{.type = 9, .config = 2, .name = "second", .ids = {21}, .id_count = 1},
};

static void test_event_names_by_id(void **state)
{
	struct bench bench = {0};
	struct build_perf_file swapped = {.attrs = (const struct build_attr[]){named[1], named[0]},
					  .attr_count = 2};

	(void)state;
	add_event(&bench, &named[0]);
	add_event(&bench, &named[1]);
	assert_string_equal(bench.events.all.at[0].label, "");
	add_event_names(&swapped);
	bench.b = swapped.features[0].bytes;
	assert_true(parse(&bench, PERF_FEATURE_EVENT_DESC));
	assert_string_equal(bench.events.all.at[0].label, "a/b,c=1/u:");
	assert_string_equal(bench.events.all.at[1].label, "second:");
	bench_fini(&bench);
}

static void test_event_names_by_index(void **state)
{
	struct build_attr plain[] = {named[0], named[1]};
	struct build_perf_file file = {.attrs = plain, .attr_count = 2};
	struct bench bench = {0};

	(void)state;
	plain[0].id_count = plain[1].id_count = 0;
	add_event(&bench, &plain[0]);
	add_event(&bench, &plain[1]);
	add_event_names(&file);
	bench.b = file.features[0].bytes;
	assert_true(parse(&bench, PERF_FEATURE_EVENT_DESC));
	assert_string_equal(bench.events.all.at[1].label, "second:");
	bench_fini(&bench);
}

/* simpleperf's way; names that there are stay. */
static void test_event_names_of_simpleperf(void **state)
{
	static const char info[] = "product\0x\0event_type_info\0"
				   "cpu-cycles,0,0\nbad\narm,9,1\nsecond,9,2\n,,\0"
				   "last";
	struct bench bench = {0};

	(void)state;
	add_event(&bench, &named[0]);
	add_event(&bench, &named[1]);
	add_event(&bench, &(struct build_attr){.type = PERF_TYPE_HARDWARE});
	perf_events_name(&bench.events, 1, text_of("first"));
	put_bytes(&bench.b, info, sizeof(info));
	assert_true(parse(&bench, PERF_FEATURE_META_INFO));
	assert_string_equal(bench.events.all.at[0].label, "arm:");
	assert_string_equal(bench.events.all.at[1].label, "first:");
	bench_fini(&bench);
}

/* As perf 6.1 prints them for files without names. */
static void test_names_of_nameless_events(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} rows[] = {
		{PERF_TYPE_HARDWARE, 0, PERF_ATTR_EXCLUDE_GUEST, "cycles"},
		{PERF_TYPE_HARDWARE, 0, 0, "cycles:HG"},
		{PERF_TYPE_HARDWARE, 1, USER_ONLY, "instructions:u"},
		{PERF_TYPE_HARDWARE, 1, USER_ONLY | PERF_ATTR_EXCLUDE_GUEST, "instructions:uH"},
		{PERF_TYPE_HARDWARE, 0, UINT64_C(2) << PERF_ATTR_PRECISE_SHIFT, "cycles:pp"},
		{PERF_TYPE_HARDWARE, 0, USER_ONLY | UINT64_C(3) << PERF_ATTR_PRECISE_SHIFT,
		 "cycles:uppp"},
		{PERF_TYPE_HARDWARE, 0, PERF_ATTR_EXCLUDE_USER, "cycles:kh"},
		{PERF_TYPE_HARDWARE, UINT64_C(4) << 32 | 4, PERF_ATTR_EXCLUDE_GUEST, "branches"},
		{PERF_TYPE_SOFTWARE, 0, PERF_ATTR_EXCLUDE_GUEST, "cpu-clock"},
		{PERF_TYPE_RAW, 0x20c4, USER_ONLY, "raw 0x20c4:u"},
		{PERF_TYPE_HARDWARE, 400, 0, ""},
		{PERF_TYPE_SOFTWARE, 400, 0, ""},
		{PERF_TYPE_TRACEPOINT, 1, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct perf_attr attr = {
			.type = rows[i].type, .config = rows[i].config, .flags = rows[i].flags};
		char name[PERF_EVENT_NAME_MAX];
		perf_attr_name(&attr, name);
		assert_string_equal(name, rows[i].name);
	}
}

static void test_attr_sizes(void **state)
{
	struct build_perf b = {0};
	struct perf_attr attr;

	(void)state;
	put_attr(&b,
		 &(struct build_attr){.sample_type = 5, .branch_sample_type = 6, .regs_intr = 7});
	for (size_t room = 0; room <= b.size; room++)
		assert_int_equal(perf_attr_parse(bytes_first(build_perf_bytes(&b), room), &attr),
				 room == b.size);
	assert_true(attr.branch_sample_type == 6 && attr.regs_intr == 7);
	b.data[4] = 72; /* its own size */
	assert_true(perf_attr_parse(build_perf_bytes(&b), &attr));
	assert_true(attr.sample_type == 5 && !attr.branch_sample_type && !attr.regs_intr);
	b.data[4] = 80;
	assert_true(perf_attr_parse(build_perf_bytes(&b), &attr));
	assert_true(attr.branch_sample_type == 6 && !attr.regs_intr);
	b.data[4] = 0;
	assert_true(perf_attr_parse(build_perf_bytes(&b), &attr));
	assert_int_equal(perf_attr_size(build_perf_bytes(&b)), PERF_ATTR_SMALLEST);
	b.data[4] = 63;
	assert_false(perf_attr_parse(build_perf_bytes(&b), &attr));
	b.data[4] = 200;
	assert_false(perf_attr_parse(build_perf_bytes(&b), &attr));
	build_perf_free(&b);
}

static void test_header_fields(void **state)
{
	struct build_perf_file file = {.attrs = named, .attr_count = 2};
	struct build_perf b = {0};
	struct perf_header header;
	struct bc_error err;

	(void)state;
	put_zeros(&file.records, 80);
	add_feature(&file, 2);
	add_feature(&file, 129);
	build_file(&file, &b);
	assert_true(perf_header_parse(build_perf_bytes(&b), &header, &err));
	assert_false(header.pipe);
	assert_int_equal(header.attrs.size, 2 * 144);
	assert_int_equal(header.data.size, 80);
	assert_true(perf_header_has(&header, 2) && perf_header_has(&header, 129));
	assert_false(perf_header_has(&header, 1) || perf_header_has(&header, 255));
	struct perf_section table = perf_header_feature_table(&header);
	assert_true(table.offset == header.data.offset + 80 && table.size == 32);
	for (size_t size = 16; size < 104; size++) {
		assert_false(
			perf_header_parse(bytes_first(build_perf_bytes(&b), size), &header, &err));
		assert_int_equal(err.code, BC_FORMAT);
	}
	set_u64(&b, 16, 79); /* attr_size */
	assert_false(perf_header_parse(build_perf_bytes(&b), &header, &err));
	set_u64(&b, 16, 144);
	set_u64(&b, 40, 50); /* data in the header */
	assert_false(perf_header_parse(build_perf_bytes(&b), &header, &err));
	set_u64(&b, 40, 1000);
	set_u64(&b, 48, UINT64_MAX - 10); /* data to beyond all files */
	assert_false(perf_header_parse(build_perf_bytes(&b), &header, &err));
	set_u64(&b, 48, 0);
	assert_true(perf_header_parse(build_perf_bytes(&b), &header, &err));
	assert_int_equal(perf_header_feature_table(&header).size, 0);
	build_perf_free(&b);
	build_perf_file_free(&file);
}

static void test_looking_up_events(void **state)
{
	struct build_attr attrs[] = {named[0], named[1]};
	struct bench bench = {0};
	struct build_perf b = {0};

	(void)state;
	assert_false(perf_events_settle(&bench.events, &bench.err));
	assert_int_equal(bench.err.code, BC_FORMAT);
	for (size_t i = 0; i < 2; i++) {
		attrs[i].sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_TIME;
		attrs[i].flags = PERF_ATTR_SAMPLE_ID_ALL;
		add_event(&bench, &attrs[i]);
	}
	assert_true(perf_events_settle(&bench.events, &bench.err));
	assert_true(bench.events.same_layout);
	for (uint64_t id = 0; id < 30; id++) {
		put_u64(&b, 1); /* ip */
		put_u64(&b, 2); /* time */
		put_u64(&b, id);
		const struct perf_event *event =
			perf_events_of_sample(&bench.events, build_perf_bytes(&b));
		size_t want = id == 21 ? 1 : 0;
		if (id == 0 || id == 11 || id == 12 || id == 21)
			assert_ptr_equal(event, &bench.events.all.at[want]);
		else
			assert_null(event);
		assert_null(perf_events_of_sample(&bench.events,
						  bytes_first(build_perf_bytes(&b), 23)));
		build_perf_free(&b);
	}
	bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_strings_that_are_too_long),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_event_names_by_id),
		cmocka_unit_test(test_event_names_by_index),
		cmocka_unit_test(test_event_names_of_simpleperf),
		cmocka_unit_test(test_names_of_nameless_events),
		cmocka_unit_test(test_attr_sizes),
		cmocka_unit_test(test_header_fields),
		cmocka_unit_test(test_looking_up_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
