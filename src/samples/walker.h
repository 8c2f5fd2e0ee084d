/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The walk through the code by the branch outcomes of a trace: one thread's.  It goes from block to
 * block up to the next branch that needs an outcome, and counts each branch that was taken with the
 * fall-through after it.
 *
 * Work is bounded by the outcomes: a walk from one such branch to the next is of at most
 * WALK_STRAIGHT_MOST blocks, and one of all of a trace of WALK_BLOCKS_AN_ANSWER for each outcome;
 * what needs more runs in a loop.
 */
#ifndef SAMPLES_WALKER_H
#define SAMPLES_WALKER_H

#include "src/base/counts.h"
#include "src/samples/aux/trace_flow.h"
#include "src/samples/code_images.h"

#define WALK_STRAIGHT_MOST 4096
#define WALK_STRAIGHT_LOOK                                                                         \
	64 /* after so many, that a branch needs an outcome is seen before more is counted */
#define WALK_BLOCKS_AN_ANSWER 64
#define WALK_BLOCKS_FREE      ((int64_t)1 << 20) /* of a queue, in addition */

/* The calls whose returns a processor does not show, of one queue: those of Intel PT.  Those of ETM
 * are at most 15. */
#define WALK_CALLS     64
#define WALK_CALLS_ETM 15

struct walk_calls {
	uint64_t at[WALK_CALLS]; /* where they return to; a ring */
	uint8_t top, count;
	int64_t credit; /* blocks that may be walked through; begins with WALK_BLOCKS_FREE */
};

/* Where the walk of a thread is; begins as walk_way_begin(). */
enum walk_state {
	WAY_LOST,    /* not in code that is known: for `loss` */
	WAY_INSIDE,  /* in front of `at` */
	WAY_OUTSIDE, /* something else runs; it continues at `at`, 0: not known */
	WAY_BEHIND,  /* after an indirect branch, `branch`, whose target comes (ETM) */
};

struct walk_way {
	uint8_t state;   /* enum walk_state */
	uint8_t loss;    /* enum walk_loss */
	bool has_line;   /* it is on a fall-through, that began with ... */
	bool is_return;  /* `branch` is a return */
	uint64_t branch; /* ... this branch, 0: not known ... */
	uint64_t to;     /* ... which led here */
	uint64_t at;     /* LOST in memory: where the way led into that, else 0 */
	uint32_t file;   /* of the mapping in which it is LOST */
	uint32_t code; /* 1 + the number of the image whose code does not fit, LOST for that; else 0
			*/
};

static inline struct walk_way walk_way_begin(void)
{
	return (struct walk_way){.state = WAY_LOST, .loss = LOSS_GAP};
}

/* What became of the branch outcomes. */
struct walk_sums {
	uint64_t walked;           /* bits and targets that were branch outcomes */
	uint64_t lost[LOSS_COUNT]; /* ... and those that were not */
	uint64_t mismatches;       /* locations where trace and code do not agree */
	uint64_t loops;
	uint64_t gaps; /* FLOW_LOST */
};

/* Does code fit a trace that ran through it?  A build that did not run has other branches. */
struct walk_fit {
	uint64_t answered;   /* branches of the code whose outcome the trace had */
	uint64_t mismatched; /* outcomes that are of no branch of it, up to the next address, and
			       blocks in loops */
};

struct walker; /* one thread's: its blocks and counts */

/* images: borrowed.  NULL: out of memory */
struct walker *walker_make(struct code_images *images);
void walker_free(struct walker *walker);

struct walk_step {
	const struct map_set *maps; /* of the process; NULL: not known */
	bool no_process;            /* nobody knows of which process it is */
	enum flow_rules rules;
	bool waits_ask;
	const struct flow_answer *at;
	size_t count;
	struct walk_calls *calls;
	struct walk_way *way;
	struct counts
		*counts; /* key: to, branch, end (0: not known); the second counter is of returns */
};

/* Walks on.  False when out of memory: of all of these. */
BC_MUST_USE bool walker_go(struct walker *walker, const struct walk_step *step);

/* The way ends here: what is known of its line is counted. */
BC_MUST_USE bool walker_end(struct walker *walker, struct walk_way *way, struct counts *counts);

/* Hands over what was counted, before anybody reads or frees the counts of the last step. */
BC_MUST_USE bool walker_flush(struct walker *walker);

/* What became of all branch outcomes so far.  Files: key {file, loss}. */
const struct walk_sums *walker_sums(const struct walker *walker);
const struct count_table *walker_files(const struct walker *walker);

/* For the image of this number (code_images.h). */
struct walk_fit walker_fit(const struct walker *walker, uint32_t code);

#endif
