/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The packets of Intel PT (Processor Trace), and the branch outcomes in them (trace_flow.h).
 *
 *   bytes                packet    says
 *   00                   PAD       nothing
 *   xxxxxxx0             TNT       1 to 6 branches: below the highest 1, the oldest highest, 1:
 *                                  taken; of 02 a3: 6 bytes, up to 47
 *   nnn01101             TIP       where a branch led to
 *   nnn10001  nnn00001   PGE PGD   the trace begins, ends
 *   nnn11101             FUP       where the program was, for the packet next to it
 *   02 82, eight times   PSB       what follows, to PSBEND (02 23), is where everything is: a
 *                                  decoder can begin here
 *   02 f3                OVF       something was lost
 *   19 7, 59 1, 02 73 5  TSC MTC TMA   times; xxxxx011 and more: CYC, cycles; 02 03 2: CBR, the
 *                                      ratio of the clocks
 *   99 1                 MODE      the mode of execution, transactions
 *   02 43 6, 02 c8 5     PIP VMCS  the page table
 *   02 83, 02 c3 88 8    STOP MNT
 *   02 x12 4 or 8        PTW       PTWRITE
 *   02 62 e2, c2 8, 22 2, a2 5   EXSTOP MWAIT PWRE PWRX
 *   02 63 1, iiiii100, 02 33 b3  BBP BIP BEP   blocks of items; 4 or 8 bytes an item
 *   02 13 2, 02 53 9     CFE EVD   events; d9 2 or 4: TRIG
 *
 * The upper three bits of TIP, PGE, PGD and FUP say how the address is reported: not at all (0),
 * its lowest 2, 4 or 6 bytes (1, 2, 4), 6 bytes of which the highest bit is that of all above (3),
 * or 8 bytes (6).  What is not reported is that of the address before; in front of a PSB there is
 * none.
 *
 * A FUP without a packet that asks for one is where an interrupt, an exception or an aborted
 * transaction left the program, and TIP or PGD follows it.  A program that is traced in user space
 * is left by PGD alone, in a system call.
 *
 * Times: TSC shows the counter of the processor; TMA how the crystal's counter is to it then,
 * of which MTC shows 8 bits from time to time; CYC counts cycles from there.
 *
 * Facts: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, chapter "Intel
 * Processor Trace"; libipt (pt_packet.c, pt_event_decoder.c) and tools/perf/util/intel-pt-decoder
 * of Linux; of AUXTRACE_INFO tools/perf/arch/x86/util/intel-pt.c.
 */
#ifndef SAMPLES_AUX_PT_H
#define SAMPLES_AUX_PT_H

#include "src/samples/aux/trace_flow.h"

/* What packets of time mean.  Zeros: not known. */
struct pt_timing {
	uint8_t mtc_shift; /* a MTC each 1 << mtc_shift ticks of the crystal */
	uint32_t tsc, ctc; /* so many ticks of the counter are so many of the crystal */
	uint32_t ratio; /* of the processor's clock, to that of CBR, at which a cycle is a tick of
			   the counter */
};

/* Zeroed: at the begin of a trace. */
struct pt_decoder {
	struct pt_timing timing;
	uint8_t sync; /* private, like these: */
	uint8_t position;
	bool header;     /* between PSB and PSBEND ... */
	bool header_ip;  /* ... with a FUP: `last_ip` */
	bool bound;      /* the next FUP is of another packet */
	bool overflown;  /* the next FUP is where the trace continues */
	bool cut_wanted; /* the batch ends in front of the next packet that permits it */
	bool has_tma, fresh_tma;
	uint8_t item_size; /* of BIP: between BBP and what ends it */
	uint8_t last_mtc, cbr;
	uint32_t targets_behind; /* TIPs after the last TNT */
	uint64_t last_ip;
	uint64_t bits; /* not in the batch yet; the youngest is bit 0 */
	unsigned bit_count;
	uint64_t place; /* ticks; of what was reported last */
	uint64_t next_place;
	uint64_t now, tsc;               /* ticks */
	uint64_t crystal, crystal_ticks; /* the counter at a tick of the crystal, and ticks of the
					    crystal since */
	uint64_t cycles_at, cycles;      /* the counter, and cycles since */
	struct answer_counts counts;
};

/* Take packets off the front of *rest, and put branch outcomes after those in `batch`:
 * trace_flow.h. */
bool pt_read(struct pt_decoder *decoder, struct bytes *rest, struct flow_batch *batch);

/* The most bytes of a packet. */
#define PT_PACKET_MOST 16

/* What follows are no bytes that followed those before. */
void pt_cut(struct pt_decoder *decoder, struct flow_batch *batch);

/* Which of the words of AUXTRACE_INFO mean what. */
enum pt_info {
	PT_INFO_PMU,
	PT_INFO_SHIFT,
	PT_INFO_MULT,
	PT_INFO_ZERO,
	PT_INFO_HAS_ZERO, /* the clock: of the counter, if the last is not 0 */
	PT_INFO_TSC,      /* these are bits of the event's config */
	PT_INFO_NO_RET_COMP,
	PT_INFO_SWITCHES, /* 1: tracepoints of switches, 2, 3: records of them */
	PT_INFO_SNAPSHOT,
	PT_INFO_PER_CPU,
	PT_INFO_MTC,      /* a bit of config */
	PT_INFO_MTC_BITS, /* those of config that are mtc_shift */
	PT_INFO_CTC_N,
	PT_INFO_CTC_D, /* ticks of the counter to ticks of the crystal */
	PT_INFO_CYC,   /* a bit of config */
	PT_INFO_RATIO,
	PT_INFO_FILTER, /* bytes of a text that follows */
};

extern const struct flow_reader pt_reader;

#endif
