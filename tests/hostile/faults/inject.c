/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a program and lets some of its system calls fail: what a preloaded library
 * could not do, since libc calls the kernel from within.
 *
 *   inject OPTION... -- PROGRAM ARGUMENT...
 *
 *   --calls=KIND       read, write, open, create, stat, list (a directory), map,
 *                      close, rename, exchange (of names: renameat2), thread; any:
 *                      all of them and every other call
 *   --under=FOLDER     only calls about files below FOLDER, or about pipes; never about
 *                      descriptor 2.  Threads and `any` count everywhere
 *   --at=N             the N-th of them, from 1
 *   --every=K          every K-th of them;  --from=N: all from the N-th on
 *   --error=NUMBER     the call is not made, and gives this errno
 *   --short=BYTES      reads and writes ask for at most so many bytes
 *   --hold             the call never returns: its thread stays where it is (of calls
 *                      about pipes none is meant then)
 *   --signal=NUMBER    the program gets this signal while in the call
 *   --cut=FILE:BYTES   before the call, FILE is cut to so many bytes
 *   --told=FILE        write here how many calls of the kind there were, and how many
 *                      were touched
 *
 * Exits as the program did, also by its signal; 96 if it cannot be traced here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 96, MOST_THREADS = 256 };

struct kind {
	const char *name;
	int calls[5]; /* ends with -1 */
};

static const struct kind kinds[] = {
	{"read", {SYS_read, SYS_pread64, -1}},
	{"write", {SYS_write, SYS_pwrite64, SYS_writev, -1}},
	{"open", {SYS_open, SYS_openat, -1}},
	{"create", {SYS_openat, -1}}, /* of a file that must not be there */
	{"stat", {SYS_stat, SYS_fstat, SYS_newfstatat, SYS_statx, -1}},
	{"list", {SYS_getdents64, -1}},
	{"map", {SYS_mmap, -1}},
	{"close", {SYS_close, -1}},
	{"rename", {SYS_rename, SYS_renameat, SYS_renameat2, -1}},
	{"exchange", {SYS_renameat2, -1}},
	{"thread", {SYS_clone, SYS_clone3, -1}},
	{"any", {-1}},
};

static struct {
	const struct kind *kind;
	const char *under, *told;
	unsigned long at, every, from, shorter;
	int error, signal;
	bool hold;
	char *cut;
	long cut_to;
} want;

/* What the next stop of a thread is the end of. */
struct thread {
	pid_t tid;
	bool begun;  /* its first stop was seen */
	bool inside; /* in a system call */
	bool held;
	bool touched; /* by an error, or by fewer bytes: */
	bool has_length;
	unsigned long long length; /* to be put back */
};

static struct thread threads[MOST_THREADS];
static unsigned long matched, touched;

static void die(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(CANNOT);
}

static struct thread *thread_of(pid_t tid)
{
	struct thread *empty = NULL;

	for (size_t i = 0; i < MOST_THREADS; i++) {
		if (threads[i].tid == tid)
			return &threads[i];
		if (!threads[i].tid && !empty)
			empty = &threads[i];
	}
	if (!empty) {
		errno = EAGAIN;
		die("threads");
	}
	*empty = (struct thread){.tid = tid};
	return empty;
}

static bool is_below(const char *path)
{
	return (!want.hold && !strncmp(path, "pipe:", 5)) ||
	       (want.under && !strncmp(path, want.under, strlen(want.under)));
}

static bool is_fd_below(pid_t tid, int fd)
{
	char link[64], path[4096];

	if (fd == STDERR_FILENO)
		return false;
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)tid, fd);
	ssize_t size = readlink(link, path, sizeof(path) - 1);
	if (size < 0)
		return false;
	path[size] = '\0';
	return is_below(path);
}

/* Relative paths are below: the program runs in the directory. */
static bool is_path_below(pid_t tid, unsigned long long at)
{
	char path[4096];
	struct iovec here = {path, sizeof(path) - 1},
		     there = {(void *)(uintptr_t)at, 4096 - (at & 4095)};

	ssize_t size = process_vm_readv(tid, &here, 1, &there, 1, 0);
	if (size <= 0)
		return false;
	path[size] = '\0';
	return path[0] != '/' || is_below(path);
}

static bool is_of_kind(unsigned long long number)
{
	if (!strcmp(want.kind->name, "any"))
		return true;
	for (const int *call = want.kind->calls; *call >= 0; call++)
		if ((unsigned long long)*call == number)
			return true;
	return false;
}

static bool is_meant(pid_t tid, unsigned long long number, const unsigned long long *args)
{
	if (!is_of_kind(number))
		return false;
	if (!strcmp(want.kind->name, "any") || !strcmp(want.kind->name, "thread"))
		return true;
	switch (number) {
	case SYS_open:
	case SYS_stat:
	case SYS_rename: return is_path_below(tid, args[0]);
	case SYS_openat:
		return is_path_below(tid, args[1]) &&
		       (strcmp(want.kind->name, "create") != 0 || args[2] & O_EXCL);
	case SYS_renameat:
	case SYS_renameat2: return is_path_below(tid, args[1]);
	case SYS_newfstatat:
	case SYS_statx: /* with an empty path: of the descriptor */
		return (int)args[0] >= 0 ? is_fd_below(tid, (int)args[0]) :
					   is_path_below(tid, args[1]);
	case SYS_mmap: return (int)args[4] >= 0 && is_fd_below(tid, (int)args[4]);
	default: return is_fd_below(tid, (int)args[0]);
	}
}

static bool is_chosen(void)
{
	matched++;
	return matched == want.at || (want.every && matched % want.every == 0) ||
	       (want.from && matched >= want.from);
}

/*
 * A stopped thread may end all the same, by a signal or by another thread's exit; then
 * it has no registers, and wait shows its end.
 */
static bool get(pid_t tid, struct user_regs_struct *regs)
{
	if (!ptrace(PTRACE_GETREGS, tid, NULL, regs))
		return true;
	if (errno != ESRCH)
		die("registers");
	return false;
}

static void set(pid_t tid, const struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_SETREGS, tid, NULL, regs) && errno != ESRCH)
		die("registers");
}

static void on_entry(struct thread *thread)
{
	struct user_regs_struct regs;

	if (!get(thread->tid, &regs))
		return;
	const unsigned long long args[] = {regs.rdi, regs.rsi, regs.rdx,
					   regs.r10, regs.r8,  regs.r9};
	if (!is_meant(thread->tid, regs.orig_rax, args) || !is_chosen())
		return;
	touched++;
	if (want.cut && truncate(want.cut, want.cut_to))
		die(want.cut);
	if (want.signal && syscall(SYS_tkill, thread->tid, want.signal))
		die("signal");
	thread->held = want.hold;
	if (want.error) {
		thread->touched = true;
		regs.orig_rax = (unsigned long long)-1;
		set(thread->tid, &regs);
	} else if (want.shorter && regs.orig_rax != SYS_writev && regs.rdx > want.shorter) {
		thread->has_length = true;
		thread->length = regs.rdx;
		regs.rdx = want.shorter;
		set(thread->tid, &regs);
	}
}

static void on_exit_of_call(struct thread *thread)
{
	struct user_regs_struct regs;

	if ((!thread->touched && !thread->has_length) || !get(thread->tid, &regs))
		return;
	if (thread->touched)
		regs.rax = (unsigned long long)-(long long)want.error;
	if (thread->has_length)
		regs.rdx = thread->length;
	set(thread->tid, &regs);
	thread->touched = thread->has_length = false;
}

/* Returns the signal that the thread is to get. */
static int on_stop(struct thread *thread, int status)
{
	int number = WSTOPSIG(status);

	if (number == (SIGTRAP | 0x80)) {
		thread->inside = !thread->inside;
		(thread->inside ? on_entry : on_exit_of_call)(thread);
		return 0;
	}
	if (status >> 16) /* it was cloned, or began a program */
		return 0;
	if (!thread->begun && number == SIGSTOP) {
		thread->begun = true;
		return 0;
	}
	return number;
}

static void tell(void)
{
	FILE *file = want.told ? fopen(want.told, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu %lu\n", matched, touched);
	fclose(file);
}

static int end_as(int status)
{
	tell();
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int follow(pid_t first)
{
	for (;;) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			die("wait");
		struct thread *thread = thread_of(tid);
		if (!WIFSTOPPED(status)) {
			*thread = (struct thread){0};
			if (tid == first)
				return end_as(status);
			continue;
		}
		int number = on_stop(thread, status);
		if (thread->held)
			continue;
		if (ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(intptr_t)number) && errno != ESRCH)
			die("continue");
	}
}

static pid_t start(char **words)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			die("trace");
		execv(words[0], words);
		die(words[0]);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		exit(CANNOT);
	thread_of(pid)->begun = true;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
			    PTRACE_O_TRACEEXEC)) ||
	    ptrace(PTRACE_SYSCALL, pid, NULL, NULL))
		die("trace");
	return pid;
}

static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

static bool take_number(const char *word, const char *name, unsigned long *out)
{
	const char *value = value_of(word, name);

	if (value)
		*out = strtoul(value, NULL, 10);
	return value;
}

static void take(char *word)
{
	unsigned long error = 0, number = 0;
	const char *value;

	if ((value = value_of(word, "--calls"))) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(kinds[i].name, value))
				want.kind = &kinds[i];
	} else if ((value = value_of(word, "--under"))) {
		want.under = value;
	} else if ((value = value_of(word, "--told"))) {
		want.told = value;
	} else if ((value = value_of(word, "--cut"))) {
		want.cut = strdup(value);
		char *colon = strrchr(want.cut, ':');
		want.cut_to = strtol(colon + 1, NULL, 10);
		*colon = '\0';
	} else if (!strcmp(word, "--hold")) {
		want.hold = true;
	} else if (take_number(word, "--error", &error)) {
		want.error = (int)error;
	} else if (take_number(word, "--signal", &number)) {
		want.signal = (int)number;
	} else if (!take_number(word, "--at", &want.at) &&
		   !take_number(word, "--every", &want.every) &&
		   !take_number(word, "--from", &want.from) &&
		   !take_number(word, "--short", &want.shorter)) {
		errno = EINVAL;
		die(word);
	}
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		take(argv[i]);
	if (i + 1 >= argc || !want.kind) {
		errno = EINVAL;
		die("no program, or no --calls");
	}
	return follow(start(argv + i + 1));
}
