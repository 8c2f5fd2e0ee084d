/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/processes.h"

#include <stdlib.h>

static void forget(struct process *process)
{
	if (process)
		map_set_release(process->maps);
	free(process);
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->all.len; i++)
		forget(processes->all.at[i]);
	process_vec_free(&processes->all);
	map_free(&processes->by_pid);
}

static bool has_pid(struct process *const *all, uint32_t number, uint32_t pid)
{
	return all[number]->pid == pid;
}

DEFINE_MAP(by_pid, struct process *const *, uint32_t, hash_number, has_pid);

struct process *processes_find(const struct processes *processes, uint32_t pid)
{
	uint32_t number;

	return by_pid_find(&processes->by_pid, processes->all.at, pid, &number) ?
		       processes->all.at[number] :
		       NULL;
}

/* For a pid that is not among them. */
static bool add(struct processes *processes, struct process *process)
{
	if (!map_reserve(&processes->by_pid, 1) || !process_vec_push(&processes->all, process))
		return false;
	by_pid_put(&processes->by_pid, process->pid, (uint32_t)processes->all.len - 1);
	return true;
}

struct process *processes_obtain(struct processes *processes, const struct process_owner *owner,
				 uint32_t pid)
{
	struct process *process = processes_find(processes, pid);

	if (process || !(process = calloc(1, owner->size)))
		return process;
	process->pid = pid;
	if (add(processes, process))
		return process;
	free(process);
	return NULL;
}

bool process_has_ended(const struct process *process)
{
	return process->first_ended && !process->threads;
}

static void begin(struct process *process, const struct process *parent,
		  const struct process_owner *owner, void *ctx, const struct event *event)
{
	struct map_set *maps = parent ? map_set_share(parent->maps) : NULL;

	map_set_release(process->maps);
	process->maps = maps;
	process->threads = 0;
	process->first_ended = false;
	owner->begin(ctx, process, parent, event);
}

void process_begin(struct process *process, const struct process_owner *owner, void *ctx,
		   const struct event *event)
{
	begin(process, NULL, owner, ctx, event);
}

struct process *processes_mapped(struct processes *processes, const struct process_owner *owner,
				 void *ctx, const struct event *event)
{
	struct process *process = processes_obtain(processes, owner, event->map->pid);

	if (process && process_has_ended(process))
		process_begin(process, owner, ctx, event);
	return process;
}

static bool take_exec(struct processes *processes, const struct process_owner *owner, void *ctx,
		      const struct event *event)
{
	if (event->task.pid == NO_PID)
		return true;
	struct process *process = processes_obtain(processes, owner, event->task.pid);
	if (process)
		process_begin(process, owner, ctx, event);
	return process;
}

static bool take_fork(struct processes *processes, const struct process_owner *owner, void *ctx,
		      const struct event *event)
{
	const struct task_event *task = &event->task;
	bool is_thread = task->parent == task->pid;

	if (task->parent == NO_PID || task->pid == NO_PID)
		return true;
	struct process *process = processes_obtain(processes, owner, task->pid);
	if (!process)
		return false;
	if (!is_thread)
		begin(process, processes_find(processes, task->parent), owner, ctx, event);
	else if (process_has_ended(process))
		process_begin(process, owner, ctx, event);
	process->threads += is_thread;
	return true;
}

static void take_exit(struct processes *processes, const struct task_event *task)
{
	struct process *process = processes_find(processes, task->pid);

	if (!process)
		return;
	if (task->tid == task->pid)
		process->first_ended = true;
	else if (process->threads) /* else one that began before the recording */
		process->threads--;
}

bool processes_event(struct processes *processes, const struct process_owner *owner, void *ctx,
		     const struct event *event, struct bc_error *err)
{
	switch (event->kind) {
	case EVENT_CONTINUES: return !owner->go_on || owner->go_on(ctx, event, err);
	case EVENT_MAP: return owner->map(ctx, event, err);
	case EVENT_EXEC: return take_exec(processes, owner, ctx, event) || bc_fail_nomem(err);
	case EVENT_FORK: return take_fork(processes, owner, ctx, event) || bc_fail_nomem(err);
	case EVENT_EXIT: take_exit(processes, &event->task); break;
	case EVENT_BEGIN:
	case EVENT_SAMPLE:
	case EVENT_RAN:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

bool processes_adopt(struct processes *processes, struct processes *before,
		     bool (*told)(const struct process *process))
{
	for (size_t i = 0; i < before->all.len; i++) {
		struct process *old = before->all.at[i];
		uint32_t number;
		if (!by_pid_find(&processes->by_pid, processes->all.at, old->pid, &number)) {
			if (!add(processes, old))
				return false;
		} else if (!told(processes->all.at[number])) {
			forget(processes->all.at[number]);
			processes->all.at[number] = old;
		} else {
			continue;
		}
		before->all.at[i] = NULL;
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
		if (gone(all->at[i], how)) {
			forget(all->at[i]);
			continue;
		}
		all->at[kept] = all->at[i];
		by_pid_put(&processes->by_pid, all->at[kept]->pid, (uint32_t)kept);
		kept++;
	}
	all->len = kept;
}
