/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --sandbox: give up, before the first input is opened, what no conversion needs, so
 * that a bug in a parser has little to work with.  docs/security.md says what is left.
 *
 * Landlock  nothing can be written, made, removed or run but in the directories of the
 *           outputs; reading stays, as libraries and debug files are read late
 * seccomp   only the system calls that reading, computing in threads and writing outputs
 *           take; all others fail with EPERM.  Where no output is a file, none can be
 *           opened for writing, made, renamed or removed either
 *
 * Where the kernel has only one of them, or neither, or the build is without libseccomp,
 * the rest continues without.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sandbox_calls {
	CALLS_NOT_BUILT, /* this build is without libseccomp */
	CALLS_NOT_THERE, /* this kernel is without seccomp   */
	CALLS_LISTED,    /* only those of the list are left  */
};

struct sandbox {
	unsigned landlock; /* its version; 0: the kernel has none */
	enum sandbox_calls calls;
	uint64_t capabilities; /* of a recording: those that are left, bits as of capabilities(7) */
};

/* Enter the sandbox, permanently; call it before the first thread is started, as only later threads
 * are in it, too.  No library or program gets new privileges either.
 *
 * outputs  paths that are to be written, of which NULL and "-" are passed over: the
 *          directory of a file, the device or FIFO itself, or a directory
 *
 * The result says which parts the kernel and this build have. */
struct sandbox sandbox_enter(const char *const *outputs, size_t count);

/* The same for a recording whose rings are open, with an output that is a file or a directory: it
 * may switch its events on and off, make and remove files, and wait for its command and end it (its
 * pid; 0: there is none).  Without Landlock, as who is in it may not read /proc/PID/maps and the
 * files of processes that are not.
 *
 * For the capabilities those stay, if they were there, that recording needs from then on: to read
 * maps and files of others (CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE, before
 * Linux 5.9 CAP_SYS_ADMIN), to end the command (CAP_KILL), and CAP_DAC_OVERRIDE if nothing can be
 * written into the output's directory without.
 *
 * folder: where files are written */
struct sandbox sandbox_enter_recording(int command, const char *folder);

/* The version of libseccomp; NULL: this build is without it. */
const char *sandbox_library(void);

/* Are files among these outputs? */
bool sandbox_writes(const char *const *outputs, size_t count);

#endif
