/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/workload.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

#define WORDS(...)                                                                                 \
	(struct template)                                                                          \
	{                                                                                          \
		(const char *const[]){__VA_ARGS__},                                                \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)                \
	}

static void test_words(void **state)
{
	const struct template of = WORDS("{}", "-x={}{}", "{", "}{", "plain");
	char **words = template_words(&of, "/a b");

	(void)state;
	assert_non_null(words);
	assert_string_equal(words[0], "/a b");
	assert_string_equal(words[1], "-x=/a b/a b");
	assert_string_equal(words[2], "{");
	assert_string_equal(words[3], "}{");
	assert_string_equal(words[4], "plain");
	assert_null(words[5]);
	template_free(words);
	words = template_words(&of, "name"); /* of this directory, not of PATH */
	assert_non_null(words);
	assert_string_equal(words[0], "./name");
	assert_string_equal(words[1], "-x=./name./name");
	template_free(words);
	assert_true(template_has_binary(&of));
	assert_false(template_has_binary(&WORDS("{", "}", "{ }")));
}

/* SHA-256 of "abc": FIPS 180-4, an example. */
static void test_output(void **state)
{
	static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea};
	struct workload workload = {
		.command = WORDS("{}", "-c", "printf abc; echo ' last ' >&2; exit 7"),
		.timeout = 60};
	struct workload_run run;
	struct bc_error err;

	(void)state;
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(run.code, 7);
	assert_int_equal(run.written, 3);
	assert_memory_equal(run.digest, abc, sizeof(abc));
	assert_string_equal(run.said, "last");
	workload.command = WORDS("{}", "-c", "head -c 3000000 /dev/zero; kill -9 $$");
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(run.code, 128 + SIGKILL);
	assert_int_equal(run.written, 3000000);
}

static void test_input(void **state)
{
	struct workload workload = {.command = WORDS("{}", "-c", "wc -c"), .timeout = 60};
	struct workload_run run;
	struct bc_error err;

	(void)state;
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(run.written, 2); /* "0\n" */
	workload.input = "/no/such/file";
	assert_false(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(err.code, BC_IO);
	assert_non_null(strstr(err.text, "/no/such/file"));
}

static double seconds_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* User and system time of the command and of what it waited for; not of sleep. */
static void test_times(void **state)
{
	struct workload workload = {.command = WORDS("{}", "-c", "sleep 0.3"), .timeout = 60};
	struct workload_run run;
	struct bc_error err;

	(void)state;
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_true(run.wall >= 0.3 && run.cpu < run.wall);
	double before = seconds_of_children();
	workload.command =
		WORDS("{}", "-c", "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'");
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_true(run.cpu > 0.01 && run.cpu < run.wall + 0.1);
	/* The system adds it up, too, of all children that were waited for. */
	assert_true(fabs(seconds_of_children() - before - run.cpu) < 0.0001);
}

static void test_failures(void **state)
{
	struct workload workload = {.command = WORDS("{}", "-c", "sleep 100"), .timeout = 0.2};
	struct workload_run run;
	struct bc_error err;

	(void)state;
	assert_false(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	assert_false(workload_run(&workload, "/no/such/program", &run, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_non_null(strstr(err.text, "cannot be started: "));
}

/* A process that left its parent and its session is killed when the run ends. */
static void test_leaves_nothing(void **state)
{
	char script[256], path[] = "/tmp/batconv-trial-XXXXXX";
	int fd = mkstemp(path), pid = 0;
	struct workload workload = {.timeout = 60};
	struct workload_run run;
	struct bc_error err;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(
		script, sizeof(script),
		"setsid sh -c 'echo $$ >%s; sleep 1000 & wait' >&- 2>&- & while [ ! -s %s ]; do sleep 0.01; done",
		path, path);
	workload.command = WORDS("{}", "-c", script);
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	FILE *file = fopen(path, "r");
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	unlink(path);
	assert_true(pid > 1);
	assert_int_equal(kill(pid, 0), -1);
}

/* A server that is ready when its file is there; the load asks it for work by another file. */
static void test_server(void **state)
{
	static const char serve[] =
		"i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; touch ready; "
		"while [ ! -e work ]; do sleep 0.01; done; "
		"i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; touch done; sleep 1000";
	struct workload workload = {
		.command =
			WORDS("sh", "-c", "touch work; while [ ! -e done ]; do sleep 0.01; done"),
		.serve = WORDS("{}", "-c", serve),
		.ready = WORDS("test", "-e", "ready"),
		.timeout = 60};
	char folder[] = "/tmp/batconv-trial-XXXXXX";
	struct workload_run run, alone;
	struct bc_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_true(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(run.code, 0);
	/* As much as the loop takes alone; what it took to get ready is four times that. */
	workload = (struct workload){
		.command = WORDS("{}", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"),
		.timeout = 60};
	assert_true(workload_run(&workload, "/bin/sh", &alone, &err));
	assert_true(run.cpu > alone.cpu / 3 && run.cpu < alone.cpu * 3 + 0.05);

	workload = (struct workload){.command = WORDS("true"),
				     .serve = WORDS("{}", "-c", "echo no disk >&2; exit 1"),
				     .ready = WORDS("false"),
				     .timeout = 60};
	assert_false(workload_run(&workload, "/bin/sh", &run, &err));
	assert_non_null(strstr(err.text, "ended before it was ready: no disk"));
	workload.serve = WORDS("{}", "-c", "sleep 0.3");
	workload.ready = WORDS("true");
	workload.command = WORDS("sleep", "0.6");
	assert_false(workload_run(&workload, "/bin/sh", &run, &err));
	assert_non_null(strstr(err.text, "ended while it had load"));
	workload.serve = WORDS("{}", "-c", "sleep 1000");
	workload.ready = WORDS("false");
	workload.timeout = 0.2;
	assert_false(workload_run(&workload, "/bin/sh", &run, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	unlink("ready");
	unlink("work");
	unlink("done");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),    cmocka_unit_test(test_output),
		cmocka_unit_test(test_input),    cmocka_unit_test(test_times),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_leaves_nothing),
		cmocka_unit_test(test_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
