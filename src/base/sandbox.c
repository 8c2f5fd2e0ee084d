/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "src/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/output.h"

/* Landlock, as Linux documents it: the headers of an older system know less of it than
 * the kernel that the program runs on. */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_TELL_VERSION 1u
#define LANDLOCK_PATH_BENEATH 1

enum {
	MAY_EXECUTE = 1 << 0,
	MAY_WRITE = 1 << 1,
	MAY_REMOVE_DIR = 1 << 4,
	MAY_REMOVE_FILE = 1 << 5,
	MAY_MAKE_FILE = 1 << 8,
	MAY_MAKE_ANY = 0x1fc0, /* devices, folders, files, sockets, FIFOs, links */
	MAY_MOVE = 1 << 13,     /* between folders; since version 2 */
	MAY_TRUNCATE = 1 << 14, /* since 3 */
	MAY_CONTROL = 1 << 15,  /* devices, by ioctl(); since 5 */
};
#define MAY_USE_TCP 3u /* bind, connect; since 4 */
#define SCOPED 3u      /* abstract sockets and signals of others; since 6 */

struct landlock_rules {
	uint64_t files, net, scoped;
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

static struct landlock_rules rules_of(long version)
{
	struct landlock_rules rules = {
		.files = MAY_EXECUTE | MAY_WRITE | MAY_REMOVE_DIR | MAY_REMOVE_FILE | MAY_MAKE_ANY};

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

/* Returns the version, or 0. */
static unsigned enter_landlock(const char *const *outputs, size_t count)
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

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef THIS_ARCH
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define UNLESS(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)
#define NEVER(name) UNLESS(__NR_##name), REFUSE(EPERM)

/* Numbers from 424 on are the same for every processor. */
enum { CLONE3 = 435, IO_URING_SETUP = 425, PIDFD_OPEN = 434, PIDFD_GETFD = 438 };

static struct sock_filter filter[] = {
	LOAD(arch),
	UNLESS(THIS_ARCH),
	BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
	REFUSE(EPERM), /* the numbers of another processor mean other calls */
	LOAD(nr),
#ifdef __x86_64__
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* x32 */
	REFUSE(EPERM),
	NEVER(fork), NEVER(vfork),
#endif
	UNLESS(CLONE3), REFUSE(ENOSYS), /* its flags cannot be looked at: libc takes clone() then */
	NEVER(execve), NEVER(execveat), NEVER(socket), NEVER(socketpair), NEVER(connect), NEVER(bind),
	NEVER(listen), NEVER(accept), NEVER(accept4), NEVER(sendto), NEVER(sendmsg),
	NEVER(ptrace), NEVER(process_vm_readv), NEVER(process_vm_writev), NEVER(kill), NEVER(tkill),
	UNLESS(PIDFD_OPEN), REFUSE(EPERM), UNLESS(PIDFD_GETFD), REFUSE(EPERM),
	UNLESS(IO_URING_SETUP), REFUSE(EPERM), NEVER(bpf), NEVER(perf_event_open), NEVER(userfaultfd),
	NEVER(unshare), NEVER(setns), NEVER(chroot), NEVER(pivot_root), NEVER(mount), NEVER(umount2),
	NEVER(setuid), NEVER(setgid), NEVER(setreuid), NEVER(setregid), NEVER(setresuid), NEVER(setresgid),
	NEVER(setgroups), NEVER(capset), NEVER(add_key), NEVER(keyctl), NEVER(request_key),
	NEVER(init_module), NEVER(finit_module), NEVER(delete_module), NEVER(kexec_load), NEVER(reboot),
	NEVER(swapon), NEVER(swapoff), NEVER(acct), NEVER(quotactl), NEVER(open_by_handle_at),
	NEVER(personality),
	UNLESS(__NR_clone), /* threads only */
	BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
	ALLOW,
	LOAD(args[0]), /* the lower half: all are little-endian */
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
	REFUSE(EPERM),
	ALLOW,
};

static bool enter_seccomp(void)
{
	struct sock_fprog program = {BC_COUNT(filter), filter};

	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program) == 0;
}
#else
static bool enter_seccomp(void)
{
	return false;
}
#endif

struct sandbox sandbox_enter(const char *const *outputs, size_t count)
{
	struct sandbox entered = {0};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return entered;
	entered.landlock = enter_landlock(outputs, count);
	entered.seccomp = enter_seccomp();
	return entered;
}
