/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call chains, as both readers of perf's formats deliver them. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/samples/perf_data/perf_events.h"
#include "src/samples/reader.h"
#include "tests/support/cmocka.h"

static void put64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* ip, then a chain of `count` words. */
static struct bytes body_of(uint8_t *buffer, const uint64_t *chain, uint64_t count)
{
	put64(buffer, 0x401000);
	put64(buffer + 8, count);
	for (uint64_t i = 0; i < count; i++)
		put64(buffer + 16 + 8 * i, chain[i]);
	return (struct bytes){buffer, 16 + 8 * (size_t)count};
}

static void marks_are_left_out(void **state)
{
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
				  (uint64_t)PERF_CONTEXT_USER, 0x401000, 0x401234};
	struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN};
	struct perf_sample_layout layout;
	struct perf_sample sample;
	uint8_t buffer[64];
	uint64_t out[5];

	(void)state;
	perf_sample_layout(&attr, &layout);
	assert_true(perf_sample_parse(&layout, body_of(buffer, chain, 5), &sample));
	assert_int_equal(sample.callchain_count, 5);
	assert_int_equal(perf_callchain(&sample, out), 3);
	assert_int_equal(out[0], 0xffffffff81000010);
	assert_int_equal(out[1], 0x401000);
	assert_int_equal(out[2], 0x401234);
}

static void a_cut_chain_is_refused(void **state)
{
	const uint64_t chain[] = {1, 2, 3};
	struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN};
	struct perf_sample_layout layout;
	struct perf_sample sample;
	uint8_t buffer[64];

	(void)state;
	perf_sample_layout(&attr, &layout);
	struct bytes body = body_of(buffer, chain, 3);
	body.size -= 8;
	assert_false(perf_sample_parse(&layout, body, &sample));
	put64(buffer + 8, UINT64_MAX);
	assert_false(perf_sample_parse(&layout, body, &sample));
}

static const char text[] = "prog 77/77 12.000000005: cycles:u: \n"
			   "\t          401010 main+0x10 (/srv/prog)\n"
			   "\t    7f0000001234 __libc_start+0x4 ([unknown])\n"
			   "\n"
			   "prog 77/77 13.5: cycles:u:  401020 main+0x20 (/srv/prog)\n";

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	unsigned *samples = ctx;

	(void)err;
	if (event->kind != EVENT_SAMPLE)
		return true;
	const struct sample *sample = event->sample;
	assert_int_equal(sample->pid, 77);
	if (!(*samples)++) {
		assert_int_equal(event->time, 12000000005);
		assert_int_equal(sample->ip.v, 0x401010);
		assert_true(text_is(sample->ip_file, "/srv/prog"));
		assert_int_equal(sample->callchain_count, 2);
		assert_int_equal(sample->callchain[1], 0x7f0000001234);
		assert_true(text_is(sample->callchain_files[0], "/srv/prog"));
		assert_true(text_is(sample->callchain_files[1], "[unknown]"));
	} else {
		assert_int_equal(event->time, 13500000000);
		assert_int_equal(sample->ip_file.len, 0);
		assert_int_equal(sample->callchain_count, 0);
	}
	return true;
}

static void text_of_perf_script(void **state)
{
	char path[] = "/tmp/chain-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct reader_options how = {.format = INPUT_PERF_SCRIPT};
	struct reader_report report;
	struct file_stream stream;
	struct bc_error err = {0};
	unsigned samples = 0;
	const struct event_sink sink = {&samples, take_event};

	(void)state;
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_true(stream_open(path, &stream, &err));
	if (!reader_run(&stream, &how, &sink, &report, &err))
		fail_msg("%s", err.text);
	stream_close(&stream);
	remove(path);
	assert_int_equal(samples, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_left_out),
		cmocka_unit_test(a_cut_chain_is_refused),
		cmocka_unit_test(text_of_perf_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
