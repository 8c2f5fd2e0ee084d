/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What batconv wrote with --format=preagg: each trace or address with its counts, sorted. */
#ifndef TESTS_COUNT_RECOUNT_PREAGG_H
#define TESTS_COUNT_RECOUNT_PREAGG_H

#include "tests/count/recount/count.h"

/* kept: as kept_rows() has them. */
BC_MUST_USE bool preagg_compare(const char *path, const struct count *count,
				const struct row_vec *kept, struct bc_error *err);

#endif
