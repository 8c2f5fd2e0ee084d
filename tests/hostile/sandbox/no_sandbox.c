/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LD_PRELOAD: a kernel that has neither Landlock nor seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) long syscall(long number, ...);

__attribute__((visibility("default"))) int prctl(int option, ...);

/* The older way to seccomp; the rest is as if it were done. */
int prctl(int option, ...)
{
	errno = EINVAL;
	return option == 22 ? -1 : 0;
}

/* batconv makes no other calls this way; what libraries do by it they do without. */
long syscall(long number, ...)
{
	(void)number;
	errno = ENOSYS;
	return -1;
}
