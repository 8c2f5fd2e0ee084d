/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a sample touched: that it, or a branch of it, came from or went to. */
#ifndef PROFILE_TOUCHED_H
#define PROFILE_TOUCHED_H

#include "src/count/located.h"

/* Marks them in *out, for code_marks_free().  false: out of memory */
BC_MUST_USE bool touched_functions(struct located_counts *located, struct code_marks *out);

#endif
