/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With the input binary at hand: records as the input would have run them.  Every way that
 * the output took is walked through the input's instructions; where llvm-bolt took blocks out,
 * folded or inlined functions, the input's own steps are written instead of the output's.
 * docs/conversion.md, section 7.
 *
 * It goes from function to function, twice: first each way of a function, and then, when it is
 * known how often others enter it, what only the sums of its counts show.
 */
#ifndef FLOW_RESTORE_H
#define FLOW_RESTORE_H

#include "src/count/ledger.h"
#include "src/count/rules.h"
#include "src/flow/inlined_bodies.h"
#include "src/code/pair.h"
#include "src/profile/profile.h"

struct restoration {
	const struct pair *pair;
	const struct out_functions *out_functions; /* all fragments of each function that ran */
	struct known_calls *calls;
	const struct targets *output_targets;
	const struct inlined_bodies *inlined; /* with what they counted */
	struct profile_rules rules;
	unsigned threads;
	struct restored *restored; /* what was done is added */
	struct ledger *branches;   /* what is left out moves from what was kept */
};

/* Replaces records of branches, which are freed, by restored ones: *out.  What cannot be restored
 * stays as it is. BC_NOMEM, BC_FORMAT (work.h) */
BC_MUST_USE bool restore_records(const struct restoration *how, struct record_vec *batches,
				 size_t batch_count, struct record_vec *out, struct bc_error *err);

#endif
