/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * llvm-bolt at work for us: it alone computes the hashes of functions and blocks.  It is run once,
 * without a shell, and optimizes nothing; of the binary that it writes only the table is of use.
 * Files for it lie in a folder that goes however this program ends, except for SIGKILL; and so does
 * llvm-bolt.
 */
#ifndef FLOW_BOLT_JOB_H
#define FLOW_BOLT_JOB_H

#include "src/code/hash_source.h"
#include "src/profile/profile.h"

struct bolt_job {
	const char *llvm_bolt; /* --llvm-bolt=PATH; NULL: as bolt_program_find() finds it */
	const char *program;   /* that llvm-bolt reads */
	const char *data;      /* fdata or YAML: only its functions are processed; NULL: all are, or
				  those of `profile` */
	const struct profile *profile; /* of the program, or NULL */
	bool strict;                   /* llvm-bolt -strict, which processes all functions */
};

/* Runs it, and takes the hashes from what it wrote, of which nothing stays on the disk.  binary:
 * job->program, open; it must outlive *out.
 *
 * BC_NOTFOUND  there is no llvm-bolt
 * BC_IO        it cannot be run, or fails: the text has its path and the last line that it printed
 * else as of hash_source_open(): it wrote no hashes of this program, as releases before 19 */
BC_MUST_USE bool bolt_job_run(const struct bolt_job *job, const struct binary *binary,
			      struct hash_source *out, struct bc_error *err);

/* What the handler of a signal that ends this program does.  Async-signal-safe. */
void bolt_job_abandon(void);

#endif
