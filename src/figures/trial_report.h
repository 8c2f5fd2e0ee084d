/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `batconv compare` says of binaries that ran on the same work. */
#ifndef FIGURES_TRIAL_REPORT_H
#define FIGURES_TRIAL_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "src/trial/trial.h"

struct trial_report {
	const char *version;         /* of batconv: for a page */
	const struct contest *trial; /* borrowed */
	bool served;                 /* times are of a server while it had load */
	bool has_most;               /* --max-loss was given: */
	double most;                 /* percent that a binary may be slower by */
	bool decide;                 /* what is undecided fails */
	bool differ, worse,
		undecided; /* trial_judge() sets these: the output of one differs; one is
					  slower by more; one comparison is undecided */
	bool failed;       /* the exit code is 3 */
};

void trial_judge(struct trial_report *report);

void trial_text(const struct trial_report *report, FILE *out);
void trial_json(const struct trial_report *report, FILE *out);
void trial_markdown(const struct trial_report *report, FILE *out);
void trial_page(const struct trial_report *report, FILE *out); /* HTML, for a browser */

/* Why the exit code is 3, on `out`; nothing if it is not. */
void trial_tell_failure(const struct trial_report *report, FILE *out);

#endif
