/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which names the form at hand can hold. */
#ifndef TESTS_COUNT_RECOUNT_NAMES_H
#define TESTS_COUNT_RECOUNT_NAMES_H

#include "tests/count/recount/count.h"

bool names_can_hold(const struct count_options *options, const char *name);

#endif
