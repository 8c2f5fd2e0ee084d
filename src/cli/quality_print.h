/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv quality: its figures as text and as JSON, and the limits that they are held against. */
#ifndef CLI_QUALITY_PRINT_H
#define CLI_QUALITY_PRINT_H

#include <stdio.h>

#include "src/figures/summary.h"
#include "src/figures/advice.h"
#include "src/base/json.h"
#include "src/figures/quality.h"
#include "src/figures/verdict.h"

struct quality_gate {
	const char *figure; /* what it is of, as JSON names it */
	bool least;         /* at least so much; else at most */
	bool set;
	double limit;
};

enum quality_gate_number { GATE_STABILITY, GATE_DENSITY, GATE_KEPT, GATE_BIAS, GATE_DISCONTINUITY, GATE_COLD, GATE_INFERRED, GATE_MOVED, GATE_COUNT };

/* One of them, and what it came to. */
struct gate_result {
	bool known;
	double value;
	bool passed; /* what is not known does not pass */
};

struct quality_report {
	const struct quality *quality;
	const struct conversion *conversion; /* NULL: of a profile alone */
	const char *path;              /* of the binary, or of the profile */
	const struct quality_gate *gates;
	struct verdict verdicts[VERDICT_COUNT];
	struct gate_result results[GATE_COUNT];
	struct advice next; /* what to do now; no sentence: of a profile alone */
	bool wanting; /* a limit was not met, the samples are of another build, or there are none */
};

/* Verdicts, what to do now, results, and `wanting`. */
void quality_judge(struct quality_report *report);

void quality_text(const struct quality_report *report, FILE *out);
void quality_json_object(const struct quality_report *report, struct json *json, const char *key);
void quality_json(const struct quality_report *report, FILE *out);

/* Those that were not met, a line each. */
void quality_tell_gates(const struct quality_report *report, FILE *out);

/* ---- samples ---- */

/* Measures samples of another build, too: whether the build fits is one of the figures.
 * Zeroed conversion and sources (but for what is asked of them) are to be freed either way.  The text of an
 * error says which operand is of the wrong kind, if one is.
 *
 * BC_MISMATCH  none of the samples is of the binary
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool measure_samples(struct conversion *conversion, struct quality_sources *sources, struct quality *out, struct bc_error *err);

#endif
