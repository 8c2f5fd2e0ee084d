/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads from memory: which code of the input binary read which named data. */
#ifndef RECOUNT_LOADS_H
#define RECOUNT_LOADS_H

#include "tests/count/recount/should.h"

void loads_take(struct should *should, struct count *count);

#endif
