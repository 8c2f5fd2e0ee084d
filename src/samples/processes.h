/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processes of a recording and what was mapped where in them, at the moment up to
 * which events were given.  perf does not record munmap: what was unmapped stays until
 * something is mapped over it.
 *
 * Which mappings are kept, and what a file number means, is for the owner of the table:
 * image_space.h keeps what a conversion needs, history.h all.
 */
#ifndef SAMPLES_PROCESSES_H
#define SAMPLES_PROCESSES_H

#include "src/samples/map_set.h"
#include "src/base/map.h"
#include "src/samples/event.h"

/* Addresses from here on are the kernel's. */
#define USER_END (UINT64_C(1) << 63)

/* What the owner of the table knows of a process follows it, in a struct of the owner's that
 * begins with this one; of a new process it is zeroed. */
struct process {
	uint32_t pid;
	uint32_t threads;     /* that live, without the first one */
	struct map_set *maps; /* shared with others after a fork */
	bool first_ended;     /* its first thread has ended */
};

DEFINE_VEC(process_vec, struct process *);

/* Zeroed means empty. */
struct processes {
	struct process_vec all;
	struct map by_pid; /* indices of them */
};

struct process_owner {
	size_t size; /* of the owner's struct of a process */

	/* A process begins: EVENT_EXEC, EVENT_FORK, or any event of a pid whose process had ended.
	 * parent  NULL, or whose mappings it has now: it forked */
	void (*begin)(void *ctx, struct process *process, const struct process *parent,
		      const struct event *event);

	bool (*map)(void *ctx, const struct event *event, struct bc_error *err);

	/* EVENT_CONTINUES, which calls processes_adopt(); NULL if none comes. */
	bool (*go_on)(void *ctx, const struct event *event, struct bc_error *err);
};

void processes_free(struct processes *processes);

/* Take any event: what it says of processes.  A thread of a process that is not known makes it
 * known.  Errors of the owner; BC_NOMEM */
BC_MUST_USE bool processes_event(struct processes *processes, const struct process_owner *owner,
				 void *ctx, const struct event *event, struct bc_error *err);

/* The process of a pid, or NULL. */
struct process *processes_find(const struct processes *processes, uint32_t pid);

/* The same, a new one if there is none.  NULL: out of memory. */
struct process *processes_obtain(struct processes *processes, const struct process_owner *owner,
				 uint32_t pid);

/* The process that EVENT_MAP is of: one that has ended begins.  NULL: out of memory. */
struct process *processes_mapped(struct processes *processes, const struct process_owner *owner,
				 void *ctx, const struct event *event);

/* Nothing is mapped any more, and one thread is there; then the owner's begin(). */
void process_begin(struct process *process, const struct process_owner *owner, void *ctx,
		   const struct event *event);

/* All its threads have ended.  What it had mapped can still be looked up, for samples that
 * come late; a mapping is of a new process with that pid. */
bool process_has_ended(const struct process *process);

/* Add all processes of `before` that are not among these, or of which `told` says that nothing is
 * known of their mappings.  Those known in both stay in `before`, and the others are NULL there.
 * False when out of memory: both can be freed. */
BC_MUST_USE bool processes_adopt(struct processes *processes, struct processes *before,
				 bool (*told)(const struct process *process));

/* Forget all for which `gone` says so. */
void processes_forget(struct processes *processes,
		      bool (*gone)(const struct process *process, uint64_t how), uint64_t how);

#endif
