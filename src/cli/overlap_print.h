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

#endif
