/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a compiler split: `f` and `f.cold`. */
#ifndef CFG_FRAGMENTS_H
#define CFG_FRAGMENTS_H

#include "src/elf/functions.h"

/* Are they two parts of one function, by their names? */
bool fragments_related(const struct function *a, const struct function *b);

#endif
