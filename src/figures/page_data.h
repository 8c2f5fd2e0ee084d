/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv report: all that its page shows, as one JSON object (docs/report.md). */
#ifndef FIGURES_PAGE_DATA_H
#define FIGURES_PAGE_DATA_H

#include "src/figures/overlap.h"
#include "src/figures/quality_report.h"
#include "src/verify/verify.h"

struct report_data {
	const char *version; /* of batconv */
	const struct quality_report *quality;
	const struct quality_sources *sources;
	const char *against;                /* NULL: nothing to compare with */
	const struct flat_profile *other;   /* of it */
	const struct verify_report *verify; /* NULL: the binary was not checked */
};

/* Writes at most PAGE_DATA_MOST bytes, none of them '<'.  What is too much is left out and counted.
 * BC_NOMEM */
BC_MUST_USE bool report_data_write(const struct report_data *data, FILE *out, struct bc_error *err);

#endif
