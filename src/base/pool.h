/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that run tasks while the thread that submits them goes on: tasks of
 * several kinds share them.  One thread owns the pool; it submits, waits, and runs
 * tasks itself when it waits or when too many do.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>

#include "src/base/attr.h"

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
