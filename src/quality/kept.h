/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of the samples is in the profile, of what could be: `kept` of quality.h. */
#ifndef QUALITY_KEPT_H
#define QUALITY_KEPT_H

#include "src/quality/quality.h"

void quality_count_kept(const struct conversion *conversion, struct quality *out);

#endif
