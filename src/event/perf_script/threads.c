/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/threads.h"

void threads_free(struct thread_table *table)
{
	thread_vec_free(&table->all);
	map_free(&table->by_tid);
}

static uint64_t hash(uint64_t seed, uint32_t tid)
{
	return hash_end(hash_mix(seed, tid));
}

static bool matches(const struct thread *all, uint32_t number, uint32_t tid)
{
	return all[number].tid == tid;
}
DEFINE_MAP(by_tid, const struct thread *, uint32_t, hash, matches);

bool threads_learn(struct thread_table *table, uint32_t pid, uint32_t tid)
{
	uint32_t number;

	/* Most threads are the first of their process: nothing to remember,
	 * unless the number was another process's thread before. */
	if (!tid || threads_pid(table, tid) == pid)
		return true;
	if (by_tid_find(&table->by_tid, table->all.at, tid, &number)) {
		table->all.at[number].pid = pid;
		return true;
	}
	if (!map_reserve(&table->by_tid, 1) || !thread_vec_push(&table->all, (struct thread){tid, pid}))
		return false;
	by_tid_put(&table->by_tid, tid, (uint32_t)table->all.len - 1);
	return true;
}

uint32_t threads_pid(const struct thread_table *table, uint32_t tid)
{
	uint32_t number;

	return by_tid_find(&table->by_tid, table->all.at, tid, &number) ? table->all.at[number].pid : tid;
}
