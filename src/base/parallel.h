/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop whose rounds run on several threads, in any order. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/attr.h"
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
BC_MUST_USE bool parallel_parts(size_t count, parallel_part *part, void *ctx, struct bc_error *err);

/* As many threads as there are processors to run on, at most PARALLEL_MOST. */
unsigned parallel_threads(void);

/*
 * Threads that run tasks while the thread that submits them continues: tasks of
 * several kinds share them.  One thread owns the pool; it submits, waits, and runs
 * tasks itself when it waits or when too many do.
 */

struct pool;

/* A member of the struct that the task works on.  Nobody else may use that struct from
 * pool_submit() until the task is done. */
struct task {
	/* thread: 0 the owner's, else below pool_threads(); no two tasks run with the same
	 * one at the same time.  Must not use the pool. */
	void (*run)(struct task *task, unsigned thread);
	struct task *next; /* the pool's */
	bool done;         /* likewise */
};

/* Start threads - 1 threads, the owner's being one more; fewer if the system has no
 * more.  Returns NULL when out of memory. */
struct pool *pool_start(unsigned threads);

/* Stop the threads when their current tasks are done.  Waiting tasks never run.  NULL can be
 * given, too. */
void pool_stop(struct pool *pool);

/* The number of threads with the owner's, at least 1.  NULL: 1. */
unsigned pool_threads(const struct pool *pool);

/* The oldest waiting task runs first.  A pool that is NULL runs it at once. */
void pool_submit(struct pool *pool, struct task *task);

/* Whether a task that was submitted is done. */
bool pool_is_done(struct pool *pool, struct task *task);

/* Wait until a task is done, and run other tasks meanwhile. */
void pool_wait(struct pool *pool, struct task *task);

#endif
