/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One run of a binary on a workload: started, measured, and ended with all that it started.
 *
 * A program runs in a process group of its own, with an empty stdin or a file.  Its output is
 * read to the end for its digest, never kept.  What a run leaves running is killed when the run
 * ends: this process becomes the parent of orphans (PR_SET_CHILD_SUBREAPER), and each program is
 * killed when this process is.
 *
 * One run at a time, in one thread.
 */
#ifndef TRIAL_WORKLOAD_H
#define TRIAL_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/digest.h"
#include "src/base/error.h"
#include "src/record/perf_count.h"

/* The words of a command line; in each, every "{}" represents the binary. */
struct template
{
	const char *const *words;
	size_t count; /* 0: there is none */
};

struct workload {
	struct template command; /* what is measured; of a server: what puts load on it */
	const char *input;       /* the stdin of the command, or NULL */
	double timeout;          /* seconds: a run, or the start of a server, may take so long */

	struct template serve; /* the server that is measured while `command` runs; or none */
	unsigned port;         /* it is ready when it accepts on this port of this machine, */
	struct template ready; /* or when this succeeds */
	double patience;       /* seconds that it has to end, from SIGTERM to SIGKILL; 0: 10 */

	int log; /* a descriptor that all programs' output is copied to; 0: none */

	const struct perf_kernel *kernel; /* that counts events of what is measured; NULL: none */
};

struct workload_run {
	double cpu, wall; /* seconds: user and system time of all processes; of a server, while it
			     had load */
	int code;         /* exit code of `command`; 128 and the signal that ended it */
	uint64_t written; /* bytes on stdout, and their SHA-256 */
	uint8_t digest[SHA256_SIZE];
	struct event_counts events; /* of the same processes and the same time as `cpu` */
	char said[256];             /* the last line on stderr, printable; empty: none */
};

/* Runs it once.  binary: NULL: the words are complete, and a "{}" in them is itself.  Errors do not
 * name the binary.
 *
 * BC_NOTFOUND     a program is not there
 * BC_IO           a program cannot be started, or the server ends, or another program has its port
 * BC_UNSUPPORTED  it took longer than its timeout
 * BC_NOMEM */
BC_MUST_USE bool workload_run(const struct workload *workload, const char *binary,
			      struct workload_run *out, struct bc_error *err);

/* The words for this binary (NULL: as they are), and NULL after the last; to be freed by
 * template_free().  NULL: no memory. */
char **template_words(const struct template *of, const char *binary);
void template_free(char **words);

/* For a clock that only continues. */
double seconds_now(void);

/* Does any word have a "{}"? */
bool template_has_binary(const struct template *of);

/* Kills all processes that run. For handlers of signals. */
void workload_abandon(void);

#endif
