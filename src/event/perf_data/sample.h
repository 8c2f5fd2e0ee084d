/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples.  A SAMPLE record is a row of fields, each there if its bit of
 * sample_type is set, always in this order (those in brackets vary in size):
 *
 *   IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD [READ] [CALLCHAIN]
 *   [RAW] [BRANCH_STACK] [REGS_USER] [STACK_USER] WEIGHT DATA_SRC TRANSACTION
 *   [REGS_INTR] PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE [AUX]
 *
 * What was added since came behind these.  Registers begin with a word that tells
 * their ABI; with its bit 2 vectors follow them, by a word of four counts (patches of
 * 2025, "Support SIMD/eGPRs/SSP registers sampling").  Where a field lies is worked out
 * once per event, so that reading a sample is a few loads.
 *
 * With sample_id_all, every other record of the kernel ends with a trailer:
 *   TID TIME ID STREAM_ID CPU IDENTIFIER
 *
 * Facts: include/uapi/linux/perf_event.h and perf_output_sample() of Linux 6.14.
 */
#ifndef EVENT_PERF_DATA_SAMPLE_H
#define EVENT_PERF_DATA_SAMPLE_H

#include "src/base/attr.h"
#include "src/event/perf_data/attr.h"
#include "src/base/bytes.h"
#include "src/event/event.h"

#define PERF_NO_FIELD UINT8_MAX

/* The offsets of the fields in samples of one event: bytes from the beginning of the body,
 * or PERF_NO_FIELD. */
struct perf_sample_layout {
	uint64_t sample_type, read_format;
	uint8_t ip, tid, time, addr, id, period;
	uint8_t fixed_size;  /* of all fields before the first that varies      */
	uint8_t stack_extra; /* bytes between a stack's length and its entries  */
	bool stack_counters; /* a word per entry follows the entries            */
	uint8_t regs_user, regs_intr; /* registers that are set in the masks    */
	/* The trailer: bytes back from the end of a record. */
	uint8_t end_size, end_tid, end_time, end_id;
};

void perf_sample_layout(const struct perf_attr *attr, struct perf_sample_layout *out);

/* Can records of both events be read in the same way? */
bool perf_sample_layout_equal(const struct perf_sample_layout *a,
			      const struct perf_sample_layout *b);

/* A sample.  Fields that its event does not record are 0. */
struct perf_sample {
	uint64_t ip, time, addr, id, period, data_src;
	uint32_t pid, tid;
	bool has_stack;
	size_t branch_count;
	const uint8_t *branches; /* in the record; read with perf_branches() */
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
 * machine and their alignment allow it, which takes malloc'ed memory behind
 * them; else they are copied to `scratch`, room for PERF_BRANCHES_MAX. */
const struct branch *perf_branches(const struct perf_sample *sample, struct branch *scratch);

/* The most addresses of a call chain that a record can hold. */
#define PERF_CALLCHAIN_MAX (65536 / sizeof(uint64_t))

/* The call chain of a sample without the marks that tell kernel and user addresses
 * apart, copied to `out`, room for PERF_CALLCHAIN_MAX.  Returns how many. */
size_t perf_callchain(const struct perf_sample *sample, uint64_t *out);

/* The time of a sample; 0 if its event records none or the body is too short. */
uint64_t perf_sample_time(const struct perf_sample_layout *layout, struct bytes body);

/* What the trailer of a record says; 0 for what it does not hold. */
struct perf_trailer {
	uint32_t pid, tid;
	uint64_t time, id;
};
struct perf_trailer perf_trailer_parse(const struct perf_sample_layout *layout, struct bytes body);

#endif
