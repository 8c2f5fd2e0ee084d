/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* CLONE_THREAD, F_OFD_*, O_TMPFILE */
#include "src/base/sandbox_parts.h"

#include "src/base/sandbox.h"

#ifdef BATCONV_HAVE_LIBSECCOMP

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "src/base/attr.h"

#ifndef PR_SET_VMA /* names of memory, of newer libcs */
#define PR_SET_VMA 0x53564d41
#endif

/* The system calls that are allowed with any arguments.  None of them reaches another process or
 * changes a file that is not open for writing.  Names that this libseccomp or this processor
 * does not have are skipped. */
static const char *const always[] = {
	/* memory */
	"brk", "mmap", "mmap2", "munmap", "mremap", "mprotect", "madvise", "membarrier", "map_shadow_stack",
	/* threads, of which clone() below makes more; the own end */
	"futex", "futex_time64", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue",
	"set_robust_list", "get_robust_list", "set_tid_address", "rseq", "sched_yield", "sched_getaffinity",
	"getcpu", "exit", "exit_group",
	/* signals to be taken */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn", "sigaltstack", "pause", "restart_syscall",
	/* clocks */
	"clock_gettime", "clock_gettime64", "clock_getres", "clock_nanosleep", "clock_nanosleep_time64",
	"nanosleep", "gettimeofday", "time",
	/* what is open */
	"read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek", "_llseek",
	"close", "dup", "fadvise64", "fadvise64_64", "readahead", "flock", "poll", "ppoll", "ppoll_time64",
	"pselect6", "select",
	/* to look at files */
	"stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "newfstatat", "fstatat64", "statx", "statfs",
	"statfs64", "fstatfs", "fstatfs64", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
	"getdents", "getdents64", "getcwd",
	/* about itself and the system */
	"getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getuid32", "geteuid32", "getgid32",
	"getegid32", "getrlimit", "ugetrlimit", "getrusage", "sysinfo", "uname", "getrandom",
};

/* The system calls that writing a file needs. */
static const char *const to_write[] = {
	"rename", "renameat", "renameat2", "unlink", "fsync", "fdatasync", "ftruncate", "umask",
};

/* One value that one argument may have, in the bits of `mask`. */
struct condition {
	const char *call;
	unsigned argument;
	scmp_datum_t mask, value;
};

#define NUMBER ((scmp_datum_t)0xffffffff) /* an int: what is above it is nothing */
#define READS (O_ACCMODE | O_CREAT | O_TRUNC)

static const struct condition conditions[] = {
	{"clone", 0, CLONE_THREAD, CLONE_THREAD},
	{"ioctl", 1, NUMBER, TCGETS}, /* is it a terminal? */
	{"ioctl", 1, NUMBER, TIOCGWINSZ},
	{"fcntl", 1, NUMBER, F_GETFD}, {"fcntl", 1, NUMBER, F_SETFD}, {"fcntl", 1, NUMBER, F_GETFL},
	{"fcntl", 1, NUMBER, F_DUPFD}, {"fcntl", 1, NUMBER, F_DUPFD_CLOEXEC},
	{"fcntl", 1, NUMBER, F_GETLK}, {"fcntl", 1, NUMBER, F_SETLK}, {"fcntl", 1, NUMBER, F_SETLKW},
	{"fcntl", 1, NUMBER, F_OFD_GETLK}, {"fcntl", 1, NUMBER, F_OFD_SETLK}, {"fcntl", 1, NUMBER, F_OFD_SETLKW},
	{"prctl", 0, NUMBER, PR_SET_NAME}, {"prctl", 0, NUMBER, PR_GET_NAME}, {"prctl", 0, NUMBER, PR_SET_VMA},
};

static const struct condition only_to_read[] = {
	{"open", 1, READS, O_RDONLY},
	{"openat", 2, READS, O_RDONLY},
};

#define MAKES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define SPECIAL (NUMBER & ~(scmp_datum_t)0777) /* set-user-id, set-group-id, sticky */

/* Where an output is a file.  What makes none can have any mode, as the kernel looks at no mode then. */
static const struct condition to_make[] = {
	{"open", 1, MAKES, 0}, {"open", 2, SPECIAL, 0},
	{"openat", 2, MAKES, 0}, {"openat", 3, SPECIAL, 0},
	{"unlinkat", 2, NUMBER, 0}, /* no directories */
};

static bool allow_all(scmp_filter_ctx filter, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int number = seccomp_syscall_resolve_name(names[i]);
		if (number != __NR_SCMP_ERROR && seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) != 0)
			return false;
	}
	return true;
}

static bool allow_where(scmp_filter_ctx filter, const struct condition *conditions_of, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &conditions_of[i];
		int number = seccomp_syscall_resolve_name(c->call);
		struct scmp_arg_cmp is = {c->argument, SCMP_CMP_MASKED_EQ, c->mask, c->value};
		if (number != __NR_SCMP_ERROR &&
		    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &is) != 0)
			return false;
	}
	return true;
}

/* Those with a value that is known only now, or with several. */
static bool allow_own(scmp_filter_ctx filter)
{
	/* raise(), abort() and pthread_kill() reach the own threads. */
	struct scmp_arg_cmp own[] = {{0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0}};
	/* getrlimit() by its newer name: of itself, and without a new limit. */
	struct scmp_arg_cmp look[] = {{0, SCMP_CMP_EQ, 0, 0}, {2, SCMP_CMP_EQ, 0, 0}};

	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, own) == 0 &&
	       seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, look) == 0;
}

/* The flags of clone3() are in memory, where they cannot be looked at: without it libc takes
 * clone(). */
static bool deny_clone3(scmp_filter_ctx filter)
{
	int number = seccomp_syscall_resolve_name("clone3");

	return number == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0) == 0;
}

static bool make_list(scmp_filter_ctx filter, bool writes)
{
	/* Calls by the numbers of another processor fail as all others do; found by halves. */
	if (seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) != 0)
		return false;
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	return allow_all(filter, always, BC_COUNT(always)) &&
	       allow_where(filter, conditions, BC_COUNT(conditions)) && allow_own(filter) && deny_clone3(filter) &&
	       (writes ? allow_all(filter, to_write, BC_COUNT(to_write)) &&
				 allow_where(filter, to_make, BC_COUNT(to_make))
		       : allow_where(filter, only_to_read, BC_COUNT(only_to_read)));
}

enum sandbox_calls sandbox_calls(bool writes)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool done = filter && make_list(filter, writes) && seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done ? CALLS_LISTED : CALLS_NOT_THERE;
}

const char *sandbox_library(void)
{
	static char text[3 * 11];
	const struct scmp_version *version = seccomp_version();

	if (version)
		snprintf(text, sizeof(text), "%u.%u.%u", version->major, version->minor, version->micro);
	return text;
}

#else

enum sandbox_calls sandbox_calls(bool writes)
{
	(void)writes;
	return CALLS_NOT_BUILT;
}

const char *sandbox_library(void)
{
	return NULL;
}

#endif
