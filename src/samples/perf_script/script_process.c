/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_script/script_process.h"

#include "src/base/map.h"
#include "src/base/sort.h"

/* The most parts that are sorted, or looked at in addition to some for each address. */
#define WORK_MOST (UINT64_C(1) << 26)
#define WORK_ALWAYS 64

void script_processes_free(struct script_processes *processes)
{
	mapping_process_vec_free(&processes->all);
	map_free(&processes->by_pid);
	process_part_vec_free(&processes->parts);
	*processes = (struct script_processes){0};
}

DEFINE_FIELD_MAP(by_pid, struct mapping_process, pid);

static bool find_or_add(struct script_processes *processes, uint32_t pid, uint32_t *number)
{
	if (by_pid_find(&processes->by_pid, processes->all.at, pid, number))
		return true;
	if (!map_reserve(&processes->by_pid, 1) ||
	    !mapping_process_vec_push(&processes->all, (struct mapping_process){pid, 0}))
		return false;
	*number = (uint32_t)processes->all.len - 1;
	by_pid_put(&processes->by_pid, pid, *number);
	return true;
}

bool script_processes_map(struct script_processes *processes, const struct map_event *map)
{
	uint32_t number;

	if (map->pid == NO_PID || !map->size)
		return true;
	if (!find_or_add(processes, map->pid, &number))
		return false;
	processes->sorted = false;
	return process_part_vec_push(&processes->parts, (struct process_part){
		.start = map->start.v,
		.last = map->start.v + (map->size - 1),
		.path = hash_bytes(0, map->path.at, map->path.len),
		.begin = map->start.v - map->offset.v,
		.process = number,
		.program = processes->all.at[number].programs,
		.order = processes->parts.len,
	});
}

void script_processes_exec(struct script_processes *processes, uint32_t pid)
{
	uint32_t number;

	if (by_pid_find(&processes->by_pid, processes->all.at, pid, &number))
		processes->all.at[number].programs++;
}

static bool part_less(const struct process_part *a, const struct process_part *b)
{
	return a->start != b->start ? a->start < b->start : a->order < b->order;
}
DEFINE_SORT(sort_parts, struct process_part, part_less)
DEFINE_SEARCH(parts_from, struct process_part, uint64_t, item->start <= key)

static void sort(struct script_processes *processes)
{
	struct process_part_vec *parts = &processes->parts;
	uint64_t most = 0;

	sort_parts(parts->at, parts->len);
	for (size_t i = 0; i < parts->len; i++) {
		most = parts->at[i].last > most ? parts->at[i].last : most;
		parts->at[i].most_last = most;
	}
	processes->work += parts->len;
	processes->sorted = true;
}

/* The part that was mapped last of those that have an address, or NULL.  *differ: they are of different files. */
static const struct process_part *find_part(struct script_processes *processes, uint64_t address, bool *differ)
{
	const struct process_part_vec *parts = &processes->parts;
	const struct process_part *found = NULL;
	size_t looked = 0;

	*differ = false;
	for (size_t i = parts_from(parts->at, parts->len, address); i-- && parts->at[i].most_last >= address;) {
		const struct process_part *part = &parts->at[i];
		processes->work += looked++ >= WORK_ALWAYS;
		if (address > part->last || part->program != processes->all.at[part->process].programs)
			continue;
		*differ |= found && found->process != part->process &&
			   (found->path != part->path || found->begin != part->begin);
		if (!found || part->order > found->order)
			found = part;
	}
	return found;
}

struct search {
	const struct process_part *found;
	bool differed;
};

static void look_at(struct script_processes *processes, uint64_t address, struct search *search)
{
	bool differ;
	const struct process_part *part = address ? find_part(processes, address, &differ) : NULL;

	if (!part)
		return;
	if (differ)
		search->differed = true;
	else if (!search->found || part->order > search->found->order)
		search->found = part;
}

enum process_found script_processes_find(struct script_processes *processes, const struct sample *sample, uint32_t *pid)
{
	struct search search = {0};

	if (!processes->all.len)
		return PROCESS_NONE;
	*pid = processes->all.at[0].pid;
	if (processes->all.len == 1)
		return PROCESS_FOUND;
	if (processes->work > WORK_MOST)
		return PROCESS_WORK;
	if (!processes->sorted)
		sort(processes);
	look_at(processes, sample->ip.v, &search);
	for (size_t i = 0; i < sample->branch_count; i++) {
		look_at(processes, sample->branches[i].from, &search);
		look_at(processes, sample->branches[i].to, &search);
	}
	if (search.found)
		*pid = processes->all.at[search.found->process].pid;
	return search.found || !search.differed ? PROCESS_FOUND : PROCESS_SEVERAL;
}
