/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an input counts for: times its weight, or scaled so that all of it adds up to one number. */
#ifndef PROFILE_WEIGHED_H
#define PROFILE_WEIGHED_H

#include "src/profile/merge.h"
#include "src/profile/run.h"

/* An item of `input` as it counts, which is added to the worker's sums.  BC_FORMAT: a count times its weight does not fit */
BC_MUST_USE bool weighed_item(const struct merge *merge, const struct merge_input *input, struct merge_worker *worker,
			      struct profile_item *item, struct bc_error *err);

/* Do its items count as they are?  Then its sums are known without adding up those of each item again. */
bool weighed_as_it_is(const struct merge *merge, const struct merge_input *input);

/* A source of the items of `input` that count, which `from` has as they are; it is taken, also on failure.
 * What comes out is added to the worker's sums, but for weighed_as_it_is().  NULL: BC_NOMEM, or from is NULL and err is set */
struct source *weighed_open(struct source *from, const struct merge *merge, const struct merge_input *input,
			    struct merge_worker *worker, struct bc_error *err);

#endif
