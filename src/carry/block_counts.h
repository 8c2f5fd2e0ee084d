/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often each block of the old build ran, by its profile. */
#ifndef CARRY_BLOCK_COUNTS_H
#define CARRY_BLOCK_COUNTS_H

#include "src/carry/build.h"
#include "src/flow/infer.h"
#include "src/profile/flat.h"

struct block_counts {
	const struct function *function;
	const struct graph *graph; /* NULL: none, so that only its entries are known */
	uint64_t *blocks;          /* runs of each, owned */
	uint64_t runs;             /* of all of its instructions together */
};
DEFINE_VEC(block_counts_vec, struct block_counts);

struct old_counts {
	struct block_counts_vec functions; /* those with most runs first */
	struct observed_call_vec calls;    /* sorted; none has a count of 0 */
	uint64_t fits, misfits; /* counts of branches that the code has, and that it cannot make */
};

/* Takes the counts of a profile of branches; the graphs of its functions are built.
 *
 * BC_UNSUPPORTED  it is of basic samples
 * BC_FORMAT, BC_NOMEM; *out is to be freed either way */
BC_MUST_USE bool old_counts_take(const struct flat_profile *profile, struct carry_build *build,
				 unsigned threads, struct old_counts *out, struct bc_error *err);
void old_counts_free(struct old_counts *counts);

#endif
