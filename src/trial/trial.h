/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Binaries compared on the same work: each against the first one, in rounds of one run of each, in
 * random order, until every comparison is decided, or the time is spent.
 */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "src/trial/counted.h"
#include "src/trial/ratio.h"
#include "src/trial/workload.h"

enum trial_verdict {
	TRIAL_UNDECIDED,
	TRIAL_FASTER, /* all of the interval is below 1, */
	TRIAL_SLOWER, /* or above it,                     */
	TRIAL_SAME,   /* or nearer to 1 than the margin   */
};

struct trial_options {
	double budget;                  /* seconds: no round begins after them */
	double margin;                  /* a share: a smaller difference is none */
	size_t warm_up;                 /* rounds that do not count */
	size_t rounds;                  /* at most; 0: any number */
	bool untimed;                   /* no rounds: counts alone */
	const struct workload *counted; /* also count what it does, once for each binary; or NULL */
	bool ignore_output;
	void (*each_round)(void *ctx, size_t rounds); /* or NULL */
	void *ctx;
};

/* An event of a binary's runs. */
struct contender_event {
	struct real_vec counts;
	double count;       /* median */
	struct ratio ratio; /* against the first binary: */
	struct ratio_estimate is;
};

/* The interval of CPU time after so many rounds. */
struct trial_look {
	size_t rounds;
	struct ratio_estimate is;
};
DEFINE_VEC(trial_look_vec, struct trial_look);

/* A binary, and what its runs took. */
struct contender {
	const char *path; /* borrowed */
	struct real_vec cpu_seconds, wall_seconds;
	double cpu, wall; /* seconds: medians */
	/* against the first one: */
	struct ratio cpu_ratio, wall_ratio;
	struct ratio_estimate cpu_is, wall_is;
	struct trial_look_vec looks; /* of all first rounds, then of fewer; the last is cpu_is */
	enum trial_verdict verdict;  /* of CPU time */
	size_t rounds_for_margin;    /* so many rounds would show a difference of the margin; 0: not
				       known */
	struct contender_event events[COUNTED_EVENT_COUNT];
	struct counted_runs counted;
	struct workload_run first;
	bool differs;  /* in output or exit code from the first one: it is not timed */
	bool unsteady; /* its own output differs from one run to the next */
};

struct contest {
	struct contender *at;
	size_t count, rounds;
	double seconds, margin;
	bool has_event[COUNTED_EVENT_COUNT]; /* it was counted in all runs of the rounds */
	size_t counted_runs;                 /* of each; 0: nothing was counted */
};

/* trial_free() in any case.  If the output of one differs, there are no rounds and no times.
 *
 * BC_UNSUPPORTED  the workload fails: its exit code is not 0, or not the same in each run, and
 *                 options->ignore_output is false
 * ... and what workload_run() has; the text begins with the binary. */
BC_MUST_USE bool trial_run(const struct workload *workload, const char *const *paths, size_t count,
			   const struct trial_options *options, struct contest *out,
			   struct bc_error *err);
void trial_free(struct contest *trial);

#endif
