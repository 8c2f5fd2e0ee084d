/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/processes.h"

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->all.len; i++)
		map_set_release(processes->all.at[i].maps);
	process_vec_free(&processes->all);
	map_free(&processes->by_pid);
}

DEFINE_FIELD_MAP(by_pid, struct process, pid);

struct process *processes_find(const struct processes *processes, uint32_t pid)
{
	uint32_t number;

	return by_pid_find(&processes->by_pid, processes->all.at, pid, &number) ?
		       &processes->all.at[number] :
		       NULL;
}

struct process *processes_obtain(struct processes *processes, uint32_t pid)
{
	struct process *process = processes_find(processes, pid);

	if (process)
		return process;
	if (!map_reserve(&processes->by_pid, 1) ||
	    !process_vec_push(&processes->all, (struct process){.pid = pid, .used = true}))
		return NULL;
	uint32_t number = (uint32_t)processes->all.len - 1;
	by_pid_put(&processes->by_pid, pid, number);
	return &processes->all.at[number];
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
	for (size_t i = 0; i < before->all.len; i++) {
		struct process *old = &before->all.at[i];
		struct process *own = old->used ? processes_find(processes, old->pid) : NULL;
		if (!old->used || (own && told(own)))
			continue;
		own = processes_obtain(processes, old->pid);
		if (!own)
			return false;
		map_set_release(own->maps);
		*own = *old;
		*old = (struct process){.pid = old->pid};
	}
	return true;
}

void processes_forget(struct processes *processes,
		      bool (*gone)(const struct process *process, uint64_t how), uint64_t how)
{
	struct process_vec *all = &processes->all;
	size_t kept = 0;

	map_clear(&processes->by_pid);
	for (size_t i = 0; i < all->len; i++) {
		if (gone(&all->at[i], how)) {
			map_set_release(all->at[i].maps);
			continue;
		}
		all->at[kept] = all->at[i];
		by_pid_put(&processes->by_pid, all->at[kept].pid, (uint32_t)kept);
		kept++;
	}
	all->len = kept;
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
