/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What batconv wrote as YAML: which functions, how often each was entered, and that its
 * counts and those that the summary calls lost are all that should be there.  To which block
 * a count went is not looked at.
 */
#ifndef TESTS_COUNT_RECOUNT_YAML_H
#define TESTS_COUNT_RECOUNT_YAML_H

#include "tests/count/recount/should.h"

/* stats: the numbers of the report */
BC_MUST_USE bool yaml_compare(const char *path, const struct should *should,
			      const struct numbers *stats, struct bc_error *err);

#endif
