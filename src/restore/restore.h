/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With the input binary at hand: a profile as the input would have run it.  Every way that
 * the output took is walked through the input's instructions; where llvm-bolt took blocks out, folded or inlined
 * functions, the input's own steps are written in place of the output's.  docs/conversion.md, section 7.
 */
#ifndef RESTORE_RESTORE_H
#define RESTORE_RESTORE_H

#include "src/profile/profile.h"
#include "src/count/rules.h"
#include "src/pair/pair.h"

struct restoration {
	const struct pair *pair;
	struct profile_rules rules;
	unsigned threads;
	struct restored *restored; /* what was done is added */
};

/* Replaces a profile of branches by a restored one.  What cannot be restored stays as it is.  On
 * failure there is no profile.  BC_NOMEM, BC_FORMAT (work.h) */
BC_MUST_USE bool restore_profile(const struct restoration *how, struct profile *profile, struct bc_error *err);

#endif
