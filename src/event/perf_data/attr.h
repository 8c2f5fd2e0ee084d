/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an event of perf.data is: the part of the kernel's struct
 * perf_event_attr that says how its samples are laid out and what it is called.
 */
#ifndef EVENT_PERF_DATA_ATTR_H
#define EVENT_PERF_DATA_ATTR_H

#include "src/base/attr.h"
#include "src/base/bytes.h"

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
#define PERF_ATTR_EXCLUDE_USER (UINT64_C(1) << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5)
#define PERF_ATTR_EXCLUDE_HV (UINT64_C(1) << 6)
#define PERF_ATTR_PRECISE_SHIFT 15 /* two bits */
#define PERF_ATTR_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_ATTR_EXCLUDE_HOST (UINT64_C(1) << 19)
#define PERF_ATTR_EXCLUDE_GUEST (UINT64_C(1) << 20)

/* The smallest attr that was ever written (PERF_ATTR_SIZE_VER0). */
#define PERF_ATTR_SMALLEST 64

/* Read an attr from `bytes`, of which it can use fewer: its size field says how many, and 0
 * stands for PERF_ATTR_SMALLEST.  Fields behind its end are 0.  Returns false if there are fewer
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

#endif
