/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The packets of Arm SPE (Statistical Profiling Extension).  A processor writes a record for each
 * operation that it sampled: packets in any order, of which END or a time stamp is the last.
 *
 *   header          packet                      payload
 *   00 01           padding, END                none
 *   20..2f 00       alignment                   up to the next multiple of 2 << (bits 3:0)
 *   42 52 62 72     events                      1, 2, 4, 8 bytes
 *   43 53           source of data              1, 2
 *   48 49 4a        kind of operation           1; 4a: a branch
 *   64 65           context, of EL1 or EL2      4: CONTEXTIDR, the number of the thread
 *   71              time stamp                  8
 *   98..9f          counters                    2
 *   b0..b7          addresses                   8; b0: of the operation, b1: where the branch led
 *                                               to, b4: where the taken branch before it led to
 *
 * A header of 20..23 in front of another one adds bits to its number.  Bits 5:4 of a header are the
 * size of the payload, as a power of two: a packet that is not known is skipped.
 *
 * Facts: Arm Architecture Reference Manual (DDI 0487), chapter "Statistical Profiling Extension
 * Sample Record Specification"; tools/perf/util/arm-spe-decoder of Linux.
 */
#ifndef SAMPLES_AUX_SPE_H
#define SAMPLES_AUX_SPE_H

#include "src/base/bytes.h"

/* Bits of the events. */
#define SPE_EVENT_NOT_TAKEN    (UINT64_C(1) << 6)
#define SPE_EVENT_MISPREDICTED (UINT64_C(1) << 7)

/* One sampled operation.  Zero represents what its record does not have. */
struct spe_record {
	uint64_t pc;      /* of the operation, as a run-time address */
	uint64_t target;  /* where a branch led to; if it was not taken, some processors show the
			     next instruction, others 0 */
	uint64_t before;  /* where the taken branch before the operation led to */
	uint64_t ticks;   /* of the processor's counter (queue.h) */
	uint64_t events;  /* SPE_EVENT_... */
	uint32_t context; /* number of the thread ... */
	bool has_context; /* ... if the kernel has it written */
	bool is_branch;
};

/* For one queue.  Zeroed: at the begin of a record. */
struct spe_decoder {
	struct spe_record record;
	bool open;     /* something of a record was read */
	bool spoiled;  /* ... and something that is no packet: the record is left out */
	bool given;    /* the record was given out: the next one begins */
	uint8_t doubt; /* the bytes began within a record, perhaps.  2: the first one that ends is
			  left out; 1: the next one, if it has packets that are not known */
	uint64_t skip; /* bytes that a packet of alignment still drops */
	uint64_t spoiled_records;
	uint64_t bad_bytes;       /* that are no packet */
	uint64_t unknown_packets; /* that were skipped */
};

/* Take packets off the front of *rest until a record is complete.  True: decoder->record is one.
 * False: more bytes must follow what is left in *rest, fewer than SPE_PACKET_MOST.
 *
 * at  where *rest begins in the trace, for packets of alignment */
bool spe_next(struct spe_decoder *decoder, struct bytes *rest, uint64_t at);

/* The most bytes of a packet, except for one of alignment. */
#define SPE_PACKET_MOST 10

/* The bytes that follow are none that followed those before: something was lost.  Returns whether a
 * record was open, which is left out.
 *
 * within  they can begin within a record, even within a packet */
bool spe_cut(struct spe_decoder *decoder, bool within);

#endif
