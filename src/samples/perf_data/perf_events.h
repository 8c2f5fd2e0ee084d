/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an event of perf.data is: the part of the kernel's struct
 * perf_event_attr that says how its samples are laid out and what it is called.
 */
#ifndef SAMPLES_PERF_DATA_PERF_EVENTS_H
#define SAMPLES_PERF_DATA_PERF_EVENTS_H

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/base/vec.h"
#include "src/samples/event.h"

/*
 * What an event of perf.data is: the part of the kernel's struct
 * perf_event_attr that says how its samples are laid out and what it is called.
 */

struct perf_attr {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type;        /* PERF_SAMPLE_... */
	uint64_t read_format;        /* PERF_FORMAT_... */
	uint64_t flags;              /* the bit field, see below */
	uint64_t branch_sample_type; /* PERF_SAMPLE_BRANCH_... */
	uint64_t regs_user, regs_intr;
};

/* Bits of `flags`: their order in the bit field is ABI, but has no constants. */
#define PERF_ATTR_EXCLUDE_USER   (UINT64_C(1) << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5)
#define PERF_ATTR_EXCLUDE_HV     (UINT64_C(1) << 6)
#define PERF_ATTR_PRECISE_SHIFT  15 /* two bits */
#define PERF_ATTR_SAMPLE_ID_ALL  (UINT64_C(1) << 18)
#define PERF_ATTR_EXCLUDE_HOST   (UINT64_C(1) << 19)
#define PERF_ATTR_EXCLUDE_GUEST  (UINT64_C(1) << 20)

/* The smallest attr that was ever written (PERF_ATTR_SIZE_VER0). */
#define PERF_ATTR_SMALLEST 64

/* Read an attr from `bytes`, of which it can use fewer: its size field says how many, and 0
 * represents PERF_ATTR_SMALLEST.  Fields after its end are 0.  Returns false if there are fewer
 * than PERF_ATTR_SMALLEST bytes, or fewer than its size says. */
BC_MUST_USE bool perf_attr_parse(struct bytes bytes, struct perf_attr *out);

/* How many of `capacity` bytes the attr at the front of a HEADER_ATTR record takes;
 * 0 if it does not fit. */
size_t perf_attr_size(struct bytes bytes);

#define PERF_EVENT_NAME_MAX 128

/* The name that perf gives to an event whose file has no name for it, modifiers
 * included: "cycles:u", "raw 0x20c4:u".  Empty if this is none of the generic
 * hardware, software, or raw events. */
void perf_attr_name(const struct perf_attr *attr, char out[PERF_EVENT_NAME_MAX]);

/*
 * Samples.  A SAMPLE record is a row of fields, each there if its bit of
 * sample_type is set, always in this order (those in brackets vary in size):
 *
 *   IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD [READ] [CALLCHAIN]
 *   [RAW] [BRANCH_STACK] [REGS_USER] [STACK_USER] WEIGHT DATA_SRC TRANSACTION
 *   [REGS_INTR] PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE [AUX]
 *
 * What was added since came after these.  Registers begin with a word that shows
 * their ABI; with its bit 2 vectors follow them, by a word of four counts (patches of
 * 2025, "Support SIMD/eGPRs/SSP registers sampling").  Where a field lies is worked out
 * once per event, so that reading a sample is a few loads.
 *
 * With sample_id_all, every other record of the kernel ends with a trailer:
 *   TID TIME ID STREAM_ID CPU IDENTIFIER
 *
 * Facts: include/uapi/linux/perf_event.h and perf_output_sample() of Linux 6.14.
 */

#define PERF_NO_FIELD UINT8_MAX

/* The offsets of the fields in samples of one event: bytes from the beginning of the body,
 * or PERF_NO_FIELD. */
struct perf_sample_layout {
	uint64_t sample_type, read_format;
	uint8_t ip, tid, time, addr, id, period;
	uint8_t fixed_size;           /* of all fields before the first that varies      */
	uint8_t stack_extra;          /* bytes between a stack's length and its entries  */
	bool stack_counters;          /* a word per entry follows the entries            */
	uint8_t regs_user, regs_intr; /* registers that are set in the masks    */
	/* The trailer: bytes back from the end of a record. */
	uint8_t end_size, end_tid, end_time, end_id, end_cpu;
};

void perf_sample_layout(const struct perf_attr *attr, struct perf_sample_layout *out);

/* Can records of both events be read in the same way? */
bool perf_sample_layout_equal(const struct perf_sample_layout *a,
			      const struct perf_sample_layout *b);

/* A sample.  Fields that its event does not record are 0. */
struct perf_sample {
	uint64_t ip, time, addr, id, period, data_src;
	uint64_t trace_size; /* bytes of a hardware trace, in the sample itself */
	uint32_t pid, tid;
	bool has_stack;
	size_t branch_count;
	const uint8_t *branches;  /* in the record; read with perf_branches() */
	size_t callchain_count;   /* with PERF_CONTEXT_USER and the like */
	const uint8_t *callchain; /* in the record; read with perf_callchain() */
};

/* Read the body of a SAMPLE record: what follows the 8 bytes of its header.
 * Returns false if the fields need more bytes than there are. */
BC_MUST_USE bool perf_sample_parse(const struct perf_sample_layout *layout, struct bytes body,
				   struct perf_sample *out);

/* The most branches that a record of 64 KiB can hold. */
#define PERF_BRANCHES_MAX (65536 / sizeof(struct branch))

/* The branches of a sample, newest first.  They are read where they lie if the
 * machine and their alignment allow it, which takes malloc'ed memory after
 * them; else they are copied to `scratch`, room for PERF_BRANCHES_MAX. */
const struct branch *perf_branches(const struct perf_sample *sample, struct branch *scratch);

/* The most addresses of a call chain that a record can hold. */
#define PERF_CALLCHAIN_MAX (65536 / sizeof(uint64_t))

/* The call chain of a sample without the marks that show kernel and user addresses
 * apart, copied to `out`, room for PERF_CALLCHAIN_MAX.  Returns how many. */
size_t perf_callchain(const struct perf_sample *sample, uint64_t *out);

/* The time of a sample; 0 if its event records none or the body is too short. */
uint64_t perf_sample_time(const struct perf_sample_layout *layout, struct bytes body);

/* What the trailer of a record says; 0 for what it does not hold, but no processor has number
 * PERF_NO_CPU. */
struct perf_trailer {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu;
};
#define PERF_NO_CPU UINT32_MAX
struct perf_trailer perf_trailer_parse(const struct perf_sample_layout *layout, struct bytes body);

/*
 * The events of a recording, and which of them a record belongs to.  The kernel
 * gives each event one id per processor or thread; records carry it if more than
 * one event was recorded.
 */

struct perf_event {
	struct perf_attr attr;
	struct perf_sample_layout layout;
	bool partial_stacks;                 /* its branch stacks leave branches out */
	char label[PERF_EVENT_NAME_MAX + 1]; /* name and colon; "" if not known */
};
DEFINE_VEC(perf_event_vec, struct perf_event);

struct perf_event_id {
	uint64_t id;
	uint32_t event; /* index */
};
DEFINE_VEC(perf_event_id_vec, struct perf_event_id);

struct perf_events {
	struct perf_event_vec all;
	struct perf_event_id_vec ids;
	bool ids_sorted;
	uint64_t work;    /* rows of events and ids that were searched or sorted */
	uint8_t id_at;    /* bytes from the beginning of every sample's body,   */
	uint8_t id_back;  /* from the end of every trailer, or PERF_NO_FIELD     */
	bool same_layout; /* whatever the id */
};

void perf_events_free(struct perf_events *events);

/* Add an event.  ids: 8 bytes each, a rest is ignored. */
BC_MUST_USE bool perf_events_add(struct perf_events *events, const struct perf_attr *attr,
				 struct bytes ids, struct bc_error *err);

/* Name the event that has an id, or the event of an index.  Unknown ones are
 * ignored, and longer names cut. */
void perf_events_name_by_id(struct perf_events *events, uint64_t id, struct text name);
void perf_events_name(struct perf_events *events, size_t index, struct text name);

/* Name the events of a type and config that have no name so far. */
void perf_events_name_by_config(struct perf_events *events, uint32_t type, uint64_t config,
				struct text name);

/* The most rows that are searched or sorted.  A pipe can describe and name events at any
 * time, and each time all rows are. */
#define PERF_EVENTS_WORK_MOST (UINT64_C(1) << 24)

/* Call after the last perf_events_add() and before looking up.
 *
 * BC_FORMAT       there is no event; more than PERF_EVENTS_WORK_MOST
 * BC_UNSUPPORTED  samples of different layouts have their id at different
 *                 offsets, or none */
BC_MUST_USE bool perf_events_settle(struct perf_events *events, struct bc_error *err);

/* The event of a sample or of another record, by the id in its body.  NULL if no
 * event has that id.  A record without an id belongs to the first event, as do
 * those with id 0, which perf makes up. */
const struct perf_event *perf_events_of_sample(const struct perf_events *events, struct bytes body);
const struct perf_event *perf_events_of_record(const struct perf_events *events, struct bytes body);

#endif
