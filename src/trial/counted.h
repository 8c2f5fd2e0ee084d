/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one run does, counted: the same on each machine, however busy it is.
 *
 * valgrind's callgrind runs the workload, some fifty times as slowly, and writes how often each
 * instruction ran, and how often each conditional branch was taken.  Which instruction is a branch
 * is read from the files of the code.  All threads and processes count.  A server is
 * counted from its start to its end; what puts load on it runs as it is.
 * Facts: valgrind's manual, "Callgrind Format Specification" (version 1).
 */
#ifndef TRIAL_COUNTED_H
#define TRIAL_COUNTED_H

#include "src/base/file.h"
#include "src/trial/workload.h"

struct run_counts {
	uint64_t instructions;
	uint64_t taken;       /* branches, calls and returns that did not continue with the next
				  instruction */
	uint64_t line_misses; /* of fetches, in callgrind's model of this processor's first cache */
	uint64_t lines, pages; /* different ones that code ran in: of 64 bytes, of 4 KiB */
	uint64_t unknown; /* instructions of code that is in no file, or that callgrind does not
				  show the file of, as stubs of a PLT; no return of it is taken */
	int code;         /* the exit code of the run; of valgrind, where it cannot run it */
};

/* Runs the workload's command, or its server, under valgrind.
 *
 * BC_UNSUPPORTED  valgrind cannot run it
 * ... and what workload_run() has. */
BC_MUST_USE bool counted_run(const struct workload *workload, const char *binary,
			     struct run_counts *out, struct bc_error *err);

/* Counts that can be compared.  A server does not do the same each time, as it depends on when
 * requests come: of it there are several runs, and a difference is one if the ranges do not
 * overlap. */
struct counted_runs {
	struct run_counts median, least, most; /* of each count by itself; of one run the same */
};

/* BC_UNSUPPORTED  also: the exit code differs from run to run
 * ... and what counted_run() has. */
BC_MUST_USE bool counted_runs(const struct workload *workload, const char *binary,
			      struct counted_runs *out, struct bc_error *err);

/* How many runs it takes. */
size_t counted_runs_of(const struct workload *workload);

/* Reads what callgrind wrote of one process, with all names and addresses written out, and adds
 * it up.  The lines and pages are added, too: of several processes those of each count.
 *
 * BC_UNSUPPORTED  it is compressed, and needs too much memory
 * BC_FORMAT, BC_IO, BC_NOMEM */
BC_MUST_USE bool counted_read(struct file_stream *stream, struct run_counts *sum,
			      struct bc_error *err);

/* For handlers of signals: removes what a run that was ended left. */
void counted_abandon(void);

#endif
