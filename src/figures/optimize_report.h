/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `batconv optimize` found. */
#ifndef FIGURES_OPTIMIZE_REPORT_H
#define FIGURES_OPTIMIZE_REPORT_H

#include <stdio.h>

#include "src/trial/optimize.h"

struct optimize_report {
	const struct optimization *of;
	const struct optimize_options *options;
};

/* The verdict, and what it rests on. */
void optimize_text(const struct optimize_report *report, FILE *out);
void optimize_json(const struct optimize_report *report, FILE *out);

#endif
