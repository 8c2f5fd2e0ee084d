/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions behind perf2bolt's -funcs, -skip-funcs and their like. */
#ifndef CLI_PERF2BOLT_NAMES_H
#define CLI_PERF2BOLT_NAMES_H

#include "src/cli/perf2bolt.h"
#include "src/profile/choice.h"

/* Collects the names of functions: splits lists at commas, and reads files that have one name a
 * line.  `texts` owns the names.
 *
 *
 * BC_IO, BC_NOMEM; BC_UNSUPPORTED: functions to look at and functions to skip */
BC_MUST_USE bool perf2bolt_names(const struct perf2bolt_arguments *arguments, struct word_vec *texts,
				 struct function_choice *out, struct bc_error *err);

void perf2bolt_names_free(struct word_vec *texts);

#endif
