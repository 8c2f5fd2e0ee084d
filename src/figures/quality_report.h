/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv quality: what its figures mean, a sentence for each; the limits that they are held
 * against; what to do next; all as text and as JSON. */
#ifndef FIGURES_QUALITY_REPORT_H
#define FIGURES_QUALITY_REPORT_H

#include <stdio.h>

#include "src/base/json.h"
#include "src/figures/advice.h"
#include "src/figures/quality.h"

/* X(NAME, key for machines) */
#define VERDICTS(X)                                                                                \
	X(BUILD, "build")                                                                          \
	X(KEPT, "kept")                                                                            \
	X(GAIN, "gain")                                                                            \
	X(STABILITY, "stability")                                                                  \
	X(COVERAGE, "coverage")                                                                    \
	X(LAYOUT, "layout")                                                                        \
	X(INFERRED, "inferred")                                                                    \
	X(FLOW, "flow")

#define X(name, key) VERDICT_##name,
enum verdict_about { VERDICTS(X) VERDICT_COUNT };
#undef X

enum verdict_kind { VERDICT_NONE, VERDICT_GOOD, VERDICT_WARNING, VERDICT_BAD };

struct verdict {
	enum verdict_kind kind;   /* VERDICT_NONE: there is nothing to say */
	bool harmless;            /* VERDICT_WARNING, and yet what the other figures say holds */
	bool few;                 /* with more samples it would be better */
	char text[GAIN_SENTENCE]; /* a sentence without its end */
};

/* X(NAME, what the gate is of, as JSON names it, is the limit the least value?) */
#define QUALITY_GATES(X)                                                                           \
	X(GAIN, "gain", true)                                                                      \
	X(ENOUGH, "enough", true)                                                                  \
	X(STABILITY, "stability", true)                                                            \
	X(DENSITY, "density", true)                                                                \
	X(KEPT, "kept", true)                                                                      \
	X(BIAS, "bias", false)                                                                     \
	X(DISCONTINUITY, "discontinuity", false)                                                   \
	X(COLD, "cold", false)                                                                     \
	X(INFERRED, "inferred", true)                                                              \
	X(REASSIGNED, "reassigned", false)

#define X(name, figure, least) GATE_##name,
enum quality_gate_number { QUALITY_GATES(X) GATE_COUNT };
#undef X

struct quality_gate {
	bool set;
	double limit;
};

/* One of them, and what it came to. */
struct gate_result {
	bool known;
	double value;
	bool passed; /* what is not known does not pass */
};

struct quality_report {
	const struct quality *quality;
	const struct conversion *conversion; /* NULL: of a profile alone */
	const char *path;                    /* of the binary, or of the profile */
	struct quality_gate gates[GATE_COUNT];
	struct verdict verdicts[VERDICT_COUNT];
	struct gate_result results[GATE_COUNT];
	struct advice next; /* what to do now; no sentence: of a profile alone */
	bool failed; /* a limit was not met, the samples are of another build, or there are none */
};

/* Verdicts, what to do now, results, and `failed`. */
void quality_judge(struct quality_report *report);

void quality_text(const struct quality_report *report, FILE *out);
/* The object `gain` alone, of one that is known. */
void gain_json(const struct gain *gain, struct json *json, const char *key);

void quality_json_object(const struct quality_report *report, struct json *json, const char *key);
void quality_json(const struct quality_report *report, FILE *out);

/* Those that were not met, a line each. */
void quality_tell_gates(const struct quality_report *report, FILE *out);

#endif
