/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Are the samples of a recording enough, while it continues?  What was counted of one binary is
 * measured as `batconv quality` measures its shard (gain.h), each time that it has grown by half.
 * That takes as long as a conversion, so a live recording has a thread do it.
 */
#ifndef FIGURES_ENOUGH_H
#define FIGURES_ENOUGH_H

#include <stdatomic.h>

#include "src/figures/gain.h"
#include "src/record/recorder.h"

#define ENOUGH_LEAST 300                  /* samples: fewer are not measured */
#define ENOUGH_EACH  UINT64_C(5000000000) /* ns between the beginnings of two measurements */

struct enough {
	const char *binary;
	const char *input; /* what llvm-bolt read; NULL: that is the binary */

	/* By the last measurement: */
	struct gain gain;       /* known: there was one */
	uint64_t samples;       /* of the binary */
	struct bc_error failed; /* why nothing is known */
	atomic_bool reached;    /* they are enough; any thread may ask */

	/* When the next one is due: */
	uint64_t each, began, least; /* ns, ns, samples */
	struct enough_work *work;    /* the one in a thread; NULL: there is none */
};

/* Zeroed before.  Paths are borrowed; each: ns between two measurements; now: ns.  To be closed. */
void enough_open(struct enough *out, const char *binary, const char *input, uint64_t each,
		 uint64_t now);

/* Waits for the thread. */
void enough_close(struct enough *enough);

/* Is it time to measure?  kept: samples so far.  If it is, the next time is when there are half as
 * many more. */
bool enough_is_due(struct enough *enough, uint64_t kept, uint64_t now);

/* Measures now. */
void enough_measure(struct enough *enough, const struct recorded_counts *counts, uint64_t samples);

/* Measures in a thread, and frees the counts; where no thread can be started, it does not. */
void enough_begin(struct enough *enough, struct recorded_counts *counts, uint64_t samples);

/* Takes what the thread has measured.  False: there is none, or it is not done, which `wait` waits
 * for.  *cpu: ns of processor time that it took. */
bool enough_take(struct enough *enough, bool wait, uint64_t *cpu);

#endif
