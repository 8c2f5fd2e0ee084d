/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a recording may cost: the processor time of all of this program, as the kernel counts it,
 * and what its samples cost the programs that they interrupt.
 *
 * What rings say of mappings gets a quarter of it, at most.  An eighth is for /proc, which is read
 * at the beginning and after losses; with what that leaves, a quarter for processes with many
 * mappings; with what both leave, three eighths for opening files that users other than root run;
 * with what all three leave, half for digests of code; with what all four leave, a quarter for what
 * samples are worth.  Samples take what is left, and are switched off when it is spent.  A short
 * recording can look at /proc for BUDGET_PROC_ALWAYS and at files for BUDGET_OPENS_ALWAYS and
 * BUDGET_DIGESTS_ALWAYS all the same.
 *
 * What is not spent is saved for a while (BUDGET_SAVED), of all and of each part, or whoever makes
 * work could have that of months at once.  What was spent too much is not forgotten.
 */
#ifndef RECORD_BUDGET_H
#define RECORD_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a sample costs the program that is interrupted, in ns: that of a timer's interrupt in a
 * virtual machine. */
#define BUDGET_SAMPLE_COST UINT64_C(20000)

/* ns */
#define BUDGET_PROC_ALWAYS    UINT64_C(50000000)
#define BUDGET_OPENS_ALWAYS   UINT64_C(25000000)
#define BUDGET_DIGESTS_ALWAYS UINT64_C(25000000)

/* ns for which what is not spent is saved. */
#define BUDGET_SAVED UINT64_C(30000000000)

enum budget_part {
	BUDGET_MAPPINGS,
	BUDGET_PROC,
	BUDGET_LARGE, /* /proc, of processes with many mappings */
	BUDGET_OPENS, /* of files that users other than root run */
	BUDGET_DIGESTS,
	BUDGET_GAIN, /* of what was counted: figures/enough.h */
	BUDGET_PARTS
};

struct budget {
	double share;                  /* of a processor; 0: no limit */
	uint64_t began;                /* ns of CLOCK_MONOTONIC */
	uint64_t before;               /* processor time that was used until then */
	atomic_uint_least64_t samples; /* that were taken since */
	uint64_t forgotten;            /* ns of the time since: what they had is forgotten */
	struct {
		atomic_uint_least64_t spent;     /* ns of processor time */
		atomic_uint_least64_t forgotten; /* as above */
		atomic_bool waits;               /* there is more to do */
	} parts[BUDGET_PARTS];
};

void budget_begin(struct budget *budget, double share, uint64_t now);

/* Processor time of this program since that, of all of it, and of the calling thread, in ns. */
uint64_t budget_cpu(const struct budget *budget);
uint64_t budget_process_cpu(void);
uint64_t budget_thread_cpu(void);

/* Forgets what has been saved for too long; to be called every second or more often.  Only the
 * thread that asks for samples does it. */
void budget_forget(struct budget *budget, uint64_t now);

/* Are samples to be on?  on: they are; they continue when half a second's worth is saved. */
bool budget_has_samples(const struct budget *budget, uint64_t now, bool on);

/* May more be spent on that? */
bool budget_may(const struct budget *budget, enum budget_part part, uint64_t now);

/* ns that can be spent on that. */
uint64_t budget_left(const struct budget *budget, enum budget_part part, uint64_t now);

/* May more be spent on something that waits? */
bool budget_may_go_on(const struct budget *budget, uint64_t now);

void budget_add(struct budget *budget, enum budget_part part, uint64_t ns);

/* Adds what the calling thread used since `*since` (budget_thread_cpu()), which becomes now. */
void budget_spend(struct budget *budget, enum budget_part part, uint64_t *since);

#endif
