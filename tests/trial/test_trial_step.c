/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/step.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

/* One step, "sh -c SCRIPT", in the folder "made", which reads "in" and writes "out" and "files/".
 * Returns whether it succeeded; *before: it was done before. */
static bool run_script(const char *script, bool adds, bool *before, struct bc_error *err)
{
	struct step_job job = {.folder = "made"};
	struct job_step step = {
		.name = "one", .about = "a test", .adds = adds, .fails_by = 3, .timeout = 60};

	*before = false;
	bool ok = job_open(&job, err);
	if (ok) {
		job_add(&job, &step.words, "sh", "-c", script);
		job_add(&job, &step.reads, "in");
		job_add(&job, &step.writes, "out", "files/");
		ok = step_run(&job, &step, err);
	}
	if (ok)
		*before = job.done.at[0].before;
	job_close(&job);
	return ok;
}

static void assert_runs(const char *script, bool adds, bool expected)
{
	struct bc_error err;
	bool before;

	assert_true(run_script(script, adds, &before, &err));
	assert_int_equal(before, expected);
}

static void assert_fails(const char *script, const char *text)
{
	struct bc_error err;
	bool before;

	assert_false(run_script(script, false, &before, &err));
	assert_non_null(strstr(err.text, text));
}

/* Each change that must run it again does. */
static void test_done(void **state)
{
	static const char script[] = "cp in out; echo x >files/a; echo said; echo wrong >&2";

	(void)state;
	put_file("in", "1");
	assert_runs(script, false, false);
	assert_holds("out", "1");
	assert_runs(script, false, true);
	put_file("in", "2");
	assert_runs(script, false, false);
	assert_holds("out", "2");
	put_file("out", "other");
	assert_runs(script, false, false);
	assert_holds("out", "2");
	put_file("files/b", "of another");
	assert_runs(script, false, false);
	assert_int_equal(access("files/b", F_OK), -1); /* what was there before is gone */
	unlink("files/a");
	assert_runs(script, false, false);
	assert_runs("cp in out; echo x >files/a;", false, false);
	assert_runs("cp in out; echo x >files/a;", false, true);
	assert_runs("echo y >files/c", true, false); /* adds */
	assert_int_equal(access("files/a", F_OK), 0);
	unlink("made/one.done");
	assert_runs("echo y >files/c", false, false);
}

static void test_log(void **state)
{
	(void)state;
	put_file("in", "1");
	assert_runs("echo said; echo wrong >&2; echo 7 >out", false, false);
	/* They are two pipes. */
	assert_int_equal(system("sort made/one.log | tr '\\n' ' ' | grep -qx 'said wrong '"), 0);
	assert_fails("echo wrong >&2; exit 4",
		     "one: sh ended with exit code 4: wrong (made/one.log)");
	assert_fails("kill -9 $$", "one: sh ended with signal 9 (made/one.log)");
	assert_int_equal(access("out", F_OK), -1);
	assert_runs("exit 3", false, false);
	assert_runs("exit 3", false, false); /* what finds something is run again */
}

static void test_folder(void **state)
{
	struct step_job job = {.folder = "made"}, other = {.folder = "made"};
	struct bc_error err;

	(void)state;
	assert_true(job_open(&job, &err));
	assert_false(job_open(&other, &err));
	assert_int_equal(err.code, BC_EXISTS);
	job_close(&other);
	job_close(&job);
	job = (struct step_job){.folder = "files"}; /* of test_log */
	put_file("files/mine", "");
	assert_false(job_open(&job, &err));
	assert_int_equal(err.code, BC_EXISTS);
	job_close(&job);
	job = (struct step_job){.folder = "no/such"};
	assert_false(job_open(&job, &err));
	job_close(&job);
}

/* sh itself says what a printed word is. */
static void test_words(void **state)
{
	static const char *const words[] = {"plain", "a b", "it's",     "$HOME", "*", "",
					    "a\\b",  "{}",  "\xc3\xa4", "-x",    "~"};
	FILE *script;

	(void)state;
	script = fopen("script", "w");
	assert_non_null(script);
	fputs("printf '<%s>' ", script);
	print_shell_words(words, BC_COUNT(words), script);
	fputs(" >said\n", script);
	fclose(script);
	assert_int_equal(system("sh script"), 0);
	assert_holds("said", "<plain><a b><it's><$HOME><*><><a\\b><{}><\xc3\xa4><-x><~>");
	script = fopen("script", "w");
	assert_non_null(script);
	print_shell_word("a\x1b[2J'\\1\xff", script);
	fclose(script);
	assert_holds("script", "$'a\\033[2J\\'\\\\1\\377'");
}

/* A plan runs nothing, and makes no folder. */
static void test_plan(void **state)
{
	struct step_job job = {.folder = "planned", .plan = fopen("plan", "w")};
	struct job_step step = {.name = "one", .about = "a test", .all_of = "some files/"};
	struct bc_error err;

	(void)state;
	assert_non_null(job.plan);
	assert_true(job_open(&job, &err));
	job_add(&job, &step.words, STEP_SELF, "merge");
	job_add(&job, &step.writes, "files/");
	assert_true(step_run(&job, &step, &err));
	fclose(job.plan);
	job_close(&job);
	assert_holds("plan", "mkdir -p files/\nbatconv merge 'some files/'*\n");
	assert_int_equal(access("planned", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_done),   cmocka_unit_test(test_log),
		cmocka_unit_test(test_folder), cmocka_unit_test(test_words),
		cmocka_unit_test(test_plan),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
