/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which process a sample is of, in text that names none (perf script --show-mmap-events
 * -F ip,brstack, as llvm-profgen asks for it): of the one that mapped what is at the addresses of
 * the sample.
 */
#ifndef SAMPLES_PERF_SCRIPT_SCRIPT_PROCESS_H
#define SAMPLES_PERF_SCRIPT_SCRIPT_PROCESS_H

#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/samples/event.h"

/* A process that mapped something. */
struct mapping_process {
	uint32_t pid;
	uint32_t programs; /* that it executed before */
};
DEFINE_VEC(mapping_process_vec, struct mapping_process);

/* A part of a file in a process: the addresses from `start` to `last`. */
struct process_part {
	uint64_t start, last;
	uint64_t most_last;   /* of all that are before in `parts`, and of itself */
	uint64_t path, begin; /* which file, and where its first byte would be */
	uint32_t process;     /* index */
	uint32_t program;     /* the number of the program that mapped it */
	uint64_t order;       /* in which it was mapped */
};
DEFINE_VEC(process_part_vec, struct process_part);

/* Zeroed means empty. */
struct script_processes {
	struct mapping_process_vec all;
	struct map by_pid; /* indices of them */
	struct process_part_vec parts;
	bool sorted;       /* by their starts */
	uint64_t work;
};

void script_processes_free(struct script_processes *processes);

/* Take what a record says.  Return false when out of memory. */
BC_MUST_USE bool script_processes_map(struct script_processes *processes, const struct map_event *map);
void script_processes_exec(struct script_processes *processes, uint32_t pid);

enum process_found {
	PROCESS_FOUND,
	PROCESS_NONE,    /* no process mapped anything */
	PROCESS_SEVERAL, /* at the only addresses that are mapped, processes have different files */
	PROCESS_WORK,    /* it takes too long to find out */
};

/* If one process mapped anything, every sample is of that.  Of several it is the one that was last to map
 * what is at an address of the sample: a child has all that its parent mapped before.  Addresses where
 * processes have different files do not count. */
enum process_found script_processes_find(struct script_processes *processes, const struct sample *sample, uint32_t *pid);

#endif
