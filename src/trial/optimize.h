/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From a program and its work to a faster program, measured: samples, llvm-bolt, checks, and a
 * comparison on the same work.  What is found better is written; nothing else is.
 *
 * All but the comparison is done by steps (step.h), which are command lines of llvm-bolt and of
 * this program; the comparison is what `batconv compare` does.
 */
#ifndef TRIAL_OPTIMIZE_H
#define TRIAL_OPTIMIZE_H

#include "src/elf/bolt_input.h"
#include "src/trial/step.h"
#include "src/trial/trial.h"

/* Where the profile comes from. */
enum optimize_how { HOW_AUTO, HOW_LBR, HOW_INSTRUMENT, HOW_BASIC, HOW_PROFILE };

struct optimize_options {
	const char *program, *output, *folder;
	struct bolt_input input;       /* what the program has */
	const char *llvm_bolt;         /* its path, */
	bool cdsort;                   /* and whether it has -reorder-functions=cdsort */
	char *const *bolt_options;     /* NULL after the last; NULL: those of README */
	const struct workload *work;   /* `log` is not used */
	const struct workload *counts; /* for what is counted; NULL: nothing can be */
	bool counts_always;            /* also where the time decides */
	enum optimize_how how;         /* of HOW_AUTO: what else can be had, is tried */
	bool branches;                 /* HOW_AUTO: branch stacks can be sampled */
	const char *profile; /* of HOW_PROFILE: fdata or YAML, or samples of the program */
	bool profile_is_samples;
	const char *profile_of; /* the build that it is of, to be carried; NULL: of the program */
	uint64_t rounds; /* of samples and llvm-bolt: the second one samples what the first made */
	double budget; /* seconds: no recording and no round of the comparison begins after them */
	double margin; /* a share: a smaller difference is none */
	bool ignore_output, keep;
	FILE *plan;     /* print the steps, run none; or NULL */
	FILE *progress; /* or NULL */
};

/* What is known of the output in addition to the program. */
struct optimize_evidence {
	bool damaged; /* `verify` finds errors in it */
	bool differs; /* it prints something else, or ends with another code */
	bool timed, counted;
	struct ratio_estimate cpu;
	struct run_counts before, after;
	bool varies; /* the counts are medians of several runs, and these are the ranges of their
			ratios: events of the processor, or counts of a server */
	struct ratio_estimate taken, line_misses;
	double margin; /* counts that fall by a smaller share do not decide */
};

enum optimize_verdict {
	VERDICT_TIME,    /* kept: it takes less time */
	VERDICT_COUNTS,  /* kept: the time is undecided, and the counts are better */
	VERDICT_DAMAGED, /* not kept, as are all that follow */
	VERDICT_DIFFERS,
	VERDICT_SLOWER,
	VERDICT_NO_GAIN,   /* the time is undecided, or the same, and the counts are not better */
	VERDICT_UNDECIDED, /* the time is undecided, and nothing could be counted */
};

/* Is it better?  Counts are better if taken branches or misses of the I-cache fall by the margin,
 * and neither rises.  A rise below 0.1 %, or of less than one in 100,000 instructions, is none; of
 * events, neither is a change whose interval has 1. */
enum optimize_verdict optimize_judge(const struct optimize_evidence *evidence);

struct optimization {
	struct step_job job;
	struct contest contest;
	enum optimize_how how; /* the profile was had: no HOW_AUTO */
	const char *bolted;    /* the file in the folder */
	bool thin; /* `quality` still asked for more samples when the budget was spent */
	const char *uncounted; /* why nothing was counted, or NULL */
	struct optimize_evidence evidence;
	enum optimize_verdict verdict;
	bool kept;               /* `output` was written */
	struct bc_error refused; /* of counting */
};

/* optimize_free() in any case.
 *
 * BC_UNSUPPORTED  the workload fails, or llvm-bolt can do nothing with the program
 * BC_EXISTS       of the folder
 * ... and those of steps and of trial_run() */
BC_MUST_USE bool optimize(const struct optimize_options *options, struct optimization *out,
			  struct bc_error *err);
void optimize_free(struct optimization *of);

#endif
