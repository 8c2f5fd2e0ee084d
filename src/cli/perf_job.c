/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf_job.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool fail_to_run(int sys, struct bc_error *err)
{
	return bc_fail(err, BC_IO, "perf: cannot be run: %s", strerror(sys));
}

static int spawn(char *const *words, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;

	int sys = posix_spawn_file_actions_init(&actions);
	if (sys)
		return sys;
	sys = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!sys)
		sys = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return sys;
}

bool perf_job_start(const char *recording, const char *itrace, bool basic, struct perf_job *out,
		    struct bc_error *err)
{
	char option[512];
	int ends[2];

	if (snprintf(option, sizeof(option), "--itrace=%s", itrace) >= (int)sizeof(option))
		return bc_fail(err, BC_UNSUPPORTED, "--itrace: longer than %zu bytes", sizeof(option));
	char *words[] = {"perf", "script", "--show-mmap-events", "--show-task-events", "-F",
			 basic ? "pid,event,ip" : "pid,ip,brstack", option, "-f", "-i",
			 (char *)recording, NULL};
	if (pipe(ends))
		return fail_to_run(errno, err);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	int sys = spawn(words, ends[1], &out->pid);
	close(ends[1]);
	if (sys) {
		close(ends[0]);
		return fail_to_run(sys, err);
	}
	out->out = ends[0];
	snprintf(out->path, sizeof(out->path), "/dev/fd/%d", out->out);
	return true;
}

bool perf_job_finish(struct perf_job *job, bool *failed, struct bc_error *err)
{
	int status = 0;

	close(job->out);
	while (waitpid(job->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_to_run(errno, err);
	*failed = WIFEXITED(status) && WEXITSTATUS(status);
	if (WIFEXITED(status) && !*failed)
		return true;
	return bc_fail(err, BC_IO, "perf script: ended with %s %d",
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
