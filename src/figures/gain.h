/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the next binary will be worth: how many fewer branches it takes than the program that
 * llvm-bolt reads, as far as these samples show.  docs/quality.md, "Gain", has the model, and how
 * it was measured.
 */
#ifndef FIGURES_GAIN_H
#define FIGURES_GAIN_H

#include "src/figures/layouts.h"
#include "src/flow/conversion.h"

/* X(NAME, key for machines) */
#define GAIN_VERDICTS(X)                                                                           \
	X(ENOUGH, "enough")                                                                        \
	X(MORE, "more")         /* `times` as many samples are enough */                           \
	X(LIMITED, "limited")   /* no number of samples of this event is */                        \
	X(DOUBTFUL, "doubtful") /* the next binary may take more branches than the program */

#define X(name, key) GAIN_##name,
enum gain_verdict { GAIN_VERDICTS(X) GAIN_VERDICT_COUNT };
#undef X

/* Enough: so many percent of what a profile of every branch gains. */
#define GAIN_SHARE 75

/* Percentages are of the program's taken branches, except of_whole. */
struct gain {
	bool known;
	double expected, low, high; /* 90 % of what was measured lies between */
	double whole;               /* with a profile of every branch */
	double half;                /* by half of the samples, were they not uneven */
	double of_whole;            /* expected, in percent of that; 0 to 100 */
	double more;                /* what any number of such samples would add */
	double uneven;              /* see struct inferred */
	double times;               /* GAIN_MORE, GAIN_DOUBTFUL; 0: no number is enough */
	enum gain_verdict verdict;
};

/* ... by the halves of a conversion, with how stable its layout is; nothing is set without halves.
 * recorded: the code, for branches that were not inferred.  BC_NOMEM */
BC_MUST_USE bool gain_of_halves(const struct conversion *conversion,
				const struct flow_code *recorded, struct stability *stability,
				struct gain *out, struct bc_error *err);

/* taken: known; uneven: 0 of branch stacks */
struct gain gain_expect(const struct layouts_taken *taken, double uneven);

/* What it means, without an end: "record 3 times as long: expected taken branches -2 to -9 % (with
 * a profile of every branch: -12.0 %)".  gain: known */
#define GAIN_SENTENCE 384
void gain_sentence(const struct gain *gain, char out[GAIN_SENTENCE]);

/* "enough" */
const char *gain_verdict_key(enum gain_verdict verdict);

#endif
