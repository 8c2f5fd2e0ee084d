/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a hardware trace (Intel PT, Arm ETM and ETE) says of the path through the code.  The
 * trace has no branches: whoever walks the code (src/walk) comes to branches, conditional ones and
 * those through a register, and the trace has their outcomes, in the same order.
 *
 * Readers of packets (pt.h, etm.h) make these branch outcomes; they know nothing of code.
 */
#ifndef SAMPLES_AUX_TRACE_FLOW_H
#define SAMPLES_AUX_TRACE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/samples/aux/queue.h"

/* Which branches have outcomes in the trace. */
enum flow_rules {
	/* Intel PT: a bit for each conditional branch, and for each return that goes where the last
	 * call came from (the bit is 1; the walk keeps a stack of 64 calls).  A target for every
	 * other indirect branch and return.  None for a direct jump or call. */
	FLOW_PT,
	/* Arm ETM and ETE: a bit for each branch, direct or not, and for ISB (which is "taken" to
	 * the next instruction); 1: taken. After an indirect one that was taken a target follows;
	 * without one, if the processor has a return stack, it is the last of at most 15 calls:
	 * FLOW_ETM_RETURNS. */
	FLOW_ETM,
	FLOW_ETM_RETURNS,
};

enum flow_kind {
	/* `count` bits, the oldest in bit 0: taken or not. */
	FLOW_BITS,

	/* PT (TIP): the walk continues to the next branch that asks for an address, and this is
	 * where it led to. ETM (address): the next instruction is this one; if the walk is after an
	 * indirect branch, that led to it. */
	FLOW_TARGET,

	/* The walk continues to this instruction, without a branch in between that has an outcome,
	 * and was there when the trace was written (PT: FUP of PSB+; ETM: the address after a
	 * synchronization).  A walk that is lost, or in which the two do not agree, begins here. */
	FLOW_AT,

	/* In front of this instruction, to which the walk continues, something else interrupted the
	 * program: an exception, an interrupt (PT: FUP with what follows it; ETM: the preferred
	 * return address of an exception).  The walk is outside then. */
	FLOW_LEAVE,

	/* PT (TIP.PGD without FUP): the walk continues to the next instruction that leaves what is
	 * traced: a system call, a branch that asks for an address or, if `address` is not 0, one
	 * that leads there.  It is outside then.  ETM: the trace ended where the walk is. */
	FLOW_STOP,

	/* The trace begins (again), at this instruction (PT: TIP.PGE, or the target of an
	 * interrupt; ETM: the first address after TraceOn).  If the walk is outside, and this is
	 * where it was to continue, the fall-through continues, too: a system call and an
	 * interrupt do not end it. */
	FLOW_BEGIN,

	/* Something was lost: an overflow, a gap, a packet that is none.  Where the walk is, and
	 * its calls, are not known until the next address. */
	FLOW_LOST,

	/* ETE (source address): the walk goes straight on to this branch, by all conditional ones
	 * in between, which were not taken and have no bits, and takes it; after an indirect one a
	 * target follows, or none, as after a bit. */
	FLOW_FROM,
};

struct flow_answer {
	uint8_t kind;   /* enum flow_kind */
	uint8_t count;  /* BITS: 1 to 64 */
	uint64_t value; /* BITS: the bits; others: a run-time address */
};

/* Branch outcomes of one queue, of one thread. */
struct trace_flow {
	enum flow_rules rules;
	uint32_t lane;     /* of which queue, counted from 0: its walk continues where the outcomes
			  before these ended */
	uint32_t pid, tid; /* NO_PID: not known */
	uint64_t time; /* ns; of the first of them, as exactly as the trace shows; 0: not known */
	const struct flow_answer *at;
	size_t count;
	uint64_t trace_bytes; /* that these were read from */
	bool waits_ask;       /* ETM: WFI, WFE, WFIT and WFET have a bit, too */
};

/* Takes what hardware traces say, in the order of process events. */
struct flow_taker {
	void *ctx;
	/* What `flow` points to is valid during the call.  False, with err, stops the reader. */
	bool (*take)(void *ctx, const struct trace_flow *flow, struct bc_error *err);
	/* The recording has such traces: in front of its first mapping, unless it says so later
	 * only.  NULL: nobody asks. */
	void (*begin)(void *ctx);
};

/*
 * Readers of traces that have branch outcomes (trace_flow.h), as the reader of perf.data uses them:
 * one row for each kind of AUXTRACE_INFO.
 *
 * A decoder is of one row of bytes: of the buffer of a processor or thread or, if several sources
 * write into one (CoreSight's frames), of one of them.  Whoever uses it gives it bytes and takes
 * branch outcomes, a batch at a time: all of a batch are of one time and of one thread.
 */

/* What branch outcomes are of, which is reported with them. */
struct answer_place {
	uint64_t ticks;   /* of the processor's counter (queue.h); 0: not known */
	uint32_t context; /* the number of the thread, or of what the kernel writes instead ...
			   */
	bool has_context; /* ... if it has the processor write it */
};

/* What decoders counted. */
struct answer_counts {
	uint64_t bits, targets; /* branch outcomes ... */
	uint64_t dropped;   /* ... and bits that were left out, as they came where the way was not
			       known */
	uint64_t overflows; /* positions where the processor says that it lost something */
	uint64_t bad_bytes; /* that are no packet */
	uint64_t unknown_packets; /* of kinds that are not known: skipped */
};

/* The most branch outcomes of a batch, and how many entries are free when a decoder reads a packet,
 * and when it is cut. */
#define FLOW_BATCH_MOST 4096
#define FLOW_BATCH_ROOM 32

struct flow_batch {
	struct flow_answer *at;
	size_t count, capacity; /* capacity: at least 2 * FLOW_BATCH_ROOM */
};

static inline bool flow_batch_full(const struct flow_batch *batch)
{
	return batch->capacity - batch->count < FLOW_BATCH_ROOM;
}

/* Put a branch outcome in, other than bits. */
static inline void flow_put(struct flow_batch *batch, enum flow_kind kind, uint64_t value)
{
	batch->at[batch->count++] = (struct flow_answer){.kind = (uint8_t)kind, .value = value};
}

/* Put bits in, the oldest in bit 0.  count: 1 to 64; no bits above are set. */
static inline void flow_put_bits(struct flow_batch *batch, uint64_t bits, unsigned count)
{
	struct flow_answer *last = batch->at + batch->count - 1;

	if (batch->count && last->kind == FLOW_BITS && last->count < 64) {
		last->value |= bits << last->count;
		unsigned room = 64u - last->count;
		if (count <= room) {
			last->count = (uint8_t)(last->count + count);
			return;
		}
		last->count = 64;
		bits >>= room;
		count -= room;
	}
	batch->at[batch->count++] =
		(struct flow_answer){.kind = FLOW_BITS, .count = (uint8_t)count, .value = bits};
}

#define FLOW_NO_STREAM UINT32_MAX

/* For which bytes a decoder is. */
struct flow_source {
	uint32_t cpu, tid;  /* of the buffer: AUX_NONE if it is not of one */
	uint32_t stream;    /* CoreSight's trace id, of bytes in frames; else FLOW_NO_STREAM */
	uint64_t reference; /* of the first chunk of the buffer (queue.h) */
};

/* What the recorder says of all of them. */
struct flow_facts {
	struct aux_clock clock; /* if it has one of its own */
	bool timeless;          /* the counter is of another clock than the records' */
	const char *refused; /* a sentence without a full stop that says why nothing is read; NULL:
				it is */
};

/* Which branches have outcomes, as struct trace_flow has it. */
struct flow_asks {
	enum flow_rules rules;
	bool waits_ask;
};

struct flow_reader {
	uint32_t kind;       /* of AUXTRACE_INFO */
	bool frames;         /* buffers that AUX records do not call raw are CoreSight's frames
				(etm_frame.h) */
	size_t decoder_size; /* of what read() and the others work on, without what more() adds;
				memory is zeroed, and freed without a word */

	/* What AUXTRACE_INFO says after its kind and the word that fills up.  To be closed; NULL
	 * with err: BC_NOMEM, BC_FORMAT config  of the event whose type is the first word of
	 * `info`; 0: there is none */
	void *(*open)(struct bytes info, uint64_t config, struct flow_facts *facts,
		      struct bc_error *err);
	void (*close)(void *setup);

	/* AUX_OUTPUT_HW_ID: which trace id a processor has.  May be NULL.  BC_NOMEM */
	bool (*number)(void *setup, uint32_t cpu, uint64_t hw_id, struct bc_error *err);

	/* Has a source branch outcomes?  It can be of another kind.  NULL: each has. */
	bool (*knows)(const void *setup, const struct flow_source *source);

	/* How many bytes more a decoder of a source needs.  May be NULL. */
	size_t (*more)(const void *setup, const struct flow_source *source);

	/* At the begin of the bytes of a source.  Sets the processor in `source`, if it knows which
	 * wrote them. */
	struct flow_asks (*begin)(void *decoder, const void *setup, struct flow_source *source);

	/* Take packets off the front of *rest, and put branch outcomes after those in `batch`.
	 * Stops, and returns true, when the batch has no room left, or when the context changes:
	 * those in the batch are of the context before (if it gave no time, of the one after), and
	 * what follows is of `place()`.  False: more bytes must follow what is left in *rest, at
	 * most FLOW_PACKET_MOST. */
	bool (*read)(void *decoder, struct bytes *rest, struct flow_batch *batch);
	struct answer_place (*place)(const void *decoder);

	/* The bytes that follow are none that followed those before: puts FLOW_LOST in.
	 * within  they can begin within a packet */
	void (*cut)(void *decoder, bool within, struct flow_batch *batch);

	struct answer_counts (*counts)(const void *decoder);
};

#define FLOW_PACKET_MOST 64

/* NULL: no trace of this kind is read here. */
const struct flow_reader *flow_reader_of(uint32_t kind);

#endif
