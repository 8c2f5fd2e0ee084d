/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What of the samples is in the profile, of what could be: quality.h's `kept`. */
#ifndef QUALITY_KEPT_H
#define QUALITY_KEPT_H

#include "src/quality/quality.h"

void quality_count_kept(const struct conversion *conversion, struct quality *out);

#endif
