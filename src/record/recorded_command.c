/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* pipe2(), ppoll() */
#include "src/record/recorded_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/say.h"

/* ---- signals ---- */

#define SAME_END UINT64_C(100000000) /* ns: timeout(1) sends its signal twice */

static const int taken_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};

static struct live_signals seen;

/* What a signal did before it was taken. */
static struct {
	bool taken;
	sigset_t mask;
	struct sigaction actions[BC_COUNT(taken_signals)];
} before;

static volatile sig_atomic_t
	is_last; /* while the rest is written; else signals only come where the loop waits */
static sigset_t last_blocked;
static volatile uint64_t end_asked; /* ns of CLOCK_MONOTONIC: when the last one asked for the end */
static char lost_by_signal[96];     /* what is said then; empty: nothing is */

/* As it ends any other command: what is half written is removed. */
static void end_by_signal(int number)
{
	if (*lost_by_signal)
		say_error_in_handler(lost_by_signal, "");
	for (size_t i = 0; i < BC_COUNT(taken_signals); i++)
		if (taken_signals[i] == number)
			sigaction(number, &before.actions[i], NULL);
	raise(number);
}

static void ask_for_end(int number)
{
	uint64_t now = live_clock();

	if (seen.end && now - end_asked < SAME_END)
		return;
	end_asked = now;
	seen.end++;
	if (!is_last)
		return;
	if (seen.end > 1)
		end_by_signal(number);
	else if (*lost_by_signal)
		say_note_in_handler(
			"what was counted is being written: another signal ends that, too");
}

static void on_signal(int number)
{
	if (number == SIGHUP)
		seen.rotate++;
	else if (number == SIGUSR1)
		seen.tell++;
	else if (number != SIGCHLD)
		ask_for_end(number);
}

void record_signals_take(void)
{
	const struct sigaction action = {.sa_handler = on_signal,
					 .sa_flags = SA_RESTART}; /* waiting ends all the same */
	sigset_t all;

	sigemptyset(&all);
	for (size_t i = 0; i < BC_COUNT(taken_signals); i++) {
		sigaddset(&all, taken_signals[i]);
		sigaction(taken_signals[i], NULL, &before.actions[i]);
		if (taken_signals[i] == SIGCHLD || before.actions[i].sa_handler != SIG_IGN)
			sigaction(taken_signals[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &all, &before.mask);
	before.taken = true;
}

const sigset_t *record_signals_mask(void)
{
	return &before.mask;
}

const struct live_signals *record_signals_seen(void)
{
	return &seen;
}

void record_signals_begin_last(const char *lost)
{
	if (!before.taken)
		return;
	snprintf(lost_by_signal, sizeof(lost_by_signal), "%s", lost);
	/* Those that wait are delivered here, and ask for the same end. */
	sigprocmask(SIG_SETMASK, &before.mask, &last_blocked);
	seen.end = seen.end > 0;
	is_last = true;
}

void record_signals_end_last(void)
{
	if (!before.taken)
		return;
	sigprocmask(SIG_SETMASK, &last_blocked, NULL);
	is_last = false;
}

void record_signals_give_back(void)
{
	if (!before.taken)
		return;
	sigprocmask(SIG_SETMASK, &before.mask, NULL);
	for (size_t i = 0; i < BC_COUNT(taken_signals); i++)
		sigaction(taken_signals[i], &before.actions[i], NULL);
}

/* ---- the command ---- */

/* What runs in the child until it becomes the command. */
const char *recorded_command_file(const char *name, char found[PATH_MAX])
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? name : NULL;
	for (struct text rest = text_of(path ? path : ""); rest.len;) {
		size_t colon = text_find(rest, ':');
		if (snprintf(found, PATH_MAX, "%.*s/%s", (int)colon, rest.at, name) < PATH_MAX &&
		    access(found, X_OK) == 0)
			return found;
		rest = text_behind(rest, colon);
	}
	return NULL;
}

static void become(char **words, int go, int failed, const sigset_t *mask)
{
	char byte;

	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(127); /* it is not to run after all */
	execvp(words[0], words);
	int why = errno;
	(void)!write(failed, &why, sizeof(why));
	_exit(why == ENOENT ? 127 : 126);
}

bool recorded_command_start(const char *const *words, size_t count, const sigset_t *mask,
			    struct recorded_command *out, struct bc_error *err)
{
	char **copy = calloc(count + 1, sizeof(*copy));
	int go[2], failed[2];

	*out = (struct recorded_command){.go = -1, .failed = -1};
	if (!copy)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < count; i++)
		copy[i] = (char *)words[i];
	bool ok = pipe2(go, O_CLOEXEC) == 0 && pipe2(failed, O_CLOEXEC) == 0;
	if (ok) {
		out->pid = fork();
		if (!out->pid) {
			close(go[1]);
			become(copy, go[0], failed[1], mask);
		}
		close(go[0]);
		close(failed[1]);
		out->go = go[1];
		out->failed = failed[0];
	}
	free(copy);
	if (ok && out->pid > 0)
		return true;
	out->pid = 0;
	return bc_fail_errno(err, "%s: cannot be started", words[0]);
}

/* The pipe is closed when the exec succeeds. */
int recorded_command_let_go(struct recorded_command *command)
{
	int why = 0;
	ssize_t done;

	do
		done = write(command->go, "x", 1);
	while (done < 0 && errno == EINTR);
	if (done != 1) { /* it waits still, and ends when nobody can inform it any more */
		why = errno;
		close(command->go);
		command->go = -1;
		return why;
	}
	do
		done = read(command->failed, &why, sizeof(why));
	while (done < 0 && errno == EINTR);
	return done == (ssize_t)sizeof(why) ? why : 0;
}

bool recorded_command_has_ended(struct recorded_command *command)
{
	if (command->pid && !command->ended)
		command->ended = waitpid(command->pid, &command->status, WNOHANG) != 0;
	return command->ended;
}

void recorded_command_wait(struct recorded_command *command, bool stop)
{
	const struct timespec pause = {.tv_nsec =
					       200000000}; /* at most: its end is a signal, too */

	if (!command->pid)
		return;
	if (command->go >= 0)
		close(command->go); /* if it waits still, it is not to run */
	command->go = -1;
	while (!recorded_command_has_ended(command) && seen.end < 2) {
		if ((stop || seen.end) && !command->stopped)
			command->stopped = kill(command->pid, SIGTERM) == 0;
		ppoll(NULL, 0, &pause, &before.mask);
	}
}

int recorded_command_code(const struct recorded_command *command)
{
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status) :
					      WEXITSTATUS(command->status);
}
