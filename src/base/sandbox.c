/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* O_PATH, syscall() */
#include "src/base/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/output.h"

/* Landlock, as Linux documents it: the headers of an older system know less of it than
 * the kernel that the program runs on. */
#define LANDLOCK_CREATE       444
#define LANDLOCK_ADD          445
#define LANDLOCK_RESTRICT     446
#define LANDLOCK_TELL_VERSION 1u
#define LANDLOCK_PATH_BENEATH 1

enum {
	MAY_EXECUTE = 1 << 0,
	MAY_WRITE = 1 << 1,
	MAY_REMOVE_DIR = 1 << 4,
	MAY_REMOVE_FILE = 1 << 5,
	MAY_MAKE_FILE = 1 << 8,
	MAY_MAKE_ANY = 0x1fc0,  /* devices, directories, files, sockets, FIFOs, links */
	MAY_MOVE = 1 << 13,     /* between directories; since version 2 */
	MAY_TRUNCATE = 1 << 14, /* since 3 */
	MAY_CONTROL = 1 << 15,  /* devices, by ioctl(); since 5 */
};
#define MAY_USE_TCP 3u /* bind, connect; since 4 */
#define SCOPED      3u /* abstract sockets and signals of others; since 6 */

struct landlock_rules {
	uint64_t files, net, scoped;
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

static struct landlock_rules rules_of(long version)
{
	struct landlock_rules rules = {.files = MAY_EXECUTE | MAY_WRITE | MAY_REMOVE_DIR |
						MAY_REMOVE_FILE | MAY_MAKE_ANY};

	rules.files |= version >= 2 ? MAY_MOVE : 0;
	rules.files |= version >= 3 ? MAY_TRUNCATE : 0;
	rules.files |= version >= 5 ? MAY_CONTROL : 0;
	rules.net = version >= 4 ? MAY_USE_TCP : 0;
	rules.scoped = version >= 6 ? SCOPED : 0;
	return rules;
}

/* A kernel takes what it knows of the structure. */
static size_t rules_size(long version)
{
	return version >= 6 ? 24 : version >= 4 ? 16 : 8;
}

static void allow(int ruleset, const struct landlock_rules *rules, const char *path, uint64_t what)
{
	struct landlock_beneath beneath = {.allowed = what & rules->files,
					   .folder = open(path, O_PATH | O_CLOEXEC)};

	if (beneath.folder < 0)
		return; /* the output cannot be opened either, and says why */
	(void)!syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, &beneath, 0);
	close(beneath.folder);
}

static void allow_output(int ruleset, const struct landlock_rules *rules, const char *path)
{
	const uint64_t in_folder = MAY_WRITE | MAY_TRUNCATE | MAY_MAKE_FILE | MAY_REMOVE_FILE;
	struct stat st;
	char *target;

	if (!path || !strcmp(path, "-"))
		return;
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode)) {
		allow(ruleset, rules, path, in_folder);
	} else if (exists && !S_ISREG(st.st_mode)) {
		allow(ruleset, rules, path, MAY_WRITE | MAY_TRUNCATE);
	} else if ((target = output_target(path))) {
		char *slash = strrchr(target, '/');
		slash[slash == target] = '\0';
		allow(ruleset, rules, target, in_folder);
		free(target);
	}
}

/* Landlock: which files can be written, made and removed.  Returns its version, or 0. */
static unsigned sandbox_landlock(const char *const *outputs, size_t count)
{
	long version = syscall(LANDLOCK_CREATE, NULL, (size_t)0, LANDLOCK_TELL_VERSION);

	if (version <= 0)
		return 0;
	struct landlock_rules rules = rules_of(version);
	int ruleset = (int)syscall(LANDLOCK_CREATE, &rules, rules_size(version), 0u);
	if (ruleset < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		allow_output(ruleset, &rules, outputs[i]);
	bool done = syscall(LANDLOCK_RESTRICT, ruleset, 0u) == 0;
	close(ruleset);
	return done ? (unsigned)version : 0;
}

#ifdef BATCONV_HAVE_LIBSECCOMP

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
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
/* clang-format off */
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
/* clang-format on */

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
#define READS  (O_ACCMODE | O_CREAT | O_TRUNC)

static const struct condition conditions[] = {
	{"clone", 0, CLONE_THREAD, CLONE_THREAD},
	{"ioctl", 1, NUMBER, TCGETS}, /* is it a terminal? */
	{"ioctl", 1, NUMBER, TIOCGWINSZ},
	{"fcntl", 1, NUMBER, F_GETFD},
	{"fcntl", 1, NUMBER, F_SETFD},
	{"fcntl", 1, NUMBER, F_GETFL},
	{"fcntl", 1, NUMBER, F_DUPFD},
	{"fcntl", 1, NUMBER, F_DUPFD_CLOEXEC},
	{"fcntl", 1, NUMBER, F_GETLK},
	{"fcntl", 1, NUMBER, F_SETLK},
	{"fcntl", 1, NUMBER, F_SETLKW},
	{"fcntl", 1, NUMBER, F_OFD_GETLK},
	{"fcntl", 1, NUMBER, F_OFD_SETLK},
	{"fcntl", 1, NUMBER, F_OFD_SETLKW},
	{"prctl", 0, NUMBER, PR_SET_NAME},
	{"prctl", 0, NUMBER, PR_GET_NAME},
	{"prctl", 0, NUMBER, PR_SET_VMA},
};

static const struct condition only_to_read[] = {
	{"open", 1, READS, O_RDONLY},
	{"openat", 2, READS, O_RDONLY},
};

#define MAKES   (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define SPECIAL (NUMBER & ~(scmp_datum_t)0777) /* set-user-id, set-group-id, sticky */

/* Where an output is a file.  What makes none can have any mode, as the kernel looks at no mode
 * then. */
static const struct condition to_make[] = {
	{"open", 1, MAKES, 0},     {"open", 2, SPECIAL, 0},    {"openat", 2, MAKES, 0},
	{"openat", 3, SPECIAL, 0}, {"unlinkat", 2, NUMBER, 0}, /* no directories */
};

static bool allow_all(scmp_filter_ctx filter, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int number = seccomp_syscall_resolve_name(names[i]);
		if (number != __NR_SCMP_ERROR &&
		    seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) != 0)
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

	return number == __NR_SCMP_ERROR ||
	       seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0) == 0;
}

/* What a recording does in addition to writing. */
static bool allow_recording(scmp_filter_ctx filter, int command)
{
	static const struct condition calls[] = {
		{"ioctl", 1, NUMBER, PERF_EVENT_IOC_ENABLE},
		{"ioctl", 1, NUMBER, PERF_EVENT_IOC_DISABLE},
	};
	static const char *const waiting[] = {"wait4", "waitid"};
	struct scmp_arg_cmp its[] = {{0, SCMP_CMP_EQ, (scmp_datum_t)command, 0}};

	return allow_where(filter, calls, BC_COUNT(calls)) &&
	       allow_all(filter, waiting, BC_COUNT(waiting)) &&
	       (!command ||
		seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, its) == 0);
}

static bool make_list(scmp_filter_ctx filter, bool writes)
{
	/* Calls by the numbers of another processor fail as all others do; found by halves. */
	if (seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) != 0)
		return false;
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	return allow_all(filter, always, BC_COUNT(always)) &&
	       allow_where(filter, conditions, BC_COUNT(conditions)) && allow_own(filter) &&
	       deny_clone3(filter) &&
	       (writes ? allow_all(filter, to_write, BC_COUNT(to_write)) &&
				 allow_where(filter, to_make, BC_COUNT(to_make)) :
			 allow_where(filter, only_to_read, BC_COUNT(only_to_read)));
}

/* seccomp: which calls there are.
 * writes   files will be opened for writing, renamed and removed, not only read
 * records  a recording continues, with a command of this pid, or 0 */
static enum sandbox_calls sandbox_calls(bool writes, bool records, int command)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool done = filter && make_list(filter, writes) &&
		    (!records || allow_recording(filter, command)) && seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done ? CALLS_LISTED : CALLS_NOT_THERE;
}

const char *sandbox_library(void)
{
	static char text[3 * 11];
	const struct scmp_version *version = seccomp_version();

	if (version)
		snprintf(text, sizeof(text), "%u.%u.%u", version->major, version->minor,
			 version->micro);
	return text;
}

#else

static enum sandbox_calls sandbox_calls(bool writes, bool records, int command)
{
	(void)writes;
	(void)records;
	(void)command;
	return CALLS_NOT_BUILT;
}

const char *sandbox_library(void)
{
	return NULL;
}

#endif

bool sandbox_writes(const char *const *outputs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outputs[i] && strcmp(outputs[i], "-"))
			return true;
	return false;
}

struct sandbox sandbox_enter(const char *const *outputs, size_t count)
{
	struct sandbox entered = {.calls = CALLS_NOT_THERE};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return entered;
	entered.landlock = sandbox_landlock(outputs, count);
	entered.calls = sandbox_calls(sandbox_writes(outputs, count), false, 0);
	return entered;
}

/* ---- capabilities ---- */

#define RIGHT(number) (UINT64_C(1) << (number))
#define RIGHT_CHECKPOINT                                                                           \
	RIGHT(40) /* CAP_CHECKPOINT_RESTORE, which headers before Linux 5.9 have not */

struct rights {
	uint64_t effective, permitted;
};

static bool get_rights(struct rights *out)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	if (syscall(SYS_capget, &head, data) != 0)
		return false;
	out->effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	out->permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return true;
}

static bool set_rights(struct rights rights)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)rights.effective, .permitted = (uint32_t)rights.permitted},
		{.effective = (uint32_t)(rights.effective >> 32),
		 .permitted = (uint32_t)(rights.permitted >> 32)}};

	return syscall(SYS_capset, &head, data) == 0;
}

/* Where the kernel knows no CAP_CHECKPOINT_RESTORE, /proc/PID/map_files takes CAP_SYS_ADMIN. */
static uint64_t to_read_mapped(void)
{
	return prctl(PR_CAPBSET_READ, 40, 0, 0, 0) >= 0 ? RIGHT_CHECKPOINT : RIGHT(CAP_SYS_ADMIN);
}

static bool can_write(const char *folder)
{
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Gives up all rights but those that a recording needs; what is left. */
static uint64_t give_up_rights(bool command, const char *folder)
{
	uint64_t keep = RIGHT(CAP_SYS_PTRACE) | RIGHT(CAP_DAC_READ_SEARCH) | to_read_mapped() |
			(command ? RIGHT(CAP_KILL) : 0);
	struct rights had, left;

	if (!get_rights(&had))
		return 0;
	left = (struct rights){had.effective & keep, had.permitted};
	if (set_rights(left) && !can_write(folder))
		left.effective |= had.effective & RIGHT(CAP_DAC_OVERRIDE);
	left.permitted = left.effective;
	(void)!set_rights(left);
	return get_rights(&left) ? left.permitted : had.permitted;
}

struct sandbox sandbox_enter_recording(int command, const char *folder)
{
	struct sandbox entered = {.calls = CALLS_NOT_THERE};

	entered.capabilities = give_up_rights(command != 0, folder);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		entered.calls = sandbox_calls(true, true, command);
	return entered;
}
