/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a profile is better than perf2bolt's by another rule than its, and not by a mistake
 * less: one switch a rule, each a row of docs/conversion.md, section 6.  All off is the
 * profile that perf2bolt writes.
 */
#ifndef PROFILE_RULES_H
#define PROFILE_RULES_H

#include <stdbool.h>

struct profile_rules {
	/* A branch from outside the binary to the place right behind a call is a return. */
	bool returns_by_place;
};

/* Zeroed: perf2bolt's. */
static const struct profile_rules best_rules = {.returns_by_place = true};

#endif
