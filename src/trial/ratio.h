/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ratio of a measure of two programs, taken in rounds: one value of each program a round.
 *
 * The interval needs no normal distribution, and holds at whichever round one stops, also after a
 * look at each: it has all ratios that a bet against them has not refuted.  If the ratio is right,
 * then each round is as likely above it as below it, whatever its distance (the two values of a
 * round come in random order, so that their difference is symmetric).  Who bets on one side a
 * share of what he has, by a rule that knows the past rounds and the distance of this one, cannot
 * expect to win; that he ever has 1 / DOUBT times what he began with has at most the probability
 * DOUBT (Ville's inequality).  The bets here are on both sides, of four sizes, each by the sign of
 * the distance alone, and by its rank among the distances so far; what they have on average counts.
 * Facts: G. Shafer, "Testing by betting" (2021); A. Ramdas and others, "Game-theoretic statistics
 * and safe anytime-valid inference" (2023).
 */
#ifndef TRIAL_RATIO_H
#define TRIAL_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/vec.h"

#define RATIO_DOUBT 0.05 /* an interval of 95 % */

DEFINE_VEC(real_vec, double);

struct ratio {
	struct real_vec logs; /* of each round: log(b / a) */
};

struct ratio_estimate {
	double ratio;     /* the median */
	double low, high; /* of the interval; 0 and INFINITY while nothing is refuted */
};

/* A round.  Values that are not above 0 count as the smallest that a clock shows, a nanosecond.
 * False: out of memory. */
BC_MUST_USE bool ratio_add(struct ratio *ratio, double a, double b);

/* What all rounds say.  False: out of memory. */
BC_MUST_USE bool ratio_estimate(const struct ratio *ratio, struct ratio_estimate *out);

/* How many rounds in all make the interval about so wide that it shows a difference of `share`
 * (0.01: 1 %); 0: not known yet. */
size_t ratio_rounds_for(size_t rounds, const struct ratio_estimate *estimate, double share);

void ratio_free(struct ratio *ratio);

#endif
