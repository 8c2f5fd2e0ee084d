/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The whole maps of the processes of a recording, kept up to date by its events, and
 * snapshots of them.
 */
#ifndef SAMPLES_HISTORY_H
#define SAMPLES_HISTORY_H

#include "src/samples/snapshots.h"
#include "src/samples/processes.h"
#include "src/samples/perf_data/perf_features.h"

struct history_process {
	struct process process;
	uint64_t since;     /* ns: of the last change */
	uint32_t snapshots; /* that were made of it */
	bool changed;       /* since the last one */
};

/* Zeroed except for `files` means empty.  The flags of a mapping are MAPPING_... (maps.h).  The
 * process NO_PID has the modules of the kernel. */
struct history {
	struct mapped_files *files; /* borrowed */
	struct processes processes;
	struct processes before; /* those of the recording before, until this one has reported a
	time */
	uint64_t now;            /* ns: time of the events that come */
};

void history_free(struct history *history);

/* What follows is of another recording, unless EVENT_CONTINUES comes. */
void history_forget(struct history *history);

/* Take any event: its time, and what it says of processes.  Mappings that do not end above
 * their beginning are left out; those of one that has ended are of a new process.  BC_NOMEM */
BC_MUST_USE bool history_event(struct history *history, const struct event *event,
			       struct bc_error *err);

/* The process of a pid, or NULL. */
struct process *history_process(const struct history *history, uint32_t pid);

/* The mapping of the module that holds an address, or NULL. */
const struct mapping *history_module(const struct history *history, uint64_t at);

/* Add a snapshot of a process if its maps have changed since the last one, and there are any.
 * Its files are those of the history.  Errors of snapshots_add(). */
BC_MUST_USE bool history_snapshot(struct process *process, struct snapshots *out,
				  struct bc_error *err);

/* The same of all processes, by pid. */
BC_MUST_USE bool history_snapshot_all(const struct history *history, struct snapshots *out,
				      struct bc_error *err);

/*
 * The processes that a recording hands on to the next one, if that is a later part of the same
 * recording and has a history of its own.
 */

/* Zeroed means that no recording came before. */
struct carried {
	struct recordings recordings; /* for the reader */
	bool new_recording;           /* likewise: the next one continues from none */
	struct mapped_files files;    /* of the processes */
	struct processes processes;
};

void carried_free(struct carried *carried);

/* When a recording was read: keep its processes.  BC_NOMEM */
BC_MUST_USE bool carried_keep(struct carried *carried, const struct history *history,
			      struct bc_error *err);

/* At EVENT_CONTINUES, before the history takes it: they are those of the recording before. BC_NOMEM
 */
BC_MUST_USE bool carried_give(const struct carried *carried, struct history *history,
			      struct bc_error *err);

#endif
