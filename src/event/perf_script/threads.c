/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/threads.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

void threads_free(struct thread_table *table)
{
	free(table->rows);
	*table = (struct thread_table){0};
}

/* The row of a thread, or the free row where it belongs. */
static struct thread *probe(const struct thread_table *table, uint32_t tid)
{
	size_t mask = table->capacity - 1;
	size_t at = (size_t)(tid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (table->rows[at].tid && table->rows[at].tid != tid)
		at = (at + 1) & mask;
	return &table->rows[at];
}

static bool grow(struct thread_table *table)
{
	struct thread_table bigger = {.used = table->used};

	bigger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].tid)
			*probe(&bigger, table->rows[i].tid) = table->rows[i];
	free(table->rows);
	*table = bigger;
	return true;
}

bool threads_learn(struct thread_table *table, uint32_t pid, uint32_t tid)
{
	/* Most threads are the first of their process: nothing to remember,
	 * unless the number was another process's thread before. */
	if (!tid || threads_pid(table, tid) == pid)
		return true;
	if (table->used >= table->capacity / 4 * 3 && !grow(table))
		return false;
	struct thread *row = probe(table, tid);
	table->used += !row->tid;
	*row = (struct thread){tid, pid};
	return true;
}

uint32_t threads_pid(const struct thread_table *table, uint32_t tid)
{
	if (!table->used || !tid)
		return tid;
	const struct thread *row = probe(table, tid);
	return row->tid ? row->pid : tid;
}
