/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads from memory: which code of the input binary read which named data. */
#ifndef TESTS_COUNT_RECOUNT_LOADS_H
#define TESTS_COUNT_RECOUNT_LOADS_H

#include "tests/count/recount/should.h"

void loads_take(struct should *should, struct count *count);

#endif
