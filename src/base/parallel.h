/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop whose rounds run on several threads, in any order. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

#include "src/base/error.h"

#define PARALLEL_MOST 64

/* One round of the loop.  worker: below the number of threads, and no two
 * rounds run with the same one at the same time. */
typedef void parallel_fn(void *ctx, size_t index, unsigned worker);

/* Call round(ctx, i, worker) for each i in [0, count), on up to `threads`
 * threads, of which one is the caller's; fewer if the system has no more. */
void parallel_for(unsigned threads, size_t count, parallel_fn *round, void *ctx);

/* One of several parts that are independent of each other and can fail. */
typedef bool parallel_part(void *ctx, size_t part, struct bc_error *err);

/* Run all of up to PARALLEL_PARTS parts at the same time.  False: some failed; the error is that of
 * the lowest part that failed, whichever was first in time. */
#define PARALLEL_PARTS 2
BC_MUST_USE bool parallel_parts(size_t count, parallel_part *part, void *ctx,
				struct bc_error *err);

/* As many threads as there are processors to run on, at most PARALLEL_MOST. */
unsigned parallel_threads(void);

#endif
