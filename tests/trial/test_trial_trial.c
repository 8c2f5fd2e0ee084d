/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rounds of programs whose events are played: each writes what is counted into a file. */
#include "src/trial/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

#define WORDS(...)                                                                                 \
	(struct template)                                                                          \
	{                                                                                          \
		(const char *const[]){__VA_ARGS__},                                                \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                \
	}
#define INTEL  "vendor_id\t: GenuineIntel\n"
#define ROUNDS 12

static char folder[] = "/tmp/test_trial_XXXXXX";
static int open_now, reads, switched;

static int play_open(struct perf_event_attr *attr, int task, int cpu, unsigned long flags)
{
	(void)cpu;
	(void)flags;
	assert_true(task > 1 && task != getpid());
	open_now++;
	return (int)(attr->type << 20 | (attr->config & 0xfffff)) + 1000;
}

static void play_close(int fd)
{
	(void)fd;
	open_now--;
}

static int play_control(int fd, unsigned long request, unsigned long value)
{
	(void)fd;
	(void)request;
	(void)value;
	switched++;
	return 0;
}

/* All events count the same, but that the cycles are once not there. */
static bool play_count(int fd, uint64_t *values, size_t count)
{
	FILE *in = fopen("count", "r");
	unsigned number = 0;

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%u", &number), 1);
	fclose(in);
	assert_int_equal(count, 3);
	bool is_cycles = fd == 1000;
	values[0] = number;
	values[1] = 1;
	values[2] = !is_cycles || reads++ != 7;
	return true;
}

static bool play_read(const char *path, char *text, size_t size)
{
	(void)path;
	snprintf(text, size, INTEL);
	return true;
}

static const struct perf_kernel kernel = {.open = play_open,
					  .control = play_control,
					  .close = play_close,
					  .count = play_count,
					  .read = play_read};

static void write_program(const char *name, unsigned count)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\necho %u >count\n", count);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(name, 0755), 0);
}

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return -1;
	write_program("a", 1000);
	write_program("b", 900);
	return 0;
}

static int leave(void **state)
{
	static const char *const files[] = {"a", "b", "count", "ready"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		(void)unlink(files[i]);
	return chdir("/") || rmdir(folder);
}

static void run(const struct workload *workload, struct contest *out)
{
	static const char *const paths[] = {"a", "b"};
	const struct trial_options options = {.budget = 600, .margin = 0.01, .rounds = ROUNDS};
	struct bc_error err;

	if (!trial_run(workload, paths, 2, &options, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(open_now, 0);
}

/* After each round the interval was looked at, and once more at the end. */
static void assert_looks(const struct contest *contest)
{
	const struct trial_look_vec *looks = &contest->at[1].looks;

	assert_int_equal(contest->at[0].looks.len, 0);
	assert_int_equal(looks->len, contest->rounds);
	for (size_t i = 0; i < looks->len; i++)
		assert_int_equal(looks->at[i].rounds, i + 1);
	assert_memory_equal(&looks->at[looks->len - 1].is, &contest->at[1].cpu_is,
			    sizeof(struct ratio_estimate));
}

/* 901 of 1001, as one is added to each. */
static void assert_counted(const struct contest *contest)
{
	const struct contender_event *taken = &contest->at[1].events[COUNTED_TAKEN];

	assert_in_range(contest->rounds, 1, ROUNDS); /* fewer where the times decide */
	assert_true(contest->has_event[COUNTED_TAKEN]);
	assert_int_equal(contest->at[0].events[COUNTED_TAKEN].count, 1000);
	assert_int_equal(taken->count, 900);
	assert_int_equal(taken->is.ratio * 1001 + 0.5, 901);
	assert_true(taken->is.low < taken->is.ratio && taken->is.ratio < taken->is.high);
	assert_true(taken->is.low > 0.9 && taken->is.high < 0.901);
}

static void test_command(void **state)
{
	const struct workload workload = {.command = WORDS("{}"), .timeout = 60, .kernel = &kernel};
	struct contest contest;

	(void)state;
	reads = switched = 0;
	run(&workload, &contest);
	assert_counted(&contest);
	assert_looks(&contest);
	assert_false(contest.has_event[COUNTED_CYCLES]); /* one run lacks it */
	assert_int_equal(switched, 0);
	trial_free(&contest);
}

/* Counted from its load on. */
static void test_server(void **state)
{
	const struct workload workload = {
		.serve = WORDS("sh", "-c", "\"$0\"; touch ready; exec sleep 100", "{}"),
		.ready = WORDS("rm", "ready"),
		.command = WORDS("true"),
		.timeout = 60,
		.kernel = &kernel};
	struct contest contest;

	(void)state;
	reads = 100;
	switched = 0;
	run(&workload, &contest);
	assert_counted(&contest);
	assert_true(contest.has_event[COUNTED_CYCLES]);
	/* Two first runs, and two in each round. */
	assert_int_equal(switched, (2 + 2 * (int)contest.rounds) * COUNTED_EVENT_COUNT);
	trial_free(&contest);
}

/* Nothing is counted, and a program that is not there leaves nothing open. */
static void test_none(void **state)
{
	struct workload workload = {.command = WORDS("{}"), .timeout = 60};
	struct workload_run once;
	struct contest contest;
	struct bc_error err;

	(void)state;
	run(&workload, &contest);
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		assert_false(contest.has_event[i]);
	trial_free(&contest);
	workload.kernel = &kernel;
	assert_false(workload_run(&workload, "./nothing", &once, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_int_equal(open_now, 0);
}

/* This machine's kernel, where it counts at all: each page that is touched faults once, also of a
 * process that the command starts. */
static void test_here(void **state)
{
	struct workload workload = {.command = WORDS("sh", "-c", "sh -c :; sh -c :; :"),
				    .timeout = 60,
				    .kernel = &perf_kernel_linux};
	struct workload_run one, more;
	struct bc_error err;

	(void)state;
	assert_true(workload_run(&workload, "x", &more, &err));
	if (!more.events.has[COUNTED_FAULTS])
		skip();
	workload.command = WORDS("sh", "-c", ":");
	assert_true(workload_run(&workload, "x", &one, &err));
	assert_true(one.events.of[COUNTED_FAULTS] > 10);
	assert_true(more.events.of[COUNTED_FAULTS] > 2 * one.events.of[COUNTED_FAULTS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_server),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
