/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* batconv overlap: what was found, as text and as JSON. */
#ifndef CLI_OVERLAP_PRINT_H
#define CLI_OVERLAP_PRINT_H

#include <stdio.h>

#include "src/cli/options.h"
#include "src/base/json.h"
#include "src/figures/flat.h"
#include "src/figures/overlap.h"

#define OVERLAP_MOVERS 10 /* that are shown, in each direction */

struct overlap_report {
	const struct overlap *overlap;
	const char *paths[2];
	struct percent min;
	bool wanting; /* a share is below it */
};

const char *overlap_key(enum overlap_kind kind);

void overlap_text(const struct overlap_report *report, FILE *out);
void overlap_json_members(const struct overlap_report *report, struct json *json); /* but for what is asked of it */
void overlap_json(const struct overlap_report *report, FILE *out);

/* ---- a profile that a command compares with: fdata, BOLT's YAML, or samples, which are converted first ---- */

/* What is neither fdata nor YAML is taken for samples of a binary, if there is one (else NULL).  Of a recording that was cut short, what is
 * there is used, and *partial is set.
 *
 * BC_MISMATCH  samples of another build
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool profile_input_read(const char *path, const char *binary, struct flat_profile *out, bool *partial,
				    struct bc_error *err);

#endif
