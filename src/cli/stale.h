/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv stale: what was found of each build, as text and as JSON. */
#ifndef CLI_STALE_H
#define CLI_STALE_H

#include <stdio.h>

#include "src/quality/staleness.h"

#define STALE_LOST 10 /* functions that are shown */

struct stale_report {
	const char *profile;             /* its path */
	const struct staleness *builds;
	size_t count;
	bool has_min;
	double min;
	bool wanting; /* one of the builds is below it */
};

void stale_text(const struct stale_report *report, FILE *out);
void stale_json(const struct stale_report *report, FILE *out);

#endif
