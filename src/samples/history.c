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

/* The table is the history's: each process of it is one of these. */
static struct history_process *own(struct process *process)
{
	return (struct history_process *)process;
}

static void change(const struct history *history, struct process *process)
{
	own(process)->changed = true;
	own(process)->since = history->now;
}

static void begin(void *ctx, struct process *process, const struct process *parent,
		  const struct event *event)
{
	(void)parent;
	(void)event;
	change(ctx, process);
}

static bool intern(struct mapped_files *files, const struct map_event *event, uint32_t *out)
{
	struct text id = {(const char *)event->build_id.data, event->build_id.size};
	struct mapped_file file = {0};

	return strings_intern(&files->texts, event->path, &file.path) &&
	       strings_intern(&files->texts, id, &file.build_id) &&
	       mapped_files_intern(files, &file, out);
}

/* For what no process has mapped, modules alone. */
static bool is_kept(const struct map_event *event)
{
	return event->pid != NO_PID ||
	       (event->start.v >= USER_END && !kernel_name_is_kernel(event->path) &&
		!kernel_name_is_of_guest(event->path));
}

static bool take_map(void *ctx, const struct event *event, struct bc_error *err);
static bool take_continuation(void *ctx, const struct event *event, struct bc_error *err);

static const struct process_owner history_owner = {
	.size = sizeof(struct history_process),
	.begin = begin,
	.map = take_map,
	.go_on = take_continuation,
};

static bool take_map(void *ctx, const struct event *event, struct bc_error *err)
{
	struct history *history = ctx;
	const struct map_event *map = event->map;
	struct mapping mapping = {
		.start = map->start.v,
		.end = map->start.v + map->size,
		.offset = map->offset.v,
		.flags = map->executable ? MAPPING_READ | MAPPING_EXEC : MAPPING_READ,
	};

	if (!is_kept(map) || mapping.end <= mapping.start || map->offset.v > UINT64_MAX - map->size)
		return true;
	struct process *process =
		processes_mapped(&history->processes, &history_owner, history, event);
	if (!process || !intern(history->files, map, &mapping.file))
		return bc_fail_nomem(err);
	change(history, process);
	return map_set_replace(&process->maps, mapping.start, mapping.end, &mapping) ||
	       bc_fail_nomem(err);
}

static bool is_told(const struct process *process)
{
	return process->maps;
}

/* Processes that both parts describe.  An event without a time belongs to the beginning of this
 * part. */
static void join(const struct history *history, const struct history_process *old,
		 struct history_process *new)
{
	new->snapshots += old->snapshots;
	if (!new->since)
		new->since = history->now;
}

static bool take_continuation(void *ctx, const struct event *event, struct bc_error *err)
{
	struct history *history = ctx;
	struct process_vec *before = &history->before.all;

	(void)event;
	if (!processes_adopt(&history->processes, &history->before, is_told))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < before->len; i++)
		if (before->at[i])
			join(history, own(before->at[i]),
			     own(processes_find(&history->processes, before->at[i]->pid)));
	processes_free(&history->before);
	return true;
}

bool history_event(struct history *history, const struct event *event, struct bc_error *err)
{
	if (event->time)
		history->now = event->time;
	return processes_event(&history->processes, &history_owner, history, event, err);
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
	struct history_process *of = own(process);

	if (process->pid == NO_PID || !of->changed || !map_set_count(process->maps))
		return true;
	of->changed = false;
	return snapshots_add(out, process->pid, of->snapshots++, of->since, process->maps, err);
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
		rows[count] = all->at[count];
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
		const struct process *old = from->all.at[i];
		struct map_set *maps = NULL;
		struct process *copy = processes_obtain(to, &history_owner, old->pid);
		ok = copy && map_set_renumber(old->maps, &done, &maps);
		if (!copy)
			continue;
		*own(copy) = *(const struct history_process *)old;
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
