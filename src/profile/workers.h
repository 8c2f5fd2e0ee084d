/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that count batches of samples while the reader goes on reading.  Few
 * batches wait at a time: a reader that is ahead counts one itself.
 */
#ifndef PROFILE_WORKERS_H
#define PROFILE_WORKERS_H

#include "src/profile/batch.h"

struct workers;

/* Start threads - 1 workers; the reader is the last thread.  Fewer if the system
 * has no more.  BC_NOMEM. */
BC_MUST_USE bool workers_start(unsigned threads, struct totals *totals, struct workers **out,
			       struct bc_error *err);

/* An empty batch to fill.  BC_NOMEM: NULL. */
struct batch *workers_batch(struct workers *workers, struct bc_error *err);

/* Have a batch counted; `own` is the tally of the calling thread.  Errors of
 * earlier batches can show here. */
BC_MUST_USE bool workers_submit(struct workers *workers, struct batch *batch, struct tally *own,
				struct bc_error *err);

/* Wait until everything is counted, and give back what the batches hold. */
BC_MUST_USE bool workers_drain(struct workers *workers, struct tally *own, struct bc_error *err);

/* Hand over what the workers counted, and add their ledgers to `own`.  After
 * workers_drain(). */
BC_MUST_USE bool workers_collect(struct workers *workers, struct tally *own,
				 struct bc_error *err);

/* Stop the threads and free everything; NULL is fine. */
void workers_stop(struct workers *workers);

#endif
