/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cumulative shares: so many of the hottest functions, or bytes, hold so many percent of all samples. */
#ifndef FIGURES_CURVE_H
#define FIGURES_CURVE_H

#include "src/base/json.h"
#include "src/figures/quality.h"

#define CURVE_POINTS 200 /* at most, of each */

/* Writes {"functions": [[n, percent], ...], "bytes": ...}; bytes in buckets of HEAT_BUCKET.  false: out of memory */
BC_MUST_USE bool curve_write(struct json *json, const char *key, const struct quality_sources *sources);

#endif
