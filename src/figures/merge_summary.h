/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What merge says of its work. */
#ifndef FIGURES_MERGE_SUMMARY_H
#define FIGURES_MERGE_SUMMARY_H

#include <stdio.h>

#include "src/profile/merge.h"

struct merge_outcome {
	const struct merge *merge;
	enum profile_kind kind;
	size_t profiles;                /* that were written */
	const struct bc_error *refusal; /* why none was; or NULL */
};

void merge_summary_text(const struct merge_outcome *outcome, bool verbose, FILE *out);
void merge_summary_json(const struct merge_outcome *outcome, FILE *out);

/* Warns of shards that seem to be the same.  false: out of memory */
BC_MUST_USE bool merge_summary_doubles(const struct merge *merge, FILE *out);

/* Warns where YAML of inferred branches is added to that of counted ones, unless each is scaled.
 * fdata does not show which it is. */
void merge_summary_inferred(const struct merge *merge, FILE *out);

/* A line for each bad input: a warning if it was left out, and of sums that did not fit; else a
 * note. */
void merge_summary_bad(const struct merge *merge, bool skipped, FILE *out);

#endif
