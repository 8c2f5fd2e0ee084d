/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The maps of the processes of a recording, kept up to date by its events.
 * perf does not record munmap: what was unmapped stays until something is mapped
 * over it.
 */
#ifndef ADDRSPACE_LIVE_H
#define ADDRSPACE_LIVE_H

#include "src/event/event.h"
#include "src/addrspace/snapshots.h"

struct live_process {
	uint32_t pid;
	bool used;      /* the row holds a process */
	bool changed;   /* since the caller set it to false */
	uint64_t since; /* ns: of the last change */
	struct maps maps;
};

/* Zeroed means empty.  Strings are in a set of the caller's. */
struct live {
	struct strings *strings; /* borrowed */
	struct live_process *rows; /* hashed by pid */
	size_t capacity;         /* 0 or a power of two */
	size_t used;
	uint64_t now;            /* ns: time of the events that come */
};

void live_free(struct live *live);

/* The process of a pid, or NULL.  Valid until the next event. */
struct live_process *live_find(const struct live *live, uint32_t pid);

/* What events say; BC_NOMEM.  Mappings that do not end above their
 * beginning are left out. */
BC_MUST_USE bool live_map(struct live *live, const struct map_event *event, struct bc_error *err);
BC_MUST_USE bool live_exec(struct live *live, uint32_t pid, struct bc_error *err);
BC_MUST_USE bool live_fork(struct live *live, uint32_t parent, uint32_t child,
			   struct bc_error *err);

/* The region that holds an address in a process, or NULL.  The index is made when
 * it is needed; false when out of memory. */
BC_MUST_USE bool live_locate(struct live_process *process, struct run_addr at,
			     const struct region **out);

#endif
