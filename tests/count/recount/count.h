/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The second count of what the readers deliver.  It shares with the first the readers,
 * the address space and the binary, and nothing that counts: one thread, one sample after
 * the other, each address looked up by itself.
 */
#ifndef TESTS_COUNT_RECOUNT_COUNT_H
#define TESTS_COUNT_RECOUNT_COUNT_H

#include "src/samples/image_space.h"
#include "src/elf/binary.h"
#include "src/samples/perf_data/perf_features.h"
#include "tests/count/recount/numbers.h"
#include "tests/count/recount/rows.h"

/* As given to batconv. */
struct count_options {
	bool basic;
	bool keep_newest;
	bool as_perf2bolt;
	uint64_t most; /* --max-samples; 0: all */
	bool has_pid;
	uint64_t pid;
	struct text event;      /* empty: all */
	const char *image_name; /* NULL: the binary's */
	bool ignore_build_id;
	bool fdata, yaml; /* what was written */
};

DEFINE_VEC(text_vec, char *);

struct count {
	struct count_options options;
	const struct binary *binary;
	struct image_space space;
	struct recordings recordings;
	uint64_t seen;     /* samples of the present input */
	bool erratum_seen; /* in the present input */
	bool branches_seen, branches_recorded;
	bool is_basic; /* the profile is of addresses: set by count_end() */

	struct numbers numbers;
	struct numbers plain;  /* of basic samples, which count only if there are no branches */
	struct row_vec traces; /* where it went, the branch, the end */
	struct row_vec addresses;
	struct row_vec accesses; /* code, data */
	struct row_vec returns;  /* branches that the input says are returns */
	struct row_vec typed;    /* of those: by their type */
	struct row_vec
		outside; /* traces of branches from outside: the branch is a run-time address */
	struct row_vec outside_returns; /* and those that are returns by their type */
	struct text_vec events;         /* names, sorted in the end */
};

/* The binary and what the options point to are borrowed.  Finish with count_free(). */
BC_MUST_USE bool count_begin(struct count *count, const struct binary *binary, const char *path,
			     const struct count_options *options, struct bc_error *err);
BC_MUST_USE bool count_read(struct count *count, const char *samples, struct bc_error *err);
void count_end(struct count *count);
void count_free(struct count *count);

/* Does an input say that this branch is a return?  One that does decides for all. */
bool count_says_return(const struct count *count, uint64_t branch);

/* Does only its type? */
bool count_is_typed(const struct count *count, uint64_t branch);

/* What becomes of the numbers where the counts are the result, so many records: all that
 * was not dropped so far is kept. */
void count_keep(struct count *count, size_t records);

#endif
