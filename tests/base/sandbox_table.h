/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What --sandbox gives up, call by call: each with arguments with which it does no harm
 * where it is let through, and with which the kernel has something else to say than EPERM.
 * docs/security.md has the classes and names. */
#ifndef TESTS_BASE_SANDBOX_TABLE_H
#define TESTS_BASE_SANDBOX_TABLE_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum held {
	HELD,            /* by seccomp, always                                             */
	HELD_IF_READING, /* by seccomp, where no output is a file                          */
	HELD_OUTSIDE,    /* by Landlock, where an output is a file: outside of its directory  */
};

struct call {
	const char *name; /* as in the table: the call, and what matters of its arguments */
	long number;
	long arguments[6];
	bool only_inside; /* cannot be tried without the sandbox: it returns twice on one stack */
};

struct call_class {
	const char *name;
	enum held held;
	const struct call *calls;
	size_t count;
};

/* Numbers from 424 on are the same for every processor, and newer than some headers. */
enum {
	NR_PIDFD_SEND_SIGNAL = 424,
	NR_IO_URING_SETUP = 425,
	NR_IO_URING_ENTER = 426,
	NR_IO_URING_REGISTER = 427,
	NR_OPEN_TREE = 428,
	NR_MOVE_MOUNT = 429,
	NR_FSOPEN = 430,
	NR_FSCONFIG = 431,
	NR_FSMOUNT = 432,
	NR_FSPICK = 433,
	NR_PIDFD_OPEN = 434,
	NR_OPENAT2 = 437,
	NR_PIDFD_GETFD = 438,
	NR_PROCESS_MADVISE = 440,
	NR_MOUNT_SETATTR = 442,
	NR_QUOTACTL_FD = 443,
	NR_MEMFD_SECRET = 447,
	NR_PROCESS_MRELEASE = 448,
	NR_FCHMODAT2 = 452,
};

static char outside[64], outside_new[80], device[] = "/dev/null";
static char none[] = "/nowhere/at/all", attribute[] = "user.batconv";
static long zeros[64];
static long how[3] = {O_WRONLY, 0, 0}; /* struct open_how */
static int signal_info[32] = {SIGUSR1, 0, -1 /* si_code: of a user */};

#define NOBODY                     0x3ffffff0 /* no process has this number: ESRCH */
#define AT(pointer)                ((long)(pointer))
#define CALL(name, ...)            {#name, SYS_##name, {__VA_ARGS__}, false}
#define CALL_NR(name, number, ...) {#name, number, {__VA_ARGS__}, false}
#define CALL_AS(text, name, ...)   {text, SYS_##name, {__VA_ARGS__}, false}

static const struct call processes[] = {
	CALL(execve, AT(none), AT(zeros), AT(zeros)),
	CALL(execveat, AT_FDCWD, AT(none), AT(zeros), AT(zeros), 0),
#ifdef SYS_fork
	CALL(fork, 0),
	{"vfork", SYS_vfork, {0}, true},
#endif
	CALL_AS("clone without CLONE_THREAD", clone, SIGCHLD, 0, 0, 0, 0),
};

static const struct call others[] = {
	CALL(kill, NOBODY, 0),
	CALL(tkill, NOBODY, 0),
	CALL_AS("tgkill of another process", tgkill, NOBODY, NOBODY, 0),
	CALL(rt_sigqueueinfo, NOBODY, SIGUSR1, AT(signal_info)),
	CALL(rt_tgsigqueueinfo, NOBODY, NOBODY, SIGUSR1, AT(signal_info)),
	CALL_NR(pidfd_open, NR_PIDFD_OPEN, NOBODY, 0),
	CALL_NR(pidfd_getfd, NR_PIDFD_GETFD, -1, 0, 0),
	CALL_NR(pidfd_send_signal, NR_PIDFD_SEND_SIGNAL, -1, 0, 0, 0),
	CALL(ptrace, PTRACE_ATTACH, NOBODY, 0, 0),
	CALL(process_vm_readv, NOBODY, AT(zeros), 1, AT(zeros), 1, 0),
	CALL(process_vm_writev, NOBODY, AT(zeros), 1, AT(zeros), 1, 0),
	CALL_NR(process_madvise, NR_PROCESS_MADVISE, -1, AT(zeros), 1, 0, 0),
	CALL_NR(process_mrelease, NR_PROCESS_MRELEASE, -1, 0),
	CALL_AS("prlimit64 of another process", prlimit64, NOBODY, 0, 0, AT(zeros)),
	CALL_AS("prlimit64 with a limit", prlimit64, 0, 99, AT(zeros), 0),
	CALL(setpriority, 0, NOBODY, 0),
	CALL(sched_setscheduler, NOBODY, 0, AT(zeros)),
	CALL(sched_setparam, NOBODY, AT(zeros)),
	CALL(sched_setattr, NOBODY, AT(zeros), 0),
	CALL(sched_setaffinity, NOBODY, 8, AT(zeros)),
	CALL(ioprio_set, 1, NOBODY, 0),
	CALL(migrate_pages, NOBODY, 8, AT(zeros), AT(zeros)),
	CALL(move_pages, NOBODY, 1, AT(zeros), 0, 0, 0),
	CALL(kcmp, NOBODY, NOBODY, 0, 0, 0),
	CALL(setpgid, NOBODY, 0),
};

static const struct call sockets[] = {
	CALL(socket, 2, 1, 0),
	CALL(socketpair, 1, 1, 0, AT(zeros)),
	CALL(connect, -1, AT(zeros), 8),
	CALL(bind, -1, AT(zeros), 8),
	CALL(listen, -1, 1),
	CALL(accept4, -1, 0, 0, 0),
	CALL(sendto, -1, AT(zeros), 1, 0, 0, 0),
	CALL(sendmsg, -1, AT(zeros), 0),
	CALL(sendmmsg, -1, AT(zeros), 1, 0),
	CALL(recvfrom, -1, AT(zeros), 1, 0, 0, 0),
	CALL(recvmsg, -1, AT(zeros), 0),
	CALL(setsockopt, -1, 1, 1, AT(zeros), 4),
};

static const struct call modes[] = {
#ifdef SYS_chmod
	CALL(chmod, AT(outside), 0600),
	CALL(chown, AT(outside), -1, -1),
	CALL(lchown, AT(outside), -1, -1),
#endif
#ifdef SYS_open
	CALL_AS("open O_CREAT 06700", open, AT(none), O_WRONLY | O_CREAT, 06700),
#endif
	CALL_AS("openat O_CREAT 04700", openat, AT_FDCWD, AT(none), O_WRONLY | O_CREAT, 04700),
	CALL_AS("openat O_CREAT 02700", openat, AT_FDCWD, AT(none), O_RDWR | O_CREAT | O_EXCL,
		02700),
	CALL_AS("openat O_CREAT 01700", openat, AT_FDCWD, AT(none), O_WRONLY | O_CREAT | O_TRUNC,
		01700),
	CALL_AS("openat O_TMPFILE 04700", openat, AT_FDCWD, AT(none), O_RDWR | O_TMPFILE, 04700),
	CALL(fchmod, -1, 0600),
	CALL(fchmodat, AT_FDCWD, AT(outside), 0600),
	CALL_NR(fchmodat2, NR_FCHMODAT2, AT_FDCWD, AT(outside), 0600, 0),
	CALL(fchown, -1, -1, -1),
	CALL(fchownat, AT_FDCWD, AT(outside), -1, -1, 0),
};

static const struct call attributes[] = {
#ifdef SYS_utime
	CALL(utime, AT(outside), 0),
	CALL(utimes, AT(outside), 0),
	CALL(futimesat, AT_FDCWD, AT(outside), 0),
#endif
	CALL(utimensat, AT_FDCWD, AT(outside), 0, 0),
	CALL(setxattr, AT(none), AT(attribute), AT("x"), 1, 0),
	CALL(lsetxattr, AT(none), AT(attribute), AT("x"), 1, 0),
	CALL(fsetxattr, -1, AT(attribute), AT("x"), 1, 0),
	CALL(removexattr, AT(none), AT(attribute)),
	CALL(lremovexattr, AT(none), AT(attribute)),
	CALL(fremovexattr, -1, AT(attribute)),
	CALL_AS("ioctl FS_IOC_SETFLAGS", ioctl, -1, FS_IOC_SETFLAGS, AT(zeros)),
};

static const struct call nodes[] = {
#ifdef SYS_mkdir
	CALL(mkdir, AT(none), 0700),
	CALL(rmdir, AT(none)),
	CALL(link, AT(none), AT(none)),
	CALL(symlink, AT("x"), AT(none)),
	CALL(mknod, AT(none), 0010600, 0),
	CALL(creat, AT(none), 0600),
#endif
	CALL(mkdirat, AT_FDCWD, AT(none), 0700),
	CALL_AS("unlinkat of a directory", unlinkat, AT_FDCWD, AT(none), AT_REMOVEDIR),
	CALL(linkat, AT_FDCWD, AT(none), AT_FDCWD, AT(none), 0),
	CALL(symlinkat, AT("x"), AT_FDCWD, AT(none)),
	CALL(mknodat, AT_FDCWD, AT(none), 0010600, 0),
	CALL(truncate, AT(none), 0),
	CALL(fallocate, -1, 0, 0, 1),
	CALL_NR(openat2, NR_OPENAT2, AT_FDCWD, AT(none), AT(how), sizeof(how)),
	CALL(open_by_handle_at, -1, AT(zeros), 0),
	CALL(name_to_handle_at, AT_FDCWD, AT(none), AT(zeros), AT(zeros), 0),
	CALL(copy_file_range, -1, 0, -1, 0, 1, 0),
	CALL(sendfile, -1, -1, 0, 1),
	CALL(splice, -1, 0, -1, 0, 1, 0),
};

static const struct call writing[] = {
	CALL_AS("openat O_WRONLY", openat, AT_FDCWD, AT(outside), O_WRONLY),
	CALL_AS("openat O_RDWR", openat, AT_FDCWD, AT(outside), O_RDWR),
	CALL_AS("openat O_CREAT", openat, AT_FDCWD, AT(outside_new), O_RDONLY | O_CREAT, 0600),
	CALL_AS("openat O_TRUNC", openat, AT_FDCWD, AT(outside), O_RDONLY | O_TRUNC),
	CALL_AS("openat O_TMPFILE", openat, AT_FDCWD, AT("."), O_WRONLY | O_TMPFILE, 0600),
#ifdef SYS_open
	CALL_AS("open O_WRONLY", open, AT(outside), O_WRONLY),
	CALL(rename, AT(none), AT(none)),
	CALL(unlink, AT(none)),
	CALL(renameat, AT_FDCWD, AT(none), AT_FDCWD, AT(none)),
#endif
	CALL(renameat2, AT_FDCWD, AT(none), AT_FDCWD, AT(none), 0),
	CALL(unlinkat, AT_FDCWD, AT(none), 0),
	CALL(ftruncate, -1, 0),
	CALL(umask, 077),
};

static const struct call elsewhere[] = {
	CALL_AS("openat O_WRONLY", openat, AT_FDCWD, AT(outside), O_WRONLY),
	CALL_AS("openat O_CREAT", openat, AT_FDCWD, AT(outside_new), O_WRONLY | O_CREAT, 0600),
	CALL_AS("openat of a device", openat, AT_FDCWD, AT("/dev/zero"), O_WRONLY),
	CALL_AS("renameat2", renameat2, AT_FDCWD, AT(outside), AT_FDCWD, AT(outside_new), 0),
	CALL_AS("unlinkat", unlinkat, AT_FDCWD, AT(outside), 0),
};

static const struct call shared[] = {
	CALL(shmget, 0x62617463, 4096, 0),
	CALL(shmat, -1, 0, 0),
	CALL(shmctl, -1, 0, 0),
	CALL(shmdt, 1),
	CALL(semget, 0x62617463, 1, 0),
	CALL(semctl, -1, 0, 0, 0),
	CALL(semtimedop, -1, AT(zeros), 1, 0),
	CALL(msgget, 0x62617463, 0),
	CALL(msgsnd, -1, AT(signal_info), 1, 0),
	CALL(msgrcv, -1, AT(zeros), 1, 0, 0),
	CALL(msgctl, -1, 0, 0),
	CALL(mq_open, AT("batconv.none"), 0),
	CALL(mq_unlink, AT("batconv.none")),
	CALL(memfd_create, AT(none), 0),
};

static const struct call mounts[] = {
	CALL(mount, AT(none), AT(none), 0, 0, 0),
	CALL(umount2, AT(none), 0),
	CALL_NR(fsopen, NR_FSOPEN, AT(none), 0),
	CALL_NR(fsconfig, NR_FSCONFIG, -1, 99, 0, 0, 0),
	CALL_NR(fsmount, NR_FSMOUNT, -1, 0, 0),
	CALL_NR(fspick, NR_FSPICK, AT_FDCWD, AT(none), 0),
	CALL_NR(open_tree, NR_OPEN_TREE, AT_FDCWD, AT(outside), 0),
	CALL_NR(move_mount, NR_MOVE_MOUNT, AT_FDCWD, AT(none), AT_FDCWD, AT(none), 0),
	CALL_NR(mount_setattr, NR_MOUNT_SETATTR, -1, AT(none), 0, AT(zeros), 32),
	CALL(pivot_root, AT(none), AT(none)),
	CALL(chroot, AT(none)),
	CALL(unshare, CLONE_FS),
	CALL(setns, -1, 0),
	CALL(swapon, AT(none), 0),
	CALL(swapoff, AT(none)),
	CALL(quotactl, -1, AT(none), 0, 0),
	CALL_NR(quotactl_fd, NR_QUOTACTL_FD, -1, 0, 0, 0),
	CALL(acct, AT(none)),
};

/* clang-format off */
static const struct call rights[] = {
	CALL(setuid, 0), CALL(setgid, 0), CALL(setreuid, -1, -1), CALL(setregid, -1, -1), CALL(setresuid, -1, -1, -1),
	CALL(setresgid, -1, -1, -1), CALL(setfsuid, 0), CALL(setfsgid, 0), CALL(setgroups, 0, 0), CALL(capset, 0, 0),
	CALL(personality, 0xffffffff), CALL(setsid, 0), CALL_AS("prctl PR_SET_DUMPABLE", prctl, 4, 1, 0, 0, 0),
	CALL(add_key, 0, 0, 0, 0, 0), CALL(keyctl, -1, 0, 0, 0, 0), CALL(request_key, 0, 0, 0, 0),
};
/* clang-format on */

static const struct call kernel[] = {
	CALL_NR(io_uring_setup, NR_IO_URING_SETUP, 0, AT(zeros)),
	CALL_NR(io_uring_enter, NR_IO_URING_ENTER, -1, 0, 0, 0, 0, 0),
	CALL_NR(io_uring_register, NR_IO_URING_REGISTER, -1, 0, 0, 0),
	CALL(io_setup, 0, AT(zeros)),
	CALL(bpf, -1, AT(zeros), 8),
	CALL(perf_event_open, 0, 0, 0, -1, 0),
	CALL(userfaultfd, -1),
	CALL(seccomp, 99, 0, 0),
	CALL(init_module, 0, 0, 0),
	CALL(finit_module, -1, AT(none), 0),
	CALL(delete_module, AT(none), O_NONBLOCK),
	CALL(kexec_load, 0, 0, 0, -1),
	CALL(reboot, 0, 0, 0, 0),
	CALL(sethostname, 0, -1),
	CALL(setdomainname, 0, -1),
	CALL(settimeofday, 0, 0),
	CALL(clock_settime, -1, AT(zeros)),
	CALL(adjtimex, AT(zeros)),
	CALL(syslog, 10, 0, 0),
	CALL(fanotify_init, -1, 0),
	CALL(inotify_init1, 0),
	CALL(epoll_create1, 0),
	CALL(eventfd2, 0, 0),
	CALL(timer_create, 0, 0, AT(zeros)),
	CALL_NR(memfd_secret, NR_MEMFD_SECRET, -1),
#ifdef SYS_iopl
	CALL(iopl, 4),
	CALL(ioperm, 0, 0, 0),
	CALL(modify_ldt, 0, AT(zeros), 0),
#endif
};

static const struct call descriptors[] = {
	CALL_AS("ioctl TIOCSTI", ioctl, -1, TIOCSTI, AT("x")),
	CALL_AS("ioctl TIOCSCTTY", ioctl, -1, TIOCSCTTY, 0),
	CALL_AS("fcntl F_SETOWN", fcntl, -1, F_SETOWN, NOBODY),
	CALL_AS("fcntl F_NOTIFY", fcntl, -1, F_NOTIFY, 0),
	CALL_AS("fcntl F_SETFL", fcntl, -1, F_SETFL, 0),
};

#define CLASS(name, held, calls) {name, held, calls, sizeof(calls) / sizeof(*calls)}
/* clang-format off */
static const struct call_class classes[] = {
	CLASS("programs and processes", HELD, processes),
	CLASS("other processes", HELD, others),
	CLASS("sockets", HELD, sockets),
	CLASS("shared memory, queues", HELD, shared),
	CLASS("modes and owners of files", HELD, modes),
	CLASS("times and attributes of files", HELD, attributes),
	CLASS("directories, links, devices; files by other ways", HELD, nodes),
	CLASS("writing, where no output is a file", HELD_IF_READING, writing),
	CLASS("writing outside the outputs' directories", HELD_OUTSIDE, elsewhere),
	CLASS("mounts, namespaces", HELD, mounts),
	CLASS("users, rights, keys", HELD, rights),
	CLASS("the kernel", HELD, kernel),
	CLASS("terminals, signals by descriptors", HELD, descriptors),
};
/* clang-format on */

#endif
