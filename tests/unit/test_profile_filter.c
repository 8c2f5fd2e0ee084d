/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/filter.h"

#include "tests/support/cmocka.h"

#define WANTED SAMPLE_DROP_COUNT

static const uint32_t pids[] = {7, 0, 4194304};

static enum sample_drop check(const struct filter *filter, uint32_t pid, uint64_t time,
			      const char *event, uint64_t seen)
{
	const struct sample sample = {.pid = pid, .event = text_of(event)};
	const struct event taken = {.kind = EVENT_SAMPLE, .time = time, .sample = &sample};

	return filter_check(filter, &taken, seen);
}

static void without_options_all_are_wanted(void **state)
{
	const struct filter filter = {0};

	(void)state;
	assert_int_equal(check(&filter, 0, 0, "", 0), WANTED);
	assert_int_equal(check(&filter, NO_PID, UINT64_MAX, "cycles:u:", UINT64_MAX), WANTED);
}

static void pids_alone(void **state)
{
	const struct filter filter = {.pids = pids, .pid_count = BC_COUNT(pids)};

	(void)state;
	assert_int_equal(check(&filter, 7, 0, "", 0), WANTED);
	assert_int_equal(check(&filter, 0, 0, "", 0), WANTED);
	assert_int_equal(check(&filter, 4194304, 0, "", 0), WANTED);
	assert_int_equal(check(&filter, 8, 0, "", 0), SAMPLE_OTHER_PID);
	assert_int_equal(check(&filter, NO_PID, 0, "", 0), SAMPLE_OTHER_PID);
}

/* As perf names it, with the colon that perf script prints or without. */
static void events(void **state)
{
	static const struct {
		const char *wanted, *has;
		enum sample_drop result;
	} rows[] = {
		{"cycles", "cycles", WANTED},
		{"cycles", "cycles:", WANTED},
		{"cycles:", "cycles", WANTED},
		{"cycles:u", "cycles:u:", WANTED},
		{"cycles:u:", "cycles:u:", WANTED},
		{"cycles", "cycles:u:", SAMPLE_OTHER_EVENT},
		{"cycles:u", "cycles", SAMPLE_OTHER_EVENT},
		{"cycle", "cycles", SAMPLE_OTHER_EVENT},
		{"cycles", "", SAMPLE_OTHER_EVENT}, /* text without event names */
		{"", "cycles", WANTED},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		const struct filter filter = {.event = text_of(rows[i].wanted)};
		assert_int_equal(check(&filter, 1, 0, rows[i].has, 0), rows[i].result);
	}
}

/* From the first time on, before the second. */
static void times(void **state)
{
	static const struct {
		uint64_t from, to, time;
		enum sample_drop result;
	} rows[] = {
		{100, 200, 99, SAMPLE_OTHER_TIME}, {100, 200, 100, WANTED},
		{100, 200, 199, WANTED},           {100, 200, 200, SAMPLE_OTHER_TIME},
		{100, 0, UINT64_MAX, WANTED},      {100, 0, 0, SAMPLE_OTHER_TIME}, /* not known */
		{0, 200, 0, WANTED},               {0, 200, 200, SAMPLE_OTHER_TIME},
		{200, 100, 150, SAMPLE_OTHER_TIME},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		const struct filter filter = {.from_ns = rows[i].from, .to_ns = rows[i].to};
		assert_int_equal(check(&filter, 1, rows[i].time, "", 0), rows[i].result);
	}
}

/* The number is of those that were read, whatever else is asked for. */
static void the_first_ones(void **state)
{
	const struct filter filter = {.most = 3, .pids = pids, .pid_count = 1};

	(void)state;
	assert_int_equal(check(&filter, 7, 0, "", 0), WANTED);
	assert_int_equal(check(&filter, 8, 0, "", 1), SAMPLE_OTHER_PID);
	assert_int_equal(check(&filter, 7, 0, "", 2), WANTED);
	assert_int_equal(check(&filter, 7, 0, "", 3), SAMPLE_PAST_LIMIT);
	assert_int_equal(check(&filter, 8, 0, "", 3), SAMPLE_PAST_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_all_are_wanted),
		cmocka_unit_test(pids_alone),
		cmocka_unit_test(events),
		cmocka_unit_test(times),
		cmocka_unit_test(the_first_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
