/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the sandbox denies, and what continues: with Landlock and as on a kernel without it,
 * where an output is a file and where none is.  Each call of the table is first tried
 * without the sandbox, in a process of its own: where that is EPERM or ENOSYS (no root, or a
 * kernel or container that has it not), nothing could be known, and the row says so. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/sandbox.h"
#include "tests/support/skip.h"
#include "tests/base/sandbox_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_CALLS   400

static char folder[] = "sandbox.XXXXXX";
static char inside[64];

/* ---- the sandbox, with and without parts of it ---- */

static bool no_landlock;

/* sandbox.c calls Landlock by number. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long a[4];
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < COUNT(a); i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (no_landlock && number == 444) {
		errno = ENOSYS;
		return -1;
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

static const struct mode {
	const char *name;
	bool landlock, writes, records;
} modes_of[] = {
	{"Landlock, an output", true, true, false},
	{"Landlock, no output", true, false, false},
	{"no Landlock, an output", false, true, false},
	{"no Landlock, no output", false, false, false},
	{"a recording", true, true, true},
};

static struct sandbox enter(const struct mode *mode)
{
	const char *const outputs[] = {inside, NULL, "-", device};

	no_landlock = !mode->landlock;
	if (mode->records)
		return sandbox_enter_recording(0, ".");
	return mode->writes ? sandbox_enter(outputs, COUNT(outputs)) :
			      sandbox_enter(&outputs[1], 2);
}

/* ---- one call ---- */

static int try(const struct call *call)
{
	const long *a = call->arguments;
	pid_t own = getpid();

	errno = 0;
	long got = __real_syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	int why = got == -1 ? errno : 0;
	if (getpid() != own)
		_exit(0); /* a new process */
	return why;
}

/* What the kernel says without the sandbox; -1: it cannot be tried. */
static int answer_of(const struct call *call)
{
	int status;

	if (call->only_inside)
		return -1;
	pid_t child = fork();
	if (!child)
		_exit(try(call));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- all of them in a sandbox ---- */

struct answers {
	struct sandbox sandbox;
	int of[MOST_CALLS]; /* in the order of the table */
	size_t count;
};

static void ask_all(const struct mode *mode, struct answers *answers)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		*answers = (struct answers){.sandbox = enter(mode)};
		for (size_t i = 0; i < COUNT(classes); i++)
			for (size_t c = 0; c < classes[i].count; c++)
				answers->of[answers->count++] = try(&classes[i].calls[c]);
		_exit(write(ends[1], answers, sizeof(*answers)) == sizeof(*answers) ? 0 : 1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], answers, sizeof(*answers)), sizeof(*answers));
	close(ends[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* What must come of a call; -1: anything, as what is there decides. */
static int expected(const struct call_class *class, const struct mode *mode,
		    const struct sandbox *sandbox)
{
	bool listed = sandbox->calls == CALLS_LISTED;

	switch (class->held) {
	case HELD: return listed ? EPERM : -1;
	case HELD_IF_READING: return listed && !mode->writes ? EPERM : -1;
	case HELD_OUTSIDE:
		return !mode->writes ? listed ? EPERM : -1 : sandbox->landlock ? EACCES : -1;
	}
	return -1;
}

static void put_files(void)
{
	unlink(outside_new);
	close(open(outside, O_WRONLY | O_CREAT, 0600));
}

static const char *error_name(int error)
{
	const char *name = error > 0 ? strerrorname_np(error) : error ? "not tried" : "done";

	return name ? name : "?";
}

static void every_call(void **state)
{
	size_t number = 0, wrong = 0, tried = 0;
	struct answers *answers = calloc(COUNT(modes_of), sizeof(*answers));

	(void)state;
	for (size_t m = 0; m < COUNT(modes_of); m++) {
		put_files();
		ask_all(&modes_of[m], &answers[m]);
	}
	for (size_t i = 0; i < COUNT(classes); i++) {
		print_message("%s\n", classes[i].name);
		for (size_t c = 0; c < classes[i].count; c++, number++) {
			const struct call *call = &classes[i].calls[c];
			put_files();
			int without = answer_of(call);
			bool told = without != EPERM && without != ENOSYS;
			print_message("    %-30s %-12s", call->name, error_name(without));
			for (size_t m = 0; m < COUNT(modes_of); m++) {
				int must = expected(&classes[i], &modes_of[m], &answers[m].sandbox);
				int is = answers[m].of[number];
				/* A call that this kernel has not is not held by anything else. */
				bool bad = must >= 0 && is != must && told;
				print_message(" %s%s", error_name(is), bad ? " (WRONG)" : "");
				wrong += bad;
				tried += must >= 0 && told;
			}
			print_message("%s\n", told ? "" : "   (not told apart here)");
		}
	}
	print_message("%zu tried, %zu wrong\n", tried, wrong);
	assert_int_equal(wrong, 0);
	put_files();
	free(answers);
	if (!tried)
		test_skip("this build or kernel has neither Landlock nor seccomp");
}

/* The flags of clone3() cannot be looked at: libc must believe that there is none. */
static void clone3_is_unknown(void **state)
{
	static const struct call call = {"clone3", 435, {0}, false};
	int status;

	(void)state;
	pid_t child = fork();
	if (!child)
		_exit(enter(&modes_of[0]).calls == CALLS_LISTED ? try(&call) : ENOSYS);
	waitpid(child, &status, 0);
	assert_int_equal(WEXITSTATUS(status), ENOSYS);
}

/* ---- what continues ---- */

static int result(int got)
{
	return got < 0 ? errno : 0;
}

static int write_file(const char *path)
{
	struct output output;
	struct bc_error err;

	if (!output_open(path, &output, &err))
		return EIO;
	fputs("text\n", output.file);
	return output_commit(&output, &err) ? 0 : EIO;
}

/* New, replaced, and two at once, which are exchanged. */
static int write_outputs(void)
{
	struct output two[2] = {{0}, {0}};
	struct bc_error err;
	char other[80];

	snprintf(other, sizeof(other), "%s.other", inside);
	if (write_file(inside) || write_file(inside))
		return EIO;
	bool ok = output_open(inside, &two[0], &err) && output_open(other, &two[1], &err) &&
		  output_commit_all(two, 2, &err);
	return unlink(other) || !ok ? EIO : 0;
}

static int discard_output(void)
{
	struct output output;
	struct bc_error err;

	if (!output_open(inside, &output, &err))
		return EIO;
	output_discard(&output);
	return 0;
}

static int write_device(void)
{
	return result(open(device, O_WRONLY));
}

static int write_what_is_open(void)
{
	return result((int)write(STDERR_FILENO, "", 0));
}

static int read_anything(void)
{
	DIR *list = opendir(".");
	struct stat st;

	if (!list || !readdir(list) || closedir(list) != 0)
		return EIO;
	return result(open("/proc/self/status", O_RDONLY)) |
	       result(open(outside, O_RDONLY | O_CLOEXEC)) | result(stat(outside, &st)) |
	       result(access(outside, R_OK));
}

static int load_library(void)
{
	return dlopen("libm.so.6", RTLD_NOW) ? 0 : EIO;
}

static void *nothing(void *ctx)
{
	void *large = malloc(1 << 24); /* from an arena of the thread's own */

	free(large);
	return ctx;
}

static int start_threads(void)
{
	pthread_t threads[8];

	for (size_t i = 0; i < COUNT(threads); i++)
		if (pthread_create(&threads[i], NULL, nothing, NULL))
			return EIO;
	for (size_t i = 0; i < COUNT(threads); i++)
		if (pthread_join(threads[i], NULL))
			return EIO;
	return 0;
}

static int take_signal(void)
{
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1) || pthread_kill(pthread_self(), SIGUSR1) ? EIO : 0;
}

static int die_of_signal(void)
{
	raise(SIGTERM);
	return EIO;
}

static int ask_the_system(void)
{
	struct rlimit limit;
	struct timespec soon = {0, 1000};

	(void)isatty(STDERR_FILENO);
	return getrlimit(RLIMIT_STACK, &limit) || sysconf(_SC_NPROCESSORS_ONLN) < 1 ||
			       nanosleep(&soon, NULL) || fcntl(STDERR_FILENO, F_GETFD) < 0 ||
			       fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 5) < 0 ?
		       EIO :
		       0;
}

static int use_memory(void)
{
	char *at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || madvise(at, 1 << 20, MADV_DONTNEED))
		return EIO;
	at = mremap(at, 1 << 20, 1 << 21, MREMAP_MAYMOVE);
	if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ))
		return EIO;
	return result(munmap(at, 1 << 21));
}

static const struct {
	const char *name;
	int (*run)(void);
	bool only_writing;
	int died; /* of this signal, rightly */
} allowed[] = {
	{"write an output", write_outputs, true, 0},
	{"discard an output", discard_output, true, 0},
	{"write to a device", write_device, true, 0},
	{"write to what is open", write_what_is_open, false, 0},
	{"read anything", read_anything, false, 0},
	{"load a library", load_library, false, 0},
	{"start threads", start_threads, false, 0},
	{"take a signal", take_signal, false, 0},
	{"die of a signal", die_of_signal, false, SIGTERM},
	{"ask the system", ask_the_system, false, 0},
	{"use memory", use_memory, false, 0},
};

static void what_goes_on(void **state)
{
	int wrong = 0, status;

	(void)state;
	for (size_t i = 0; i < COUNT(allowed); i++)
		for (size_t m = 0; m < COUNT(modes_of); m++) {
			if (allowed[i].only_writing && !modes_of[m].writes)
				continue;
			pid_t child = fork();
			if (!child) {
				enter(&modes_of[m]);
				_exit(allowed[i].run());
			}
			waitpid(child, &status, 0);
			if (allowed[i].died ?
				    WIFSIGNALED(status) && WTERMSIG(status) == allowed[i].died :
				    WIFEXITED(status) && !WEXITSTATUS(status))
				continue;
			print_message("%s: %s: status 0x%x\n", modes_of[m].name, allowed[i].name,
				      (unsigned)status);
			wrong++;
		}
	assert_int_equal(wrong, 0);
}

/* A recording switches its events, and ends its command but no other process. */
static int record_on(pid_t command)
{
	if (sandbox_enter_recording(command, ".").calls != CALLS_LISTED)
		return 0;
	if (ioctl(-1, PERF_EVENT_IOC_ENABLE, 0) == 0 || errno != EBADF ||
	    ioctl(-1, PERF_EVENT_IOC_DISABLE, 0) == 0 || errno != EBADF)
		return 1;
	if (ioctl(-1, PERF_EVENT_IOC_SET_FILTER, "") == 0 || errno != EPERM ||
	    kill(getppid(), 0) == 0 || errno != EPERM)
		return 2;
	return kill(command, SIGTERM) == 0 && waitpid(command, NULL, 0) == command ? 0 : 3;
}

static void a_recording_goes_on(void **state)
{
	int status;

	(void)state;
	pid_t child = fork();
	if (!child) {
		pid_t command = fork();
		while (!command)
			pause();
		_exit(record_on(command));
	}
	waitpid(child, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A new file has the mode that open() gives it, a replaced one its own: without a chmod(). */
static void modes_of_outputs(void **state)
{
	struct stat st;
	int status;

	(void)state;
	unlink(inside);
	for (int turn = 0; turn < 2; turn++) {
		pid_t child = fork();
		if (!child) {
			umask(027);
			enter(&modes_of[0]);
			_exit(write_file(inside));
		}
		waitpid(child, &status, 0);
		assert_int_equal(status, 0);
		assert_int_equal(stat(inside, &st), 0);
		assert_int_equal(st.st_mode & 07777, turn ? 0666 : 0640);
		assert_int_equal(chmod(inside, 0666), 0);
	}
}

/* Without creating a file the mode is nothing, and can be anything. */
static int make_special_files(void)
{
	static const int special[] = {04777, 02777, 01777, 07000};

	for (size_t i = 0; i < COUNT(special); i++) {
		unlink(inside);
		if (open(inside, O_WRONLY | O_CREAT, special[i]) >= 0 || errno != EPERM ||
		    !access(inside, F_OK))
			return EIO;
		if (openat(AT_FDCWD, folder, O_RDWR | O_TMPFILE, special[i]) >= 0 || errno != EPERM)
			return EIO;
		if (__real_syscall(SYS_openat, AT_FDCWD, inside, O_WRONLY, special[i]) >= 0 ||
		    errno != ENOENT)
			return EIO;
	}
	return result(open(inside, O_WRONLY | O_CREAT, 0777)) |
	       result((int)__real_syscall(SYS_openat, AT_FDCWD, inside, O_WRONLY, 07777)) |
	       result((int)__real_syscall(SYS_openat, AT_FDCWD, outside, O_RDONLY, 07777));
}

/* In the output's own directory, where files can be made. */
static void no_special_modes(void **state)
{
	int status;

	(void)state;
	for (size_t m = 0; m < COUNT(modes_of); m++) {
		if (!modes_of[m].writes)
			continue;
		pid_t child = fork();
		if (!child)
			_exit(enter(&modes_of[m]).calls == CALLS_LISTED ? make_special_files() : 0);
		waitpid(child, &status, 0);
		assert_int_equal(status, 0);
	}
}

/* ---- the table of the documentation ---- */

static const char *held_by(enum held held)
{
	return held == HELD_OUTSIDE ? "Landlock" : "seccomp";
}

static void the_table_is_documented(void **state)
{
	char row[4096], line[4096];
	size_t rows = 0, found = 0;
	FILE *file = fopen(BATCONV_SOURCE_DIR "/docs/security.md", "r");

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < COUNT(classes); i++) {
		bool there = false;
		size_t used = (size_t)snprintf(row, sizeof(row), "| %s | ", classes[i].name);
		for (size_t c = 0; c < classes[i].count; c++)
			used += (size_t)snprintf(row + used, sizeof(row) - used, "%s`%s`",
						 c ? ", " : "", classes[i].calls[c].name);
		snprintf(row + used, sizeof(row) - used, " | %s |\n", held_by(classes[i].held));
		rewind(file);
		rows = 0;
		while (fgets(line, sizeof(line), file)) {
			there |= !strcmp(line, row);
			size_t length = strlen(line);
			rows += length > 12 &&
				(!strcmp(line + length - 12, "| seccomp |\n") ||
				 (length > 13 && !strcmp(line + length - 13, "| Landlock |\n")));
		}
		found += there;
#ifdef __x86_64__ /* the other processors lack the older of these calls */
		if (!there)
			print_message("docs/security.md lacks:\n%s", row);
#endif
	}
	fclose(file);
	assert_int_equal(rows, COUNT(classes));
#ifdef __x86_64__
	assert_int_equal(found, COUNT(classes));
#endif
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(inside, sizeof(inside), "%s/output", folder);
	snprintf(outside, sizeof(outside), "%s.outside", folder);
	snprintf(outside_new, sizeof(outside_new), "%s.new", outside);
	put_files();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(inside);
	unlink(outside);
	unlink(outside_new);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call),
		cmocka_unit_test(clone3_is_unknown),
		cmocka_unit_test(what_goes_on),
		cmocka_unit_test(a_recording_goes_on),
		cmocka_unit_test(modes_of_outputs),
		cmocka_unit_test(no_special_modes),
		cmocka_unit_test(the_table_is_documented),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
