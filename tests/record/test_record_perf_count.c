/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which events are asked for, and what becomes of their counts: of a kernel that is played. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/record/perf_count.h"
#include "tests/support/cmocka.h"

#define FIRST 100 /* descriptor */

static const char *cpuinfo;
static struct perf_event_attr asked[16];
static size_t opened, closed;
static bool no_processor_events, from_exec;
static uint64_t values[3];
static unsigned long controlled[16]; /* the last request of each */

static int play_open(struct perf_event_attr *attr, int task, int cpu, unsigned long flags)
{
	assert_int_equal(task, 12);
	assert_int_equal(cpu, -1);
	assert_int_equal(flags, 0);
	assert_true(attr->inherit && attr->exclude_kernel && attr->exclude_hv && attr->disabled);
	assert_int_equal(attr->enable_on_exec, from_exec);
	assert_int_equal(attr->sample_period, 0);
	if (no_processor_events && attr->type != PERF_TYPE_SOFTWARE) {
		errno = ENOENT;
		return -1;
	}
	asked[opened] = *attr;
	return FIRST + (int)opened++;
}

static int play_control(int fd, unsigned long request, unsigned long value)
{
	assert_int_equal(value, 0);
	controlled[fd - FIRST] = request;
	return 0;
}

static void play_close(int fd)
{
	assert_in_range(fd, FIRST, FIRST + opened - 1);
	closed++;
}

static bool play_count(int fd, uint64_t *out, size_t count)
{
	assert_int_equal(count, 3);
	memcpy(out, values, sizeof(values));
	out[0] += (uint64_t)(fd - FIRST);
	return true;
}

static bool play_read(const char *path, char *text, size_t size)
{
	assert_string_equal(path, "/proc/cpuinfo");
	snprintf(text, size, "%s", cpuinfo ? cpuinfo : "");
	return cpuinfo;
}

static const struct perf_kernel kernel = {.open = play_open,
					  .control = play_control,
					  .close = play_close,
					  .count = play_count,
					  .read = play_read};

static struct event_counters open_on(const char *processor, bool exec)
{
	struct event_counters out;

	cpuinfo = processor;
	from_exec = exec;
	opened = closed = 0;
	event_counters_open(&kernel, 12, exec, &out);
	return out;
}

/* The numbers of the events: linux/perf_event.h; of taken branches: the processors' manuals. */
static void assert_asked(size_t at, uint32_t type, uint64_t config)
{
	assert_int_equal(asked[at].type, type);
	assert_int_equal(asked[at].config, config);
}

static void test_events(void **state)
{
	struct event_counters counters = open_on("vendor_id\t: GenuineIntel\n", true);
	struct event_counts counts;

	(void)state;
	assert_int_equal(opened, COUNTED_EVENT_COUNT);
	assert_asked(COUNTED_INSTRUCTIONS, 0, 1);
	assert_asked(COUNTED_TAKEN, 4, 0x20c4);
	assert_asked(COUNTED_LINE_MISSES, 3, 0x10001);
	assert_asked(COUNTED_PAGE_MISSES, 3, 0x10004);
	assert_asked(COUNTED_CYCLES, 0, 0);
	assert_asked(COUNTED_FAULTS, 1, 2);
	memcpy(values, (uint64_t[]){1000, 50, 50}, sizeof(values));
	event_counters_read(&counters, &counts);
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++) {
		assert_true(counts.has[i]);
		assert_int_equal(counts.of[i], 1000 + i);
	}
	event_counters_close(&counters);
	assert_int_equal(closed, opened);
	event_counters_close(&counters); /* nothing is left */
	assert_int_equal(closed, opened);

	counters = open_on("vendor_id\t: AuthenticAMD\n", true);
	assert_asked(COUNTED_TAKEN, 4, 0xc4);
	event_counters_close(&counters);
}

/* A processor whose taken branches are not known. */
static void test_others(void **state)
{
	static const char *const others[] = {"CPU implementer\t: 0x41\n", NULL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct event_counters counters = open_on(others[i], true);
		struct event_counts counts;

		assert_int_equal(opened, COUNTED_EVENT_COUNT - 1);
		memcpy(values, (uint64_t[]){7, 1, 1}, sizeof(values));
		event_counters_read(&counters, &counts);
		assert_false(counts.has[COUNTED_TAKEN]);
		assert_true(counts.has[COUNTED_INSTRUCTIONS] && counts.has[COUNTED_FAULTS]);
		event_counters_close(&counters);
	}
}

static void test_no_processor_events(void **state)
{
	struct event_counts counts;

	(void)state;
	no_processor_events = true;
	struct event_counters counters = open_on("vendor_id\t: GenuineIntel\n", true);
	no_processor_events = false;
	assert_int_equal(opened, 1);
	event_counters_read(&counters, &counts);
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		assert_int_equal(counts.has[i], i == COUNTED_FAULTS);
	event_counters_close(&counters);
	assert_int_equal(closed, 1);
}

/* A counter for a quarter of the time; none at all. */
static void test_shared(void **state)
{
	struct event_counters counters = open_on("vendor_id\t: GenuineIntel\n", true);
	struct event_counts counts;

	(void)state;
	memcpy(values, (uint64_t[]){1000, 200, 50}, sizeof(values));
	event_counters_read(&counters, &counts);
	assert_true(counts.has[COUNTED_INSTRUCTIONS]);
	assert_int_equal(counts.of[COUNTED_INSTRUCTIONS], 4000);
	memcpy(values, (uint64_t[]){0, 200, 0}, sizeof(values));
	event_counters_read(&counters, &counts);
	assert_false(counts.has[COUNTED_INSTRUCTIONS]);
	event_counters_close(&counters);
}

static void test_switch(void **state)
{
	struct event_counters counters = open_on("vendor_id\t: GenuineIntel\n", false);

	(void)state;
	event_counters_switch(&counters, true);
	for (size_t i = 0; i < opened; i++)
		assert_int_equal(controlled[i], PERF_EVENT_IOC_ENABLE);
	event_counters_switch(&counters, false);
	for (size_t i = 0; i < opened; i++)
		assert_int_equal(controlled[i], PERF_EVENT_IOC_DISABLE);
	event_counters_close(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_no_processor_events),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
