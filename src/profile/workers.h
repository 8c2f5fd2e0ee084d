/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting on all threads of a pool: batches are counted while the reader goes on
 * reading.
 */
#ifndef PROFILE_WORKERS_H
#define PROFILE_WORKERS_H

#include "src/base/pool.h"
#include "src/profile/batch.h"

struct workers;

/* Start a pool of so many threads, the reader's being one.  `own` is its tally and
 * must outlive the workers.  BC_NOMEM. */
BC_MUST_USE bool workers_start(unsigned threads, struct tally *own, struct workers **out,
			       struct bc_error *err);

/* The pool, for other tasks of the reader.  NULL for NULL. */
struct pool *workers_pool(struct workers *workers);

/* An empty batch to fill.  BC_NOMEM: NULL. */
struct batch *workers_batch(struct workers *workers, struct bc_error *err);

/* Have a batch counted.  Errors of earlier batches can show here. */
BC_MUST_USE bool workers_submit(struct workers *workers, struct batch *batch,
				struct bc_error *err);

/* Wait until everything is counted, and give back what the batches hold. */
BC_MUST_USE bool workers_drain(struct workers *workers, struct bc_error *err);

/* Hand over what the workers counted, and add their ledgers to those of the reader's
 * tally.  After workers_drain(). */
BC_MUST_USE bool workers_collect(struct workers *workers, struct bc_error *err);

/* Stop the threads and free everything; NULL is fine. */
void workers_stop(struct workers *workers);

#endif
