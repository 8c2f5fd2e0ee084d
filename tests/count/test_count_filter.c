/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/aggregate.h"

#include "tests/support/cmocka.h"

#define WANTED SAMPLE_KEPT

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
	assert_int_equal(check(&filter, 8, 0, "", 0), SAMPLE_DROP_OTHER_PID);
	assert_int_equal(check(&filter, NO_PID, 0, "", 0), SAMPLE_DROP_OTHER_PID);
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
		{"cycles", "cycles:u:", WANTED},
		{"cycles", "cycles:ppp", WANTED},
		{"cycles:", "cycles:u:", SAMPLE_DROP_OTHER_EVENT}, /* that very one */
		{"cycles:k", "cycles:u:", SAMPLE_DROP_OTHER_EVENT},
		{"sched",
		 "sched:sched_switch:", SAMPLE_DROP_OTHER_EVENT}, /* no modifier: a tracepoint */
		{"sched:sched_switch", "sched:sched_switch:", WANTED},
		{"", ":u", WANTED},
		{"cycles:u", "cycles", SAMPLE_DROP_OTHER_EVENT},
		{"cycle", "cycles", SAMPLE_DROP_OTHER_EVENT},
		{"cycles", "", SAMPLE_DROP_OTHER_EVENT}, /* text without event names */
		{"", "cycles", WANTED},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		const struct filter filter = {.event = text_of(rows[i].wanted)};
		assert_int_equal(check(&filter, 1, 0, rows[i].has, 0), rows[i].result);
	}
}

static bool note_at(struct filter_seen *seen, const struct filter *filter, const char *event,
		    uint32_t pid, uint64_t time, struct bc_error *err)
{
	const struct sample sample = {.pid = pid, .event = text_of(event)};

	return filter_note(seen, filter, &sample, time, check(filter, pid, time, event, 0), err);
}

static bool note(struct filter_seen *seen, const struct filter *filter, const char *event,
		 uint32_t pid, struct bc_error *err)
{
	return note_at(seen, filter, event, pid, 0, err);
}

static void one_name_is_one_event(void **state)
{
	const struct filter filter = {.event = text_of("cycles")};
	struct filter_seen seen = {0};
	struct bc_error err;

	(void)state;
	assert_true(note(&seen, &filter, "cycles:u:", 1, &err));
	assert_true(note(&seen, &filter, "instructions:u:", 1, &err));
	assert_true(note(&seen, &filter, "cycles:u:", 2, &err));
	assert_false(note(&seen, &filter, "cycles:k:", 1, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_non_null(strstr(err.text, "cycles:u and cycles:k"));
}

static void what_there_is(void **state)
{
	const uint32_t wanted = 1;
	const struct filter by_event = {.event = text_of("other")},
			    by_pid = {.pids = &wanted, .pid_count = 1};
	struct filter_seen seen = {0};
	struct bc_error err;
	char line[640], small[40];

	(void)state;
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(line, "");
	for (int i = 0; i < 3; i++) {
		assert_true(note(&seen, &by_event, "cycles:u:", 7, &err));
		assert_true(note(&seen, &by_event, "", 7, &err));
	}
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(line, "events of the recording: cycles:u, without a name");
	seen = (struct filter_seen){0};
	for (uint32_t pid = 2; pid < 20; pid++)
		assert_true(note(&seen, &by_pid, "cycles", pid, &err));
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(
		line, "processes of the recording: 2, 3, 4, 5, 6, 7 and more (batconv inspect)");
	filter_tell(&seen, small, sizeof(small));
	assert_memory_equal(small, line, sizeof(small) - 1);
}

static void what_times_there_are(void **state)
{
	const uint64_t second = 1000000000;
	const struct filter filter = {.from_ns = second, .to_ns = 2 * second};
	struct filter_seen seen = {0};
	struct bc_error err;
	char line[640];

	(void)state;
	assert_true(note_at(&seen, &filter, "cycles", 1, second, &err));
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(line, "");
	assert_true(note_at(&seen, &filter, "cycles", 1, 0, &err));
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(line, "the samples have no times (perf script -F +time)");
	seen = (struct filter_seen){0};
	assert_true(note_at(&seen, &filter, "cycles", 1, 3 * second + 5, &err));
	assert_true(note_at(&seen, &filter, "cycles", 1, 4 * second, &err));
	assert_true(note_at(&seen, &filter, "cycles", 1, 2 * second, &err));
	filter_tell(&seen, line, sizeof(line));
	assert_string_equal(line, "times that --time leaves out: 2.000000000 to 4.000000000");
}

/* From the first time on, before the second. */
static void times(void **state)
{
	static const struct {
		uint64_t from, to, time;
		enum sample_drop result;
	} rows[] = {
		{100, 200, 99, SAMPLE_DROP_OTHER_TIME},
		{100, 200, 100, WANTED},
		{100, 200, 199, WANTED},
		{100, 200, 200, SAMPLE_DROP_OTHER_TIME},
		{100, 0, UINT64_MAX, WANTED},
		{100, 0, 0, SAMPLE_DROP_OTHER_TIME}, /* not known */
		{0, 200, 0, WANTED},
		{0, 200, 200, SAMPLE_DROP_OTHER_TIME},
		{200, 100, 150, SAMPLE_DROP_OTHER_TIME},
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
	assert_int_equal(check(&filter, 8, 0, "", 1), SAMPLE_DROP_OTHER_PID);
	assert_int_equal(check(&filter, 7, 0, "", 2), WANTED);
	assert_int_equal(check(&filter, 7, 0, "", 3), SAMPLE_DROP_PAST_LIMIT);
	assert_int_equal(check(&filter, 8, 0, "", 3), SAMPLE_DROP_PAST_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_all_are_wanted),
		cmocka_unit_test(pids_alone),
		cmocka_unit_test(events),
		cmocka_unit_test(one_name_is_one_event),
		cmocka_unit_test(what_there_is),
		cmocka_unit_test(what_times_there_are),
		cmocka_unit_test(times),
		cmocka_unit_test(the_first_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
