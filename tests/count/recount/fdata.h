/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What batconv wrote as fdata: the head, and each record with its counts, in order. */
#ifndef TESTS_COUNT_RECOUNT_FDATA_H
#define TESTS_COUNT_RECOUNT_FDATA_H

#include "tests/count/recount/input.h"
#include "tests/count/recount/should.h"

/* input: every location is looked up in it; NULL: in none */
BC_MUST_USE bool fdata_compare(const char *path, const struct should *should,
			       const struct input *input, struct bc_error *err);

#endif
