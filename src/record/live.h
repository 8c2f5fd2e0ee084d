/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording while it continues, in two threads.  The loop waits for the rings and for signals,
 * copies what is in the rings, and switches samples off and on by the budget: nothing in it takes
 * long.  The thread that counts hands these bytes to the recorder, reads from /proc what was mapped
 * before and what was lost, reads digests of files, and has counts written.  All times are ns of
 * CLOCK_MONOTONIC, so that a clock that is set changes nothing.
 */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>

#include "src/record/budget.h"
#include "src/record/perf_open.h"
#include "src/record/recorder.h"

/* What a handler of signals notes. */
struct live_signals {
	volatile sig_atomic_t end;    /* how often it was asked to end */
	volatile sig_atomic_t rotate; /* hand over now */
	volatile sig_atomic_t tell;   /* show how it is */
};

struct live_recording {
	struct opened_rings rings;
	struct recorder *recorder;
	enum perf_target target;
	struct task_vec processes; /* PERF_TASKS, PERF_COMMAND: those that were named, or the
				      command's; grows */
	char cgroup[PATH_MAX];     /* PERF_CGROUP: its directory */
	const struct live_signals *signals;
	const sigset_t *mask;        /* while it waits */
	uint64_t duration, interval; /* 0: none */
	double share;       /* of a processor that may be spent; 0: no limit.  Needs rings that can
			       pause */
	uint64_t least;     /* files with so many samples are looked at */
	size_t kept_most;   /* bytes of the rings that wait for the thread that counts */
	uint64_t stop_time; /* ns: what is not written so long after the end is dropped */

	/* Who listens: flush() and tick() in the thread that counts, the others in the loop. */
	void *ctx;
	/* Hands over what was counted; now and then, and at the end.  *after: not all could be
	 * written, and stays counted.  False: stop with this error. */
	bool (*flush)(void *ctx, bool last, bool *behind, struct bc_error *err);
	/* About each second, and when a signal asks for it. */
	void (*tick)(void *ctx, bool asked);
	/* Has the command ended, or is there enough?  Where there is a command, the end of all that
	 * is recorded is not the end: the kernel takes the events off a program that may not be
	 * recorded, and it runs on. */
	bool (*ended)(void *ctx);
	/* Nothing comes any more, and files with so many samples are to be written until the
	 * deadline. */
	void (*last)(void *ctx, size_t files, uint64_t deadline);
	/* The deadline is over, and the thread that counts does not come back; this does not,
	 * either.  known: that thread writes a file (live_writes()), and what was counted and not
	 * written can be reported. */
	void (*give_up)(void *ctx, bool known);
	bool command; /* there is one */

	pthread_mutex_t counted; /* see live_writes() */

	/* Results, and how it is. */
	uint64_t began, now, sampled; /* how long samples were on */
	uint64_t next;                /* hand-over, 0: none */
	uint64_t cpu;                 /* processor time of this program, in ns */
	struct budget budget;
	uint64_t unreadable; /* processes whose maps may not be read */
	uint64_t blind; /* since then all that is recorded has ended, while the command ran; 0: it
			   had not */
	bool paused;
};

/* What could not be written is tried again after so many ns, then after twice the time, and so on
 * up to the most; at once when a signal asks for it, and at the end. */
#define LIVE_RETRY_FIRST UINT64_C(1000000000)
#define LIVE_RETRY_MOST  (60 * LIVE_RETRY_FIRST)

/* Opens the events of a request.  Its tasks are the processes that were named, of which all threads
 * and all children are recorded, or that of the command; `cgroup` is the name of a cgroup, and its
 * descriptor is not asked for.  Sets rings, target, processes and the directory of the cgroup;
 * they are to be closed also after an error.  BC_NOTFOUND: no such cgroup; and as perf_open() */
BC_MUST_USE bool live_open(struct live_recording *live, const struct perf_request *request,
			   const char *cgroup, struct bc_error *err);
void live_close(struct live_recording *live);

/* The event of the samples, for the recorder. */
struct bytes live_attr(const struct live_recording *live);

/* Writes the head of a file of saved rings: the event, the rings and this host (rings_file.h). */
void live_save_head(const struct live_recording *live, FILE *to);

/* Begins the events (a command's begin by themselves; the caller lets it go when `let_go` is
 * called), and returns when the duration is over, the command has ended (without one, all that is
 * recorded), ended() says so, or a signal asks for it; then all was handed over.
 *
 * BC_NOMEM, BC_FORMAT, and what `flush` says */
BC_MUST_USE bool live_run(struct live_recording *live, void (*let_go)(void *ctx),
			  struct bc_error *err);

/* To be called in flush() before and after a file is written: that can take any time, and
 * what was counted stays as it is meanwhile. */
void live_writes(struct live_recording *live, bool begins);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t live_clock(void);

#endif
