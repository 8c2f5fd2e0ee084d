/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --sandbox: give up, before the first input is opened, what no conversion needs, so
 * that a bug in a parser has little to work with.  docs/security.md says what is left.
 *
 * Landlock  nothing can be written, made, removed or run but in the folders of the
 *           outputs; reading stays, as libraries and debug files are read late
 * seccomp   no new process or program, no socket, nothing of other processes, none of
 *           the calls that only administrators need: EPERM
 *
 * Where the kernel has only one of them, or neither, the rest goes on without.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox {
	unsigned landlock; /* its version; 0: the kernel has none */
	bool seccomp;
};

/* Enter it, for good, with all threads that are started from now on; call it before the
 * first.  No library or program gets new privileges either.
 *
 * outputs  paths that are to be written, of which NULL and "-" are passed over: the
 *          folder of a file, the device or FIFO itself, or a folder
 *
 * What could be done is in the result. */
struct sandbox sandbox_enter(const char *const *outputs, size_t count);

#endif
