/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a trace of the processor (Intel PT, Arm ETM and ETE) says of the way through the code.  The trace has no branches:
 * whoever walks the code (src/walk) meets questions, a conditional branch or one through a register, and the trace has the
 * answers, in the order of the questions.
 *
 * Readers of packets (pt.h, etm.h) make these answers; they know nothing of code.
 */
#ifndef SAMPLES_AUX_TRACE_FLOW_H
#define SAMPLES_AUX_TRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error.h"

/* Which questions have answers. */
enum flow_rules {
	/* Intel PT: a bit for each conditional branch, and for each return that goes where the last call came from (the bit is
	 * 1; the walk keeps a stack of 64 calls).  A target for every other indirect branch and return.  None for a direct jump or
	 * call. */
	FLOW_PT,
	/* Arm ETM and ETE: a bit for each branch, direct or not, and for ISB (which is "taken" to the next instruction); 1: taken.
	 * Behind an indirect one that was taken a target follows; without one, if the processor has a return stack, it is the last of at
	 * most 15 calls: FLOW_ETM_RETURNS. */
	FLOW_ETM,
	FLOW_ETM_RETURNS,
};

enum flow_kind {
	/* `count` bits, the oldest in bit 0: taken or not. */
	FLOW_BITS,

	/* PT (TIP): the walk goes on to the next branch that asks for an address, and this is where it led to.
	 * ETM (address): the next instruction is this one; if the walk stands behind an indirect branch, that led to it. */
	FLOW_TARGET,

	/* The walk goes on to this instruction, without a question in between, and was there when the trace was written (PT: FUP of
	 * PSB+; ETM: the address behind a synchronisation).  A walk that is lost, or in which the two do not agree, begins here. */
	FLOW_AT,

	/* In front of this instruction, to which the walk goes on, something else interrupted the program: an exception, an
	 * interrupt (PT: FUP with what follows it; ETM: the preferred return address of an exception).  The walk is outside then. */
	FLOW_LEAVE,

	/* PT (TIP.PGD without FUP): the walk goes on to the next instruction that leaves what is traced: a system call, a
	 * branch that asks for an address or, if `address` is not 0, one that leads there.  It is outside then.  ETM: the trace ended
	 * where the walk stands. */
	FLOW_STOP,

	/* The trace begins (again), at this instruction (PT: TIP.PGE, or the target of an interrupt; ETM: the first address behind
	 * TraceOn).  If the walk is outside, and this is where it was to go on, the straight line goes on, too: a system call and an interrupt
	 * do not end it. */
	FLOW_BEGIN,

	/* Something was lost: an overflow, a gap, a packet that is none.  Where the walk is, and its calls, are not known until the
	 * next address. */
	FLOW_LOST,

	/* ETE (source address): the walk goes straight on to this branch, by all conditional ones in between, which were not taken
	 * and have no bits, and takes it; behind an indirect one a target follows, or none, as behind a bit. */
	FLOW_FROM,
};

struct flow_answer {
	uint8_t kind;     /* enum flow_kind */
	uint8_t count;    /* BITS: 1 to 64 */
	uint64_t value;   /* BITS: the bits; others: a run-time address */
};

/* Answers of one queue, of one thread. */
struct trace_flow {
	enum flow_rules rules;
	uint32_t lane;      /* of which queue, counted from 0: its walk goes on where the answers before these ended */
	uint32_t pid, tid;  /* NO_PID: not known */
	uint64_t time;      /* ns; of the first of them, as exactly as the trace tells; 0: not known */
	const struct flow_answer *at;
	size_t count;
	uint64_t trace_bytes; /* that these were read from */
	bool waits_ask;     /* ETM: WFI, WFE, WFIT and WFET have a bit, too */
};

/* Takes what traces of the processor say, in the order of process events. */
struct flow_taker {
	void *ctx;
	/* What `flow` points to is valid during the call.  False, with err, stops the reader. */
	bool (*take)(void *ctx, const struct trace_flow *flow, struct bc_error *err);
	/* The recording has such traces: in front of its first mapping, unless it says so later only.  NULL: nobody asks. */
	void (*begin)(void *ctx);
};

#endif
