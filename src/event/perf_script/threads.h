/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which process a thread belongs to.  perf script prints only the tid of a
 * sample unless it is asked for the pid, so it is learned from the records of
 * threads, which have both.
 */
#ifndef EVENT_PERF_SCRIPT_THREADS_H
#define EVENT_PERF_SCRIPT_THREADS_H

#include "src/base/map.h"
#include "src/base/vec.h"

struct thread {
	uint32_t tid, pid;
};
DEFINE_VEC(thread_vec, struct thread);

/* Zeroed means empty. */
struct thread_table {
	struct thread_vec all;
	struct map by_tid; /* indices of them */
};

void threads_free(struct thread_table *table);

/* From now on `tid` is a thread of `pid`.  Returns false when out of memory. */
BC_MUST_USE bool threads_learn(struct thread_table *table, uint32_t pid, uint32_t tid);

/* The process of a thread.  A number that is not known is a process's own. */
uint32_t threads_pid(const struct thread_table *table, uint32_t tid);

#endif
