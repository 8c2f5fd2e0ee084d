/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns a profile of addresses into one of branches: finds, in each function that has samples, the
 * most likely flow (flow.h) over the graph of its code.
 */
#ifndef FLOW_INFER_H
#define FLOW_INFER_H

#include "src/base/error.h"
#include "src/code/pair.h"
#include "src/profile/profile.h"
#include "src/flow/ranges.h"

/* With fewer samples in the whole profile, blocks without any are taken to run now and then
 * (flow_problem.sparse). With more it gains nothing, and takes three times as long. */
#define INFER_SPARSE ((uint64_t)1 << 16)

/* How many steps all functions together may take, at what they cost (flow.h): so many for each byte
 * of the binary that has the graphs, and a number that is enough for small ones.  A step takes some
 * 5 ns.  The functions with most samples come first. */
#define INFER_STEPS_EACH   128
#define INFER_STEPS_ALWAYS ((uint64_t)1 << 28)

/* How many functions, with how many samples, had one outcome. */
struct inferred_share {
	uint64_t functions, samples;
};

struct inferred {
	struct inferred_share solved;
	struct inferred_share
		no_cfg; /* BOLT builds no graph of it either: the profile has its entries only */
	struct inferred_share plt; /* PLT entries: the records of their callers have the calls */
	struct inferred_share too_large;  /* larger than cfg.h or flow.h takes: likewise */
	struct inferred_share step_limit; /* functions with more samples took the steps: likewise */
	uint64_t moved; /* samples of solved functions that the flow expects in other blocks */
	double uneven;  /* how much more the samples of instructions of one block differ than chance
			   makes them: the square of the coefficient of variation of the time that
			   each is said to take.  About 0 of a precise event, 2 to 9 of a timer,
			   whatever their number */
};

/* Why a function has entries only.  X(share of struct inferred, text for people) */
#define INFERRED_REASONS(X)                                                                        \
	X(no_cfg, "its code gives no control-flow graph")                                          \
	X(too_large, "its control flow is beyond the limit of the solver")                         \
	X(step_limit,                                                                              \
	  "functions with more samples took the steps that the size of the binary allows")

/* All samples that branches were to be inferred from. */
uint64_t inferred_of(const struct inferred *inferred);

/* From 0 to 100: how many of these had a flow inferred, and how many of those that had count in
 * other blocks.  docs/inference.md, "What is moved". */
double inferred_percent(const struct inferred *inferred);
double inferred_moved_percent(const struct inferred *inferred);

/* How often an instruction of the code ran, be it 0. */
struct observed {
	const struct function *function;
	uint32_t offset;
	uint64_t count;
};
DEFINE_VEC(observed_vec, struct observed);

/* Where an indirect call, or a jump out of a function, went, and how often, compared with the
 * others of its location. */
struct observed_call {
	const struct function *function;
	uint32_t offset;
	const struct function *callee;
	uint64_t count;
};
DEFINE_VEC(observed_call_vec, struct observed_call);

/* By function, then by offset. */
void observed_calls_sort(struct observed_call_vec *calls);

/* The index of the first call of a function, or of that of a later one, of sorted ones. */
DEFINE_SEARCH(observed_calls_of, struct observed_call, const struct function *,
	      item->function < key)

struct infer_job {
	struct cfg *graphs;      /* of the input binary: those that are missing are built */
	const struct pair *pair; /* the input binary, whose code has the graphs; NULL: the profile's
				    binary is one that BOLT did not touch */
	unsigned threads;
	struct ranges *ranges; /* the executed code by the flow, for llvm-profgen; its ledger of
				  runs counts samples.  NULL: not wanted */
	bool figures_only;     /* the profile stays as it is */
	const struct observed_vec
		*observed; /* by function and offset: what is known, used instead of samples.
			     Branches are counted as often as they ran then, not in units of
			     flow.h; the profile that is replaced has no records.  NULL: samples */
	const struct observed_call_vec *
		calls; /* sorted; none has a count of 0: how often the flow reaches a location is divided
			   among its callees.  NULL: nothing is known of them */
};

/* Replace a profile of samples by one of branches, and set the ranges.  The result does not depend
 * on the number of threads.
 *
 * BC_FORMAT  tables that would be read too often
 * BC_NOMEM; the profile is as it was then, and ranges_free() the ranges all the same */
BC_MUST_USE bool infer(const struct infer_job *job, struct profile *profile, struct inferred *out,
		       struct bc_error *err);

#endif
