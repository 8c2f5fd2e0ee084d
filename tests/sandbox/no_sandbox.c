/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LD_PRELOAD: a kernel that has neither Landlock nor seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) long syscall(long number, ...);

/* batconv makes no other calls this way; what libraries do by it they do without. */
long syscall(long number, ...)
{
	(void)number;
	errno = ENOSYS;
	return -1;
}
