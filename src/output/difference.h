/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What differs between two tables: counts, then, unless summary_only, each difference in the order of
 * the comparison. */
#ifndef OUTPUT_DIFFERENCE_H
#define OUTPUT_DIFFERENCE_H

#include <stdio.h>

#include "src/check/compare.h"

void difference_text(const struct comparison *comparison, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out);
void difference_json(const struct comparison *comparison, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out);

#endif
