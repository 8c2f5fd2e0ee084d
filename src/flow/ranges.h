/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code that ran, as ranges of the input binary and branches between them: the unsymbolized
 * profile that llvm-profgen reads.  Every trace of the output is walked through the instructions of
 * the input: docs/conversion.md, section 8.
 */
#ifndef FLOW_RANGES_H
#define FLOW_RANGES_H

#include "src/base/counts.h"
#include "src/count/ledger.h"
#include "src/code/pair.h"
#include "src/flow/traces.h"
#include "src/code/out_functions.h"
#include "src/profile/profile.h"

/* X(NAME, key for machines, EXCLUDED or LOST, text for people) */
#define RANGE_DROPS(X)                                                                             \
	X(OUTSIDE, "out_of_range", EXCLUDED, "with an end outside the binary's functions")         \
	X(TWO_FUNCTIONS, "two_fragments", LOST, "with ends in two fragments")                      \
	X(BACKWARDS, "backwards", LOST, "that end before they begin")                              \
	X(INVALID, "invalid", LOST, "through code without a fall-through")                         \
	X(NO_CODE, "no_code", LOST, "in functions whose code of the input is not known")

#define STEP_DROPS(X)                                                                              \
	X(OUTSIDE, "outside", EXCLUDED, "that leave the binary's functions")                       \
	X(NO_CODE, "no_code", LOST, "to functions whose code of the input is not known")           \
	X(NO_BRANCH, "no_branch", LOST, "from addresses of the input binary that have no branch")

#define X(name, key, kind, text) RANGE_##name,
enum range_drop { RANGE_DROPS(X) RANGE_DROP_COUNT };
#undef X
#define X(name, key, kind, text) STEP_##name,
enum step_drop { STEP_DROPS(X) STEP_DROP_COUNT };
#undef X

/* A range is from the first byte of an instruction to the first byte of another, and contains both
 * instructions.  A branch leads from the one to the other. */
struct counted_range {
	uint64_t from, to; /* vaddrs of the input */
	uint64_t count;
};
#define RANGE_FROM_OUTSIDE 1 /* `from` of a branch */

struct ranges {
	struct counted_range *at; /* by from, then to: the ranges, and then the branches */
	size_t range_count, branch_count;
	uint64_t base;       /* the address from which llvm-profgen counts */
	struct ledger runs;  /* fall-throughs; reasons are those of enum range_drop */
	struct ledger steps; /* taken branches; of enum step_drop */
};
extern const struct ledger_words range_words, step_words;

/* A key of a table of counts: one of these, from, to. */
enum { COUNTED_RANGE, COUNTED_BRANCH };

/* Makes the lists of all rows; equal ones are added up.  False when out of memory. */
BC_MUST_USE bool ranges_gather(const struct count_table *counts, unsigned tables,
			       struct ranges *out);

/* The address from which llvm-profgen counts: that of the first page of code. */
uint64_t ranges_base(const struct image *image);

/* Replaces the branches that lead to the beginning of a function, or jump from one to another, by
 * those of a profile of the same samples, as restored: one truth for llvm-bolt and the compiler.
 * `pair` is that of the ranges.  BC_NOMEM: the ranges are as before. */
BC_MUST_USE bool ranges_take_calls(const struct profile *profile, const struct pair *pair,
				   struct ranges *ranges, struct bc_error *err);
void ranges_free(struct ranges *ranges);

/* Writes the unsymbolized profile: docs/conversion.md, section 8.  The caller checks ferror(). */
void profgen_write(const struct ranges *ranges, FILE *file);

/* ---- located traces, walked through the instructions of the input: the executed code becomes
 * ranges, and taken branches ---- */

/* One thread's share of the traces; zeroed except for the first two. */
struct range_walker {
	const struct trace_facts *facts;
	const struct out_functions *functions;
	struct count_table counts; /* see ranges_gather() */
	struct ledger runs, steps;
	bool no_memory;
};

void range_walker_take(struct range_walker *walker, const struct located_trace *trace);

/* Call it when all traces are taken: adds executed code through whole blocks of a function. */
void range_walker_sums(struct range_walker *walker, const struct out_function *f);

#endif
