/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One thread's counting of samples: what a sample says becomes traces and
 * addresses of the binary, and equal ones are counted.
 */
#ifndef COUNT_SAMPLE_COUNTER_H
#define COUNT_SAMPLE_COUNTER_H

#include "src/samples/image_space.h"
#include "src/base/counts.h"
#include "src/count/ledger.h"
#include "src/count/stack.h"
#include "src/samples/event.h"

/* What all threads count together. */
struct totals {
	struct counts traces; /* key: see trace_key(); count, mispredictions */
	struct counts basic;  /* key: a vaddr */
	bool halves; /* the second counter of traces is of those in the first half of the samples,
			by chance, instead of mispredictions */
	bool with_ends; /* of branch stacks, which no fall-through has: */
	struct counts
		ends; /* key: a vaddr: what the newest led to, and where the oldest came from */
};

/* Rows that were counted before, waiting to be handed over together. */
struct counted_rows {
	struct count_row *rows; /* COUNTED_ROWS of them, or NULL */
	size_t count;
};

/* Returns that neither an instruction of the binary nor an R record shows: taken branches, by
 * what does. */
struct returns_found {
	uint64_t by_type, by_address;
};

/* What those before it in its input say of a stack. */
struct stack_use {
	uint8_t skip; /* newest entries to leave out, of those that are left after kernel entries
			 were dropped */
	bool typed;   /* its branches should have types */
	bool single;  /* see stack_is_single() */
	bool even;    /* see even_lines in rules.h; of a single branch */
	bool first;   /* the sample is in the first half, where there are halves */
};

struct sample_counter {
	struct totals *totals;                             /* borrowed */
	struct count_cache traces, basic, ends;            /* not handed over yet */
	struct counted_rows counted_traces, counted_basic; /* likewise */

	/* What was read, and of that what was dropped here.  What becomes of
	 * the rest is for the conversion to say. */
	struct ledgers ledgers;
	struct ledger addresses; /* samples as basic ones, until it is clear
				    whether there are branches */
	bool branches_seen;
	struct branch_types types;
	struct returns_found found; /* by type; locations are for the conversion to look at */
};

/* Count a sample's branch stack.  BC_NOMEM. */
BC_MUST_USE bool sample_counter_stack(struct sample_counter *counter, struct process_view *view,
				      const struct sample *sample, struct stack_use use,
				      struct bc_error *err);

/* Count a sample's address. */
BC_MUST_USE bool sample_counter_address(struct sample_counter *counter, struct process_view *view,
					struct run_addr ip, struct bc_error *err);

/* Add what was counted before: most of it is distinct, so a counter's own tables
 * would only be in the way. */
BC_MUST_USE bool sample_counter_trace(struct sample_counter *counter,
				      const struct trace_record *record, struct bc_error *err);
BC_MUST_USE bool sample_counter_basic(struct sample_counter *counter, struct vaddr at,
				      uint64_t count, struct bc_error *err);

/* Add the executed code of a process by a hardware trace.  BC_NOMEM; BC_FORMAT: the sum is 2^64 or
 * more. */
BC_MUST_USE bool sample_counter_ran(struct sample_counter *counter, struct process_view *view,
				    const struct ran_trace *rows, size_t count,
				    struct bc_error *err);

/* When all of `types` are known: traces that wait for them are counted.  BC_NOMEM. */
BC_MUST_USE bool sample_counter_settle_types(struct sample_counter *counter, struct bc_error *err);

/* Hand everything over. */
BC_MUST_USE bool sample_counter_flush(struct sample_counter *counter, struct bc_error *err);
void sample_counter_free(struct sample_counter *counter);

#endif
