/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What verify found, in three forms. */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include <stdio.h>

#include "src/check/verify.h"
#include "src/check/sample.h"

struct report {
	const struct verify_report *verify;
	const struct sample_result *sample; /* NULL: not asked for */
	const char *binary, *input, *version;
};

/* For people: a line for each finding, what to do for each kind, coverage. */
void report_text(const struct report *report, bool quiet, FILE *out);

/* docs/schema/verify.schema.json */
void report_json(const struct report *report, FILE *out);

/* SARIF 2.1.0, for code-scanning tools. */
void report_sarif(const struct report *report, FILE *out);

/* Why the instructions were not checked, or "yes". */
const char *code_state_text(enum code_state state);

#endif
