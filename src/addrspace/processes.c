/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/processes.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->capacity; i++)
		map_set_release(processes->rows[i].maps);
	free(processes->rows);
	*processes = (struct processes){0};
}

/* The row of a pid, or the free row where it belongs. */
static struct process *probe(const struct processes *processes, uint32_t pid)
{
	size_t mask = processes->capacity - 1;
	size_t at = (size_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (processes->rows[at].used && processes->rows[at].pid != pid)
		at = (at + 1) & mask;
	return &processes->rows[at];
}

struct process *processes_find(const struct processes *processes, uint32_t pid)
{
	struct process *process = processes->capacity ? probe(processes, pid) : NULL;

	return process && process->used ? process : NULL;
}

static bool grow(struct processes *processes)
{
	struct processes bigger = {.used = processes->used};

	bigger.capacity = processes->capacity ? 2 * processes->capacity : FIRST_CAPACITY;
	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < processes->capacity; i++)
		if (processes->rows[i].used)
			*probe(&bigger, processes->rows[i].pid) = processes->rows[i];
	free(processes->rows);
	*processes = bigger;
	return true;
}

struct process *processes_obtain(struct processes *processes, uint32_t pid)
{
	struct process *process = processes_find(processes, pid);

	if (process)
		return process;
	if (processes->used >= processes->capacity / 4 * 3 && !grow(processes))
		return NULL;
	process = probe(processes, pid);
	*process = (struct process){.pid = pid, .used = true};
	processes->used++;
	return process;
}

void process_begin(struct process *process)
{
	map_set_release(process->maps);
	process->maps = NULL;
	process->threads = 0;
	process->first_ended = false;
}

bool process_has_ended(const struct process *process)
{
	return process->first_ended && !process->threads;
}

static bool add_thread(struct processes *processes, uint32_t pid, struct process **child)
{
	struct process *process = processes_obtain(processes, pid);

	if (!process)
		return false;
	if (process_has_ended(process)) {
		process_begin(process);
		*child = process;
	}
	process->threads++;
	return true;
}

bool processes_fork(struct processes *processes, const struct task_event *task,
		    struct process **child, const struct process **parent)
{
	*child = NULL;
	*parent = NULL;
	if (task->parent == NO_PID || task->pid == NO_PID)
		return true;
	if (task->parent == task->pid)
		return add_thread(processes, task->pid, child);
	struct process *new = processes_obtain(processes, task->pid);
	if (!new)
		return false;
	process_begin(new);
	*child = new;
	*parent = processes_find(processes, task->parent);
	if (*parent)
		new->maps = map_set_share((*parent)->maps);
	return true;
}

bool processes_adopt(struct processes *processes, struct processes *before,
		     bool (*told)(const struct process *process))
{
	for (size_t i = 0; i < before->capacity; i++) {
		struct process *old = &before->rows[i];
		struct process *own = old->used ? processes_find(processes, old->pid) : NULL;
		if (!old->used || (own && told(own)))
			continue;
		own = processes_obtain(processes, old->pid);
		if (!own)
			return false;
		map_set_release(own->maps);
		*own = *old;
		*old = (struct process){0};
	}
	return true;
}

void processes_exit(struct processes *processes, const struct task_event *task)
{
	struct process *process = processes_find(processes, task->pid);

	if (!process)
		return;
	if (task->tid == task->pid)
		process->first_ended = true;
	else if (process->threads) /* else one that began before the recording */
		process->threads--;
}
