/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which ways of sampling a machine has for this user: what the processor and the kernel say of
 * themselves in /proc and /sys, and what the kernel replies when the events are opened as `record`
 * opens them.  Nothing is counted.
 *
 * Files: proc(5); Documentation/ABI/testing/sysfs-bus-event_source-devices* of Linux.
 */
#ifndef RECORD_SAMPLING_H
#define RECORD_SAMPLING_H

#include "src/isa/insn.h"
#include "src/record/perf_open.h"

/* X(NAME, key for machines, text for people) */
#define SAMPLING_WAYS(X)                                                                           \
	X(STACKS, "branch_stacks", "branch stacks")                                                \
	X(COUNTERS, "counters", "counters")                                                        \
	X(TIMER, "timer", "timer")                                                                 \
	X(INTEL_PT, "intel_pt", "Intel PT")                                                        \
	X(ARM_SPE, "arm_spe", "Arm SPE")                                                           \
	X(ARM_ETM, "arm_etm", "Arm ETM")

#define X(name, key, text) SAMPLING_##name,
enum sampling_way { SAMPLING_WAYS(X) SAMPLING_WAY_COUNT };
#undef X

enum way_state {
	WAY_ABSENT,  /* the machine does not have it */
	WAY_REFUSED, /* it has, or may have it, and this user does not get it: `why` */
	WAY_WORKS,
};

struct sampled_way {
	enum way_state state;
	char event[64]; /* WAY_WORKS */
	struct bc_error why;
};

enum processor_maker { MAKER_UNKNOWN, MAKER_INTEL, MAKER_AMD, MAKER_ARM };

struct sampling_facts {
	char processor[96]; /* its name; empty: not known */
	enum processor_maker maker;
	bool has_machine;
	enum machine machine;
	char kernel[64];       /* "6.1.0-49-amd64"; empty: not known */
	unsigned major, minor; /* of the kernel; 0: not known */
	bool virtual_machine, container;
	bool has_paranoid;               /* else the kernel has no events */
	int paranoid;                    /* kernel.perf_event_paranoid */
	bool seccomp;                    /* system calls of this program are filtered */
	bool arch_lbr, amd_lbr, amd_brs; /* what the processor says it has */
	unsigned depth;                  /* entries of a branch stack; 0: the kernel does not say */
	bool types;                      /* with the types of branches */
	struct sampled_way ways[SAMPLING_WAY_COUNT];
	struct sampled_way whole_machine; /* may all processes be recorded? */
};

void sampling_look(const struct perf_kernel *kernel, struct sampling_facts *out);

const char *sampling_way_key(enum sampling_way way);
const char *sampling_way_text(enum sampling_way way);

/* Can it record anything? */
bool sampling_works(const struct sampling_facts *sampling);

#endif
