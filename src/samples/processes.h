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

struct process {
	uint32_t pid;
	uint32_t threads;     /* that live, without the first one */
	struct map_set *maps; /* shared with others after a fork */
	/* What the owner of the table knows of it. */
	union {
		struct {
			uint64_t base;  /* of the binary's mapping that came last */
			uint64_t since; /* ns: that it runs this program, as the recording tells; or
					   0 */
			uint32_t
				snapshot; /* that it has from outside, by its number from 1; or 0 */
			bool given;       /* the binary's mapping is of that (image_given.h) */
			bool follows; /* all of it, of the one that is of the time of a sample */
			bool begun;   /* the recording tells how this program began */
			bool mapped;  /* it mapped the binary since it began or exec'd */
			bool maps_forgotten; /* it mapped something else before that */
		} image;                     /* image_space.h */
		struct {
			uint64_t since;     /* ns: of the last change */
			uint32_t snapshots; /* that were made of it */
			bool changed;       /* since the last one */
		} history;                  /* history.h */
		struct {
			uint64_t told; /* ns: when something was told of it last */
			uint32_t user; /* who runs it, by the number of its share */
			bool cut;      /* it has mappings for which there was no room */
			bool sampled;  /* its program had a sample */
			bool deep; /* a stack of 32 branches was of these mappings, which all files
				      of them know */
		} recorded;        /* record/recorder.c */
	};
	bool used;        /* false: it was moved to another table, see processes_adopt() */
	bool first_ended; /* its first thread has ended */
};

DEFINE_VEC(process_vec, struct process);

/* Zeroed means empty. */
struct processes {
	struct process_vec all;
	struct map by_pid; /* indices of them */
};

void processes_free(struct processes *processes);

/* The process of a pid, or NULL.  Valid until the next obtain() or fork(). */
struct process *processes_find(const struct processes *processes, uint32_t pid);

/* The same, a new one if there is none.  NULL: out of memory. */
struct process *processes_obtain(struct processes *processes, uint32_t pid);

/* Nothing is mapped any more, and one thread is there.  Leaves the owner's part. */
void process_begin(struct process *process);

/* All its threads have ended.  What it had mapped can still be looked up, for samples that
 * come late; a mapping is of a new process with that pid. */
bool process_has_ended(const struct process *process);

/* parent != pid: a process that has what its parent has mapped, *child; one that is known
 * already begins anew.  *parent is the old one, or NULL.  parent == pid: a new thread, and
 * *child is NULL, unless the process had ended: then it begins anew.  False when out of
 * memory. */
BC_MUST_USE bool processes_fork(struct processes *processes, const struct task_event *task,
				struct process **child, const struct process **parent);

/* Add all processes of `before` that are not among these, or of which `told` says that nothing is
 * known of their mappings.  Those known in both stay in `before`, and the others are gone from
 * there.  False when out of memory: both can be freed. */
BC_MUST_USE bool processes_adopt(struct processes *processes, struct processes *before,
				 bool (*told)(const struct process *process));

/* Forget all for which `gone` says so.  Pointers to processes are not valid any more. */
void processes_forget(struct processes *processes,
		      bool (*gone)(const struct process *process, uint64_t how), uint64_t how);

/* A thread ended; with the last one the process. */
void processes_exit(struct processes *processes, const struct task_event *task);

#endif
