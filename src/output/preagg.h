/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The aggregate itself, in BOLT's pre-aggregated text: what is kept of a
 * recording when it is to be converted or merged later.  Lines are sorted;
 * equal samples give equal bytes.
 */
#ifndef OUTPUT_PREAGG_H
#define OUTPUT_PREAGG_H

#include <stdio.h>

#include "src/profile/aggregate.h"

/* Write what was counted; aggregate_finish() came before.  Errors of the file
 * are the caller's to check.  BC_NOMEM. */
BC_MUST_USE bool preagg_write(const struct aggregate *aggregate, bool basic, FILE *file,
			      struct bc_error *err);

#endif
