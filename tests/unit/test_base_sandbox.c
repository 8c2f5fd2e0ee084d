/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the sandbox denies, and what goes on.  Each attempt is made in a process of its
 * own, once without the sandbox, where it works, and once in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/sandbox.h"
#include "tests/support/cmocka.h"

static char folder[] = "sandbox.XXXXXX";
static char inside[64], outside[64], device[] = "/dev/null";

/* 0: done, else what stood in the way. */
typedef int attempt(void);

static int result(int got)
{
	return got < 0 ? errno : 0;
}

static int write_outside(void)
{
	return result(open(outside, O_WRONLY));
}

static int create_outside(void)
{
	return result(open("sandbox.new", O_WRONLY | O_CREAT, 0600));
}

static int remove_outside(void)
{
	return result(unlink(outside));
}

static int write_output(void)
{
	struct output output;
	struct bc_error err;

	if (!output_open(inside, &output, &err))
		return EIO;
	fputs("text\n", output.file);
	return output_commit(&output, &err) ? 0 : EIO;
}

static int write_device(void)
{
	return result(open(device, O_WRONLY));
}

static int read_anything(void)
{
	return result(open("/proc/self/status", O_RDONLY)) | result(open(outside, O_RDONLY));
}

static int load_library(void)
{
	return dlopen("libm.so.6", RTLD_NOW) ? 0 : EIO;
}

static void *nothing(void *ctx)
{
	return ctx;
}

static int start_thread(void)
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, nothing, NULL);

	return failed ? failed : pthread_join(thread, NULL);
}

static int run_program(void)
{
	execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL);
	return errno;
}

static int new_process(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return result(child);
}

static int open_socket(void)
{
	return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int look_at_parent(void)
{
	return result(kill(getppid(), 0));
}

static int trace_me(void)
{
	return result((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

/* What a child sends back. */
struct outcome {
	struct sandbox sandbox;
	int error;
};

static struct outcome try(attempt *what, bool in_sandbox)
{
	const char *const outputs[] = {inside, NULL, "-", device};
	struct outcome outcome = {.error = -1};
	int status, ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (in_sandbox)
			outcome.sandbox = sandbox_enter(outputs, 4);
		outcome.error = 0; /* a program that runs exits 0 */
		(void)!write(ends[1], &outcome, sizeof(outcome));
		_exit(what());
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &outcome, sizeof(outcome)), sizeof(outcome));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	outcome.error = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return outcome;
}

/* By Landlock, or by seccomp; a kernel that has it not lets it pass. */
static void denied(attempt *what, bool by_seccomp)
{
	assert_int_equal(try(what, false).error, 0);
	struct outcome outcome = try(what, true);
	if (by_seccomp ? !outcome.sandbox.seccomp : !outcome.sandbox.landlock) {
		assert_int_equal(outcome.error, 0);
		print_message("not held by this kernel\n");
		skip();
	}
	assert_int_equal(outcome.error, by_seccomp ? EPERM : EACCES);
}

static void allowed(attempt *what)
{
	assert_int_equal(try(what, false).error, 0);
	assert_int_equal(try(what, true).error, 0);
}

#define DENIED(name, by_seccomp)                                               \
	static void no_##name(void **state)                                    \
	{                                                                      \
		(void)state;                                                   \
		denied(name, by_seccomp);                                      \
	}
#define ALLOWED(name)                                                          \
	static void may_##name(void **state)                                   \
	{                                                                      \
		(void)state;                                                   \
		allowed(name);                                                 \
	}

DENIED(write_outside, false)
DENIED(create_outside, false)
DENIED(run_program, true)
DENIED(new_process, true)
DENIED(open_socket, true)
DENIED(look_at_parent, true)
DENIED(trace_me, true)
ALLOWED(write_output)
ALLOWED(write_device)
ALLOWED(read_anything)
ALLOWED(load_library)
ALLOWED(start_thread)

/* The file must be there still. */
static void no_remove_outside(void **state)
{
	(void)state;
	struct outcome outcome = try(remove_outside, true);
	if (!outcome.sandbox.landlock) {
		print_message("no Landlock in this kernel\n");
		skip();
	}
	assert_int_equal(outcome.error, EACCES);
	assert_int_equal(access(outside, F_OK), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(inside, sizeof(inside), "%s/output", folder);
	snprintf(outside, sizeof(outside), "%s.outside", folder);
	return close(open(outside, O_WRONLY | O_CREAT, 0600));
}

static int teardown(void **state)
{
	(void)state;
	unlink(inside);
	unlink(outside);
	unlink("sandbox.new");
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_write_outside),  cmocka_unit_test(no_create_outside),
		cmocka_unit_test(no_remove_outside), cmocka_unit_test(no_run_program),
		cmocka_unit_test(no_new_process),    cmocka_unit_test(no_open_socket),
		cmocka_unit_test(no_look_at_parent), cmocka_unit_test(no_trace_me),
		cmocka_unit_test(may_write_output),  cmocka_unit_test(may_write_device),
		cmocka_unit_test(may_read_anything), cmocka_unit_test(may_load_library),
		cmocka_unit_test(may_start_thread),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
