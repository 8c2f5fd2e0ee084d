/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The command that a recording runs, and the signals of a recording: SIGINT, SIGTERM, SIGHUP and
 * SIGUSR1, and SIGCHLD, by which the loop learns that the command has ended.  Both are of this
 * process, so that there is one of each.
 */
#ifndef RECORD_RECORDED_COMMAND_H
#define RECORD_RECORDED_COMMAND_H

#include <limits.h>
#include <signal.h>

#include "src/base/attr.h"
#include "src/base/error.h"
#include "src/record/live.h"

struct recorded_command {
	pid_t pid;      /* 0: none */
	int go, failed; /* ends of pipes: to let the command go; it shows errno of its exec; go -1:
			   it went */
	int status;     /* when it has ended */
	bool ended, stopped; /* stopped: by this program */
};

/* The file that a command of this name runs, found by $PATH; NULL: there is none. */
const char *recorded_command_file(const char *name, char found[PATH_MAX]);

/* Starts a child that waits until it is let go, and then becomes the command.  mask: the signals
 * that are blocked in it.  BC_IO, BC_NOMEM */
BC_MUST_USE bool recorded_command_start(const char *const *words, size_t count,
					const sigset_t *mask, struct recorded_command *out,
					struct bc_error *err);

/* Returns 0 when it runs, or the errno of its exec. */
int recorded_command_let_go(struct recorded_command *command);

bool recorded_command_has_ended(struct recorded_command *command);

/* Waits for its end.  stop, or a signal to end: ends it first, as perf record does.  A second such
 * signal ends the waiting. */
void recorded_command_wait(struct recorded_command *command, bool stop);

/* When it has ended: its exit code, or 128 and the signal that ended it. */
int recorded_command_code(const struct recorded_command *command);

/* Take the signals: from now on they come while the loop waits, and are noted. */
void record_signals_take(void);

/* What they did before, and what is let through while the loop waits; all are let through where
 * they were not taken. */
const sigset_t *record_signals_mask(void);
const struct live_signals *record_signals_seen(void);

/* The last time that counts are written, a second signal to end ends this program, if it does not
 * come at once after the first: as it ends any other, and says `lost`; empty: it says nothing.
 * Digests of large binaries take seconds, and whoever reads a FIFO may never come. */
void record_signals_begin_last(const char *lost);
void record_signals_end_last(void);

/* Those that came meanwhile are past; from now on they end this program as any other. */
void record_signals_give_back(void);

#endif
