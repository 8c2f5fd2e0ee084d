/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of the perf.data reader fails once: the error says so and
 * nothing leaks.  The files that allocate are compiled into this one, with
 * allocators that fail on demand. */
#include "src/base/vec.h"
#include "tests/support/cmocka.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long allowed; /* allocations until one fails */

static bool may_allocate(void)
{
	return allowed && allowed--;
}

static void *failing_malloc(size_t size)
{
	return may_allocate() ? malloc(size) : NULL;
}

static void *failing_calloc(size_t count, size_t size)
{
	return may_allocate() ? calloc(count, size) : NULL;
}

static void *failing_realloc(void *old, size_t size)
{
	return may_allocate() ? realloc(old, size) : NULL;
}

static char *failing_strndup(const char *text, size_t size)
{
	return may_allocate() ? strndup(text, size) : NULL;
}

/* Names that cmocka has as macros, and that two of the files have. */
#undef skip
#define malloc                        failing_malloc
#define calloc                        failing_calloc
#define realloc                       failing_realloc
#define large_realloc(at, used, size) failing_realloc(at, size)
#undef strndup
#define strndup failing_strndup
#include "src/samples/perf_data/perf_records.c"
#include "src/samples/perf_data/perf_events.c"
#include "src/samples/perf_data/perf_file.c"
#include "src/samples/perf_data/perf_features.c"
#include "src/samples/perf_data/deliver.c"
#include "src/samples/perf_data/perf_data.c"
#undef malloc
#undef calloc
#undef realloc
#undef large_realloc
#undef strndup

#include "tests/support/build_perf.h"

static const struct build_attr attr = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.flags = PERF_ATTR_SAMPLE_ID_ALL,
	.ids = {1},
	.id_count = 1,
};

static void build(struct build_perf *out)
{
	static const uint8_t id[20] = {1};
	struct build_perf_file file = {.attrs = &attr, .attr_count = 1};

	add_feature(&file, PERF_FEATURE_BUILD_ID);
	for (char i = 'a'; i <= 't'; i++)
		put_build_id(&file.features[0].bytes, (const char[]){'/', i, '\0'}, id);
	for (uint64_t i = 0; i < 3000; i++) {
		struct build_sample sample = {.pid = 1, .time = 1 + i % 7};
		put_sample(&file.records, &attr, &sample);
		if (i % 100 == 0)
			put_mmap2(&file.records, &attr, &sample, 0, 1, 2, "/a");
	}
	build_file(&file, out);
	build_perf_file_free(&file);
}

static bool count_samples(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)err;
	*(uint64_t *)ctx += event->kind == EVENT_SAMPLE;
	return true;
}

static void test_every_allocation_fails_once(void **state)
{
	struct build_perf b = {0};
	unsigned long n = 0;

	(void)state;
	build(&b);
	for (bool ok = false; !ok; n++) {
		struct file_stream stream = {.name = "x", .fd = open("/dev/null", O_RDONLY)};
		struct perf_data_input input = {.stream = &stream, .head = build_perf_bytes(&b)};
		uint64_t samples = 0;
		const struct event_sink sink = {&samples, count_samples};
		struct reader_report report = {0};
		struct bc_error err;
		allowed = n;
		ok = perf_data_read(&input, &sink, &report, &err);
		if (ok)
			assert_int_equal(samples, 3000);
		else
			assert_int_equal(err.code, BC_NOMEM);
		close(stream.fd);
	}
	assert_true(n > 30);
	build_perf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_allocation_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
