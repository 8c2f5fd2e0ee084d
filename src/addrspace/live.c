/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/live.h"

#include <stdlib.h>

void live_free(struct live *live)
{
	for (size_t i = 0; i < live->capacity; i++)
		maps_free(&live->rows[i].maps);
	free(live->rows);
	*live = (struct live){0};
}

static struct live_process *probe(const struct live *live, uint32_t pid)
{
	size_t mask = live->capacity - 1;
	size_t i = (size_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (live->rows[i].used && live->rows[i].pid != pid)
		i = (i + 1) & mask;
	return &live->rows[i];
}

struct live_process *live_find(const struct live *live, uint32_t pid)
{
	struct live_process *process = live->capacity ? probe(live, pid) : NULL;

	return process && process->used ? process : NULL;
}

static bool grow(struct live *live)
{
	struct live bigger = *live;

	bigger.capacity = live->capacity ? 2 * live->capacity : 64;
	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < live->capacity; i++)
		if (live->rows[i].used)
			*probe(&bigger, live->rows[i].pid) = live->rows[i];
	free(live->rows);
	*live = bigger;
	return true;
}

/* The process of a pid, a new one if there is none.  NULL: out of memory. */
static struct live_process *obtain(struct live *live, uint32_t pid)
{
	if (live->used >= live->capacity / 4 * 3 && !grow(live))
		return NULL;
	struct live_process *process = probe(live, pid);
	if (!process->used) {
		*process = (struct live_process){.pid = pid, .used = true};
		live->used++;
	}
	return process;
}

static void change(struct live *live, struct live_process *process)
{
	process->changed = true;
	process->since = live->now;
}

bool live_map(struct live *live, const struct map_event *event, struct bc_error *err)
{
	uint64_t start = event->start.v, end = start + event->size;
	struct region region = {
		.start = start, .end = end, .offset = event->offset.v,
		.flags = event->executable ? REGION_READ | REGION_EXEC : REGION_READ,
	};
	struct text id = {(const char *)event->build_id.data, event->build_id.size};

	if (end <= start || event->offset.v > UINT64_MAX - event->size)
		return true;
	struct live_process *process = obtain(live, event->pid);
	if (!process || !strings_intern(live->strings, event->path, &region.path) ||
	    !strings_intern(live->strings, id, &region.build_id) ||
	    !maps_put(&process->maps, &region))
		return bc_fail_nomem(err);
	change(live, process);
	return true;
}

bool live_exec(struct live *live, uint32_t pid, struct bc_error *err)
{
	struct live_process *process = obtain(live, pid);

	if (!process)
		return bc_fail_nomem(err);
	maps_free(&process->maps);
	change(live, process);
	return true;
}

bool live_fork(struct live *live, uint32_t parent, uint32_t child, struct bc_error *err)
{
	if (parent == child)
		return true;
	struct live_process *new = obtain(live, child);
	if (!new)
		return bc_fail_nomem(err);
	maps_free(&new->maps);
	change(live, new);
	const struct live_process *old = live_find(live, parent);
	return !old || maps_copy(&new->maps, &old->maps) || bc_fail_nomem(err);
}

bool live_locate(struct live_process *process, struct run_addr at, const struct region **out)
{
	if (!process->maps.starts && !maps_index(&process->maps))
		return false;
	*out = maps_find(&process->maps, at);
	return true;
}
