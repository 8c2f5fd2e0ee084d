/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Does the output unwind as the input does?  At each instruction that both have, the rules for the caller's frame and
 * registers are compared; where BOLT changed the frame, they are held against the code (frame_flow.h).  Exceptions must find the same landing
 * pads, and an unwinder every FDE.
 */
#ifndef VERIFY_UNWIND_H
#define VERIFY_UNWIND_H

#include "src/verify/insn_ties.h"

struct unwind_summary {
	/* Instructions of the output in fragments of the table. */
	uint64_t instructions;
	uint64_t equal;     /* the same rules */
	uint64_t explained; /* other ones, as BOLT changed the frame; the code says that they are right */
	uint64_t different; /* findings */
	/* Not comparable: */
	struct untied_counts untied;
	uint64_t no_function; /* of functions that are not known in the input */
	uint64_t no_rules; /* the input has none there */
	/* Their rules are not the input's, as BOLT changed the frame of the function, and following its code does not tell whether they
	 * are right: the stack pointer was rounded, a register was loaded from memory of which nothing is known. */
	uint64_t untold;
	uint64_t input_wrong; /* the input's rules contradict its code there, too */
	/* Others. */
	uint64_t calls; /* whose exceptions were compared */
	uint64_t fdes;  /* of the output that an unwinder can find */
	/* Functions of the output that the table has nothing of: each is in one of the three. */
	uint64_t left;
	uint64_t left_compared; /* by their rows: BOLT left them where they were */
	uint64_t left_no_rules; /* the input has none where they begin */
	uint64_t left_other;    /* the input has no function of this name there */
};

/* Adds findings, and fills the summary.  input->of is known.  BC_FORMAT: the input's .eh_frame is damaged, or too much work.  BC_NOMEM */
BC_MUST_USE bool check_unwind(const struct binary *subject, const struct input *input, unsigned threads, struct unwind_summary *out,
			      struct findings *findings, struct bc_error *err);

#endif
