/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The summary as JSON: every number of its ledgers, and what the profile has. */
#ifndef TESTS_COUNT_RECOUNT_STATS_H
#define TESTS_COUNT_RECOUNT_STATS_H

#include "src/base/error.h"
#include "tests/count/recount/count.h"

/* *is: the numbers that are there. */
BC_MUST_USE bool stats_compare(const char *path, const struct count *count, struct numbers *is,
			       struct bc_error *err);

#endif
