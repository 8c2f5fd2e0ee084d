/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the figures mean: a sentence for each. */
#ifndef FIGURES_VERDICT_H
#define FIGURES_VERDICT_H

#include "src/figures/quality.h"

/* X(NAME, key for machines) */
#define VERDICTS(X)                                                            \
	X(BUILD, "build")                                                      \
	X(KEPT, "kept")                                                        \
	X(STABILITY, "stability")                                              \
	X(COVERAGE, "coverage")                                                \
	X(PLACES, "places")                                                    \
	X(INFERRED, "inferred")                                                \
	X(FLOW, "flow")

#define X(name, key) VERDICT_##name,
enum verdict_about { VERDICTS(X) VERDICT_COUNT };
#undef X

enum verdict_kind { VERDICT_NONE, VERDICT_GOOD, VERDICT_LOOK, VERDICT_BAD };

struct verdict {
	enum verdict_kind kind; /* VERDICT_NONE: there is nothing to say */
	char text[256];         /* a sentence without its end */
};

/* The limits between the verdicts, as in docs/quality.md. */
#define KEPT_ENOUGH 95.0          /* percent */
#define STABLE_ENOUGH 93.0      /* percent; docs/quality.md, "Stability" */
#define COLD_MUCH 10.0          /* percent of the hottest samples */
#define INFERRED_ENOUGH 90.0    /* percent of the samples */
#define MOVED_MUCH 20.0         /* percent of those that are inferred from */
#define BIAS_MUCH 10.0          /* percent */
#define UNREACHABLE_MUCH 10.0   /* percent */

/* conversion: NULL for a profile alone */
void verdicts_take(const struct quality *quality, const struct conversion *conversion,
		   struct verdict out[VERDICT_COUNT]);

/* "stability", "good" */
const char *verdict_key(enum verdict_about about);
const char *verdict_word(enum verdict_kind kind);

#endif
