/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting on all threads of a pool: samples are put into batches, which whichever
 * thread is free counts while the reader continues reading.  A batch has what it needs for
 * that: the maps of its processes as they were, and the memory that branches lie in.
 */
#ifndef COUNT_BATCHES_H
#define COUNT_BATCHES_H

#include "src/base/parallel.h"
#include "src/count/sample_counter.h"

struct batches;

/* Start a pool of so many threads, the reader's being one.  `own` is its counter and
 * must outlive the batches.  BC_NOMEM. */
BC_MUST_USE bool batches_start(unsigned threads, struct sample_counter *own, struct batches **out,
			       struct bc_error *err);

/* The pool, for other tasks of the reader.  NULL for NULL. */
struct pool *batches_pool(struct batches *batches);

/* Have a sample counted, whose branches lie in `memory`: its address, or its stack.  Errors of
 * earlier batches can show here.  BC_NOMEM, BC_FORMAT */
BC_MUST_USE bool batches_add_address(struct batches *batches, const struct process_view *view,
				     const struct sample *sample, struct event_memory *memory,
				     struct bc_error *err);
BC_MUST_USE bool batches_add_stack(struct batches *batches, const struct process_view *view,
				   const struct sample *sample, struct stack_use use,
				   struct event_memory *memory, struct bc_error *err);

/* The same of traces that were counted before and lie in `memory`. */
BC_MUST_USE bool batches_add_traces(struct batches *batches, const struct trace_record *traces,
				    size_t count, struct event_memory *memory,
				    struct bc_error *err);

/* Wait until everything is counted, and give back what the batches hold. */
BC_MUST_USE bool batches_drain(struct batches *batches, struct bc_error *err);

/* Hand over what the threads counted, and add their ledgers to those of the reader's
 * counter.  After batches_drain(). */
BC_MUST_USE bool batches_collect(struct batches *batches, struct bc_error *err);

/* Stop the threads and free everything; NULL is fine. */
void batches_stop(struct batches *batches);

#endif
