/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/history.h"

#include <stdlib.h>

#include "src/samples/kernel_space.h"

void history_free(struct history *history)
{
	processes_free(&history->processes);
	processes_free(&history->before);
}

void history_forget(struct history *history)
{
	processes_free(&history->before);
	history->before = history->processes;
	history->processes = (struct processes){0};
}

static void change(struct history *history, struct process *process)
{
	process->history.changed = true;
	process->history.since = history->now;
}

static bool intern(struct mapped_files *files, const struct map_event *event, uint32_t *out)
{
	struct text id = {(const char *)event->build_id.data, event->build_id.size};
	struct mapped_file file = {0};

	return strings_intern(&files->texts, event->path, &file.path) &&
	       strings_intern(&files->texts, id, &file.build_id) &&
	       mapped_files_intern(files, &file, out);
}

/* Of what no process has mapped, modules alone. */
static bool is_kept(const struct map_event *event)
{
	return event->pid != NO_PID ||
	       (event->start.v >= USER_END && !kernel_name_is_kernel(event->path) &&
		!kernel_name_is_of_guest(event->path));
}

static bool take_map(struct history *history, const struct map_event *event, struct bc_error *err)
{
	struct mapping mapping = {
		.start = event->start.v,
		.end = event->start.v + event->size,
		.offset = event->offset.v,
		.flags = event->executable ? MAPPING_READ | MAPPING_EXEC : MAPPING_READ,
	};

	if (!is_kept(event) || mapping.end <= mapping.start ||
	    event->offset.v > UINT64_MAX - event->size)
		return true;
	struct process *process = processes_obtain(&history->processes, event->pid);
	if (!process || !intern(history->files, event, &mapping.file))
		return bc_fail_nomem(err);
	if (process_has_ended(process))
		process_begin(process);
	change(history, process);
	return map_set_replace(&process->maps, mapping.start, mapping.end, &mapping) ||
	       bc_fail_nomem(err);
}

static bool take_exec(struct history *history, uint32_t pid, struct bc_error *err)
{
	struct process *process = pid == NO_PID ? NULL : processes_obtain(&history->processes, pid);

	if (!process)
		return pid == NO_PID || bc_fail_nomem(err);
	process_begin(process);
	change(history, process);
	return true;
}

static bool take_fork(struct history *history, const struct task_event *task, struct bc_error *err)
{
	const struct process *parent;
	struct process *child;

	if (!processes_fork(&history->processes, task, &child, &parent))
		return bc_fail_nomem(err);
	if (child)
		change(history, child);
	return true;
}

static bool is_told(const struct process *process)
{
	return process->maps;
}

/* Processes that both parts describe.  An event without a time belongs to the beginning of this
 * part. */
static void go_on(const struct history *history, const struct process *old, struct process *own)
{
	own->history.snapshots += old->history.snapshots;
	if (!own->history.since)
		own->history.since = history->now;
}

static bool take_continuation(struct history *history, struct bc_error *err)
{
	if (!processes_adopt(&history->processes, &history->before, is_told))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < history->before.all.len; i++) {
		const struct process *old = &history->before.all.at[i];
		if (old->used)
			go_on(history, old, processes_find(&history->processes, old->pid));
	}
	processes_free(&history->before);
	return true;
}

bool history_event(struct history *history, const struct event *event, struct bc_error *err)
{
	if (event->time)
		history->now = event->time;
	switch (event->kind) {
	case EVENT_CONTINUES: return take_continuation(history, err);
	case EVENT_MAP: return take_map(history, event->map, err);
	case EVENT_EXEC: return take_exec(history, event->task.pid, err);
	case EVENT_FORK: return take_fork(history, &event->task, err);
	case EVENT_EXIT: processes_exit(&history->processes, &event->task); break;
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

struct process *history_process(const struct history *history, uint32_t pid)
{
	return pid == NO_PID ? NULL : processes_find(&history->processes, pid);
}

const struct mapping *history_module(const struct history *history, uint64_t at)
{
	const struct process *modules = processes_find(&history->processes, NO_PID);

	return modules ? map_set_find(modules->maps, at) : NULL;
}

bool history_snapshot(struct process *process, struct snapshots *out, struct bc_error *err)
{
	if (process->pid == NO_PID || !process->history.changed || !map_set_count(process->maps))
		return true;
	process->history.changed = false;
	return snapshots_add(out, process->pid, process->history.snapshots++,
			     process->history.since, process->maps, err);
}

static int by_pid(const void *a, const void *b)
{
	const struct process *const *x = a, *const *y = b;

	return ((*x)->pid > (*y)->pid) - ((*x)->pid < (*y)->pid);
}

bool history_snapshot_all(const struct history *history, struct snapshots *out,
			  struct bc_error *err)
{
	const struct process_vec *all = &history->processes.all;
	struct process **rows = malloc((all->len + 1) * sizeof(struct process *));
	size_t count = 0;
	bool ok = true;

	if (!rows)
		return bc_fail_nomem(err);
	for (; count < all->len; count++)
		rows[count] = &all->at[count];
	if (count)
		qsort(rows, count, sizeof(struct process *), by_pid);
	for (size_t i = 0; i < count && ok; i++)
		ok = history_snapshot(rows[i], out, err);
	free(rows);
	return ok;
}

void carried_free(struct carried *carried)
{
	processes_free(&carried->processes);
	mapped_files_free(&carried->files);
}

/* Copies, as the numbers of the files are others. */
static bool copy_all(const struct processes *from, const uint32_t *numbers, struct processes *to)
{
	struct renumbered done = {.numbers = numbers};
	bool ok = true;

	for (size_t i = 0; ok && i < from->all.len; i++) {
		const struct process *old = &from->all.at[i];
		struct map_set *maps = NULL;
		struct process *copy = old->used ? processes_obtain(to, old->pid) : NULL;
		ok = !old->used || (copy && map_set_renumber(old->maps, &done, &maps));
		if (!copy)
			continue;
		*copy = *old;
		copy->maps = maps;
	}
	renumbered_free(&done);
	return ok;
}

static bool copy(const struct mapped_files *from_files, const struct processes *from,
		 struct mapped_files *to_files, struct processes *to, struct bc_error *err)
{
	uint32_t *numbers = mapped_files_translate(from_files, to_files);
	bool ok = numbers && copy_all(from, numbers, to);

	free(numbers);
	return ok || bc_fail_nomem(err);
}

bool carried_keep(struct carried *carried, const struct history *history, struct bc_error *err)
{
	carried_free(carried);
	return copy(history->files, &history->processes, &carried->files, &carried->processes, err);
}

bool carried_give(const struct carried *carried, struct history *history, struct bc_error *err)
{
	processes_free(&history->before);
	return copy(&carried->files, &carried->processes, history->files, &history->before, err);
}
