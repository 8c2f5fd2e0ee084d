/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What verify found, in three forms. */
#ifndef FIGURES_VERIFICATION_H
#define FIGURES_VERIFICATION_H

#include <stdio.h>

#include "src/verify/verify.h"
#include "src/verify/checks.h"

struct verification {
	const struct verify_report *verify;
	const struct sample_result *sample; /* NULL: not asked for */
	const char *binary, *input, *version;
};

/* For people: a line for each finding, what to do for each kind, coverage. */
void verification_text(const struct verification *found, bool quiet, FILE *out);

/* docs/schema/verify.schema.json */
void verification_json(const struct verification *found, FILE *out);

/* SARIF 2.1.0, for code-scanning tools. */
void verification_sarif(const struct verification *found, FILE *out);

#endif
