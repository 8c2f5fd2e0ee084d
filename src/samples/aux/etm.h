/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The packets of Arm's trace units, ETMv4 and ETE, of which each processor has one.  For one unit:
 *
 *   header            packet                      payload (a field: 7 bits a byte, the lowest
 *                                                 first, bit 7: more bytes follow)
 *   11 x 00, 80       synchronization
 *   00 03, 00 05      discard; overflow
 *   01                trace info                  control (bits 0 to 4: which of these follow),
 *                                                 then a field each: info, key, speculation depth,
 *                                                 cycle threshold, window
 *   02 03             time stamp                  a field of up to 9 bytes, the low bits of it; 03:
 *                                                 and a field of cycles
 *   04                trace on
 *   06                exception                   1 or 2; bits 5:1 its type, 6 and 0: what the
 *                                                 address that follows is
 *   07                exception return            (ETMv4)
 *   09                instrumentation             9 (ETE)
 *   0a 0b             transaction begins, commits (ETE)
 *   0c..1f            cycle counts                0c 0d: 1; 0e 0f: a field of P0 elements to
 *                                                 commit, and one of cycles
 *   20..2c            marks of data traces
 *   2d                commit                      a field: so many of the oldest P0 elements
 *                                                 happened
 *   2e 2f             cancel                      a field: so many of the newest did not; 2f: and
 *                                                 the newest left is mispredicted
 *   30..3f            mispredict, cancel          with up to two atoms in front
 *   40..6f            conditional instructions    (no processor that runs AArch64 has them)
 *   70, 71..7f        ignore, events
 *   80 81             context                     81: info (bits 1:0 exception level, 4 AArch64, 6
 *                                                 VMID follows, 7 context id follows)
 *   82 83 85 86       address with context        4 or 8 bytes, then as 81
 *   88                mark of a time stamp
 *   90..92            address                     the one that was reported last, before it, before
 *                                                 that
 *   95 96             address                     1 or 2: low bits of it
 *   9a 9b, 9d 9e      address                     4, 8
 *   a0..af            Q: instructions without branches reported, with an address or a number
 *   b0..b9            source address              (ETE) as the addresses
 *   c0..ff            atoms: 1 to 24 branches, each taken (E) or not (N)
 *
 * Atoms, exceptions, Q and source addresses are P0 elements.  A unit may show them before the
 * processor is certain of them: up to its speculation depth they wait here until they are
 * committed.
 *
 * Facts: Arm Embedded Trace Macrocell Architecture Specification ETMv4 (IHI 0064); Arm Architecture
 * Reference Manual (DDI 0487), chapter "The Embedded Trace Extension"; OpenCSD;
 * tools/perf/util/cs-etm.c of Linux.
 */
#ifndef SAMPLES_AUX_ETM_H
#define SAMPLES_AUX_ETM_H

#include "src/base/vec.h"
#include "src/samples/aux/trace_flow.h"

/* What is known of the trace unit of a processor. */
struct etm_unit {
	uint32_t cpu;
	uint32_t id;    /* trace id; FLOW_NO_STREAM: not known */
	uint32_t sink;  /* which its bytes go to; 0: not known */
	uint32_t depth; /* P0 elements that can be speculative */
	uint8_t context_bytes, vmid_bytes;
	bool ete;
	bool returns; /* it keeps calls, and does not show where a return of one of these led to */
	bool vmid_is_context; /* the kernel runs at EL2, and its number of the thread is reported as
				 a VMID */
	bool counts_commit;   /* packets of cycle counts commit elements */
	bool marks_times;     /* time stamps count after the first mark only */
	bool transactions_are_p0;
	bool waits_ask; /* WFI and WFE are P0 elements */
};
DEFINE_VEC(etm_unit_vec, struct etm_unit);

struct etm_setup {
	struct etm_unit_vec units;
};

/* An element that waits. */
struct etm_element {
	uint8_t kind, count;
	uint64_t value;
};

/* For these: a few, and more for a unit that speculates.  If there would be more, the oldest are
 * taken as committed. */
#define ETM_HELD_LEAST 32
#define ETM_HELD_MOST  512

struct etm_decoder {
	const struct etm_unit
		*unit;         /* NULL: the bytes are of another kind of source, and left out */
	uint8_t sync;          /* where in a synchronization, enum etm_sync */
	uint8_t zeros;         /* bytes of it so far */
	bool informed;         /* trace info was read since */
	bool lost;             /* the next branch outcome is an address that begins again */
	bool marked;           /* a mark of a time stamp was read */
	bool wide;             /* addresses have 64 bits, as the context says */
	uint8_t expects;       /* what the next address is, enum flow_kind */
	uint8_t exception;     /* one waits for its address; 2: which is the target of the branch
				  before, too */
	bool moved;            /* the context has changed, and read() has to stop */
	uint64_t addresses[3]; /* that were reported last, newest first */
	uint64_t ticks;        /* of the last time stamp, to which the next is reported */
	struct answer_place place;
	uint32_t unseen;    /* speculative elements from before the first synchronization */
	uint32_t waiting;   /* P0 elements that wait, with these ... */
	uint32_t committed; /* ... of which so many are certain */
	struct answer_counts counts;
	uint32_t first, held, room; /* of `elements`, a ring */
	struct etm_element elements[];
};

/* What perf knows of the units: the body of AUXTRACE_INFO. */
extern const struct flow_reader etm_reader;

/* Is the first of the units an ETE? */
static inline bool etm_info_is_ete(struct bytes info)
{
	return info.size >= 40 && le64(info.data + 32) == UINT64_C(0x5050505050505050);
}

#endif
