/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counts as pre-aggregated text has them: where anything was mispredicted, branches and
 * fall-throughs apart. */
#ifndef TESTS_COUNT_RECOUNT_KEPT_H
#define TESTS_COUNT_RECOUNT_KEPT_H

#include "tests/count/recount/count.h"

/* Sorted, each once.  Branches that are not among them go into count->numbers. */
void kept_rows(struct count *count, struct row_vec *out);

#endif
