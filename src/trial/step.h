/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A long job in steps.  A step is a command line that a user can paste into a shell, run as a
 * process of its own, without a shell.  What it prints goes into a log in the folder of the job.
 *
 * A step that was done before is not run again: NAME.done in the folder has a digest of its command
 * line, of the files that it read and of those that it wrote.  One process works in a folder at a
 * time, and only in one that is new, empty, or was made by this module.
 */
#ifndef TRIAL_STEP_H
#define TRIAL_STEP_H

#include <stdio.h>

#include "src/base/response.h"
#include "src/base/vec.h"
#include "src/trial/workload.h"

DEFINE_VEC(step_words, const char *);

/* This program, as the first word of a step. */
#define STEP_SELF "/proc/self/exe"

struct job_step {
	const char *name;        /* of its log, too */
	const char *about;       /* for people: "an instrumented copy" */
	struct step_words words; /* the command; with `serve` what puts load on it */
	struct step_words serve, ready;
	unsigned port;
	const char *all_of; /* each file of this folder, by name, is a word after the others; or
			       NULL */
	const char *input;  /* stdin, or NULL */
	double timeout;     /* seconds; 0: none */
	struct step_words reads, writes; /* files and folders; a folder to write ends with a slash,
					    and is made */
	bool adds;    /* to what it wrote before: it is run also if it was done, */
	int fails_by; /* ... and may end with this exit code, too; 0: none */
	bool any_code;
	/* What became of it: */
	int code;
};

/* A step that was done. */
struct step_done {
	const char *name;
	char *command; /* for a shell */
	double seconds;
	bool before; /* by an earlier run of the job */
};
DEFINE_VEC(step_done_vec, struct step_done);

struct step_job {
	const char *folder; /* borrowed */
	FILE *plan;         /* steps are printed here, for a shell, and none is run; or NULL */
	FILE *progress;     /* a line for each step; or NULL */
	struct argument_vec texts;
	struct step_done_vec done;
	int lock;
	bool no_memory;
};

/* Makes the folder, unless it is there, and locks it; of a plan it does nothing.  job_close() in
 * any case.
 *
 * BC_EXISTS  the folder has other files, or another process works in it
 * BC_IO */
BC_MUST_USE bool job_open(struct step_job *job, struct bc_error *err);
void job_close(struct step_job *job);

/* A text as long as the job; no memory fails the next step. */
BC_PRINTF(2, 3) const char *job_text(struct step_job *job, const char *fmt, ...);

/* A path that no program takes for an option. */
const char *job_path(struct step_job *job, const char *path);

/* Adds words to a list: job_add(job, list, word...). */
#define job_add(job, to, ...)                                                                      \
	job_add_many((job), (to), (const char *const[]){__VA_ARGS__},                              \
		     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void job_add_many(struct step_job *job, struct step_words *to, const char *const *words,
		  size_t count);
void job_add_words(struct step_job *job, struct step_words *to, char *const *words);

/* Runs it, unless it was done, and frees its lists.
 *
 * BC_IO, BC_NOTFOUND, BC_UNSUPPORTED  it cannot be run, or fails; the text begins with its name and
 *                                     ends with the log */
BC_MUST_USE bool step_run(struct step_job *job, struct job_step *step, struct bc_error *err);

/* How many files that are not empty a folder has. */
size_t step_files(const char *folder);

/* Words of a command line, by print_shell_word(). */
void print_shell_words(const char *const *words, size_t count, FILE *out);

#endif
