/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The clock of a trace: processors stamp their traces with a counter of their own, and a TIME_CONV record of perf.data
 * says which time of the recording a tick of that counter is.
 *
 *   u64 shift, mult, zero [, cycles, mask, u8 only `mask` of a tick is counted]
 *
 * Facts: tools/perf/util/tsc.c of Linux.
 */
#ifndef SAMPLES_AUX_CLOCK_H
#define SAMPLES_AUX_CLOCK_H

#include "src/base/bytes.h"

struct aux_clock {
	bool known;
	bool is_short; /* the counter is of fewer than 64 bits: `mask`, the others are those of `cycles` */
	uint8_t shift; /* below 64 */
	uint64_t mult, zero, cycles, mask;
};

#define AUX_CLOCK_SHORT 40 /* bytes of a record behind which it tells `is_short` */

/* From the body of a TIME_CONV record.  A body that is too short, or of a shift that is none, says nothing: the clock is
 * not known; and so does a factor of 0, by which all ticks are of one time. */
static inline struct aux_clock aux_clock_of(struct bytes body)
{
	if (body.size < 24 || le64(body.data) >= 64 || !le64(body.data + 8))
		return (struct aux_clock){0};
	struct aux_clock clock = {
		.known = true,
		.shift = (uint8_t)le64(body.data),
		.mult = le64(body.data + 8),
		.zero = le64(body.data + 16),
	};
	if (body.size > AUX_CLOCK_SHORT + 1 && body.data[AUX_CLOCK_SHORT + 1]) {
		clock.is_short = true;
		clock.cycles = le64(body.data + 24);
		clock.mask = le64(body.data + 32);
	}
	return clock;
}

/* The time of a tick in ns, of the clock that the records of the recording have.  Sums wrap around. */
static inline uint64_t aux_clock_ns(const struct aux_clock *clock, uint64_t ticks)
{
	if (clock->is_short)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	uint64_t whole = ticks >> clock->shift, rest = ticks & ((UINT64_C(1) << clock->shift) - 1);

	return clock->zero + whole * clock->mult + ((rest * clock->mult) >> clock->shift);
}

#endif
