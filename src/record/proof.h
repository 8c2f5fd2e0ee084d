/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Do samples of this machine show which code was executed?  A small program that is built in is
 * sampled in each way that `record` has here, and its exact run, one instruction after the other,
 * says what is true.
 *
 * The program does the same in each round, so that the shares of its branches and functions are
 * those of one round.  It runs in a child of this process, at the same addresses.
 */
#ifndef RECORD_PROOF_H
#define RECORD_PROOF_H

#include "src/record/sampling.h"

/* One round of the built-in program: parts[i] runs so many times as long as parts[0]. */
#define PROOF_PARTS 4

/* A taken branch, and the one that was taken after it. */
struct proof_branch {
	uint64_t from, to;
	uint64_t next; /* where the branch after it is; 0: not known */
	uint64_t count;
};
DEFINE_VEC(proof_branch_vec, struct proof_branch);

/* The executed code of the program. */
struct proof_counts {
	struct proof_branch_vec branches; /* by from, to and next; each once */
	uint64_t parts[PROOF_PARTS];      /* exact: instructions; else samples */
	uint64_t instructions;
	uint64_t taken; /* branches of the exact run */
};
void proof_counts_free(struct proof_counts *counts);

/* The exact run of a round: the child is stopped after each instruction.
 *
 * BC_UNSUPPORTED  this processor, or its kernel, does not do that
 * BC_IO           the child cannot be started, or traced
 * BC_NOMEM */
BC_MUST_USE bool proof_exact(struct proof_counts *out, struct bc_error *err);

/* One way of sampling. */
struct proof_way {
	bool ran; /* else `why` */
	char why[768];
	bool stacks; /* it is of branch stacks, else of addresses */
	char event[64];
	uint64_t samples; /* in the program's code */
	uint64_t others;  /* elsewhere: the C library, the beginning of the child */
	uint64_t lost;
	uint64_t branches;   /* of stacks, from and to the program's code */
	uint64_t impossible; /* of these, such that the exact run has not, or not one after the
				other */
	double agreement;    /* percent: of the branches, else of the samples by function, that lie
				where the exact run has them */
};

/* Those that `record` has: hardware traces are recorded by perf. */
#define PROOF_WAYS (SAMPLING_TIMER + 1)

struct proof {
	struct proof_counts exact;
	struct proof_way ways[PROOF_WAYS];
};

/* From so many percent on, the samples show which code was executed; below the least they do
 * not. */
#define PROOF_GOOD  90.0
#define PROOF_LEAST 75.0

/* Is there no doubt of a way that ran?  At least PROOF_LEAST agree, and of a thousand branches at
 * most one is impossible, as an interrupt can make it. */
bool proof_way_holds(const struct proof_way *way);

/* Samples in all ways until each has `samples`, or for as many seconds.  *out is to be freed either
 * way.  What proof_exact() says, BC_IO */
BC_MUST_USE bool proof_run(const struct perf_kernel *kernel, uint64_t samples, double seconds,
			   struct proof *out, struct bc_error *err);
void proof_free(struct proof *proof);

/* The first byte of the program's code, and the byte after its end. */
uint64_t proof_begin(void);
uint64_t proof_end(void);

#endif
