/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a recording may cost: the processor time of all of this program, as the kernel counts it,
 * and what its samples cost the programs that they interrupt.
 *
 * Half of it, at most, is for looking at files (digests of code) and at /proc again; samples take
 * what is left, and are switched off when it is spent.  A short recording can look for
 * BUDGET_LOOK_ALWAYS all the same.
 */
#ifndef RECORD_BUDGET_H
#define RECORD_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a sample costs the program that is interrupted, in ns: that of a timer's interrupt in a
 * virtual machine. */
#define BUDGET_SAMPLE_COST UINT64_C(20000)

#define BUDGET_LOOK_ALWAYS UINT64_C(50000000) /* ns */

struct budget {
	double share;                  /* of a processor; 0: no limit */
	uint64_t began;                /* ns of CLOCK_MONOTONIC */
	uint64_t before;               /* processor time that was used until then */
	atomic_uint_least64_t samples; /* that were taken since */
	atomic_uint_least64_t looked;  /* ns of processor time for looking */
	atomic_bool waits;             /* something is to be looked at */
};

void budget_begin(struct budget *budget, double share, uint64_t now);

/* Processor time of this program since that, of all of it, and of the calling thread, in ns. */
uint64_t budget_cpu(const struct budget *budget);
uint64_t budget_process_cpu(void);
uint64_t budget_thread_cpu(void);

/* Are samples to be on?  on: they are; they go on when half a second's worth is saved. */
bool budget_has_samples(const struct budget *budget, uint64_t now, bool on);

/* May more be looked at? */
bool budget_may_look(const struct budget *budget, uint64_t now);

#endif
