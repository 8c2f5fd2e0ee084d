/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* perf script at work for us: what only perf can decode (instruction traces,
 * Arm SPE) is read as the text that it prints. */
#ifndef CLI_PERF_JOB_H
#define CLI_PERF_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/base/build_id.h"
#include "src/base/error.h"

struct perf_job {
	pid_t pid;
	int out;       /* what perf prints */
	char path[32]; /* under which that can be opened, as long as the job is */
};

/* Asks perf under which name a recording has the file of a build-id, as what perf script prints has no build-ids.
 * Returns the name without folders, to be freed, or NULL: unknown, or perf cannot be run. */
char *perf_job_name_of(const char *recording, const struct build_id *id);

/* Start perf on a recording.
 *
 * itrace   argument of its --itrace
 * basic    addresses, not branch stacks
 *
 * BC_IO */
BC_MUST_USE bool perf_job_start(const char *recording, const char *itrace, bool basic,
				struct perf_job *out, struct bc_error *err);

/* Waits for the end of perf.  *failed: perf ended by itself and says that it failed.  BC_IO: perf
 * failed, also by a signal, or could not be run. */
BC_MUST_USE bool perf_job_finish(struct perf_job *job, bool *failed, struct bc_error *err);

#endif
