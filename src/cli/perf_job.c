/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf_job.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The name in a line of perf buildid-list, an id and a path, if the id is this one. */
static char *name_in(char *line, const char *id)
{
	char *blank = strchr(line, ' '), *slash = strrchr(line, '/');

	line[strcspn(line, "\n")] = '\0';
	if (!blank || (size_t)(blank - line) != strlen(id) || strncmp(line, id, strlen(id)) != 0)
		return NULL;
	return strdup(slash ? slash + 1 : blank + 1);
}

char *perf_job_name_of(const char *recording, const struct build_id *id)
{
	char *words[] = {"perf", "buildid-list", "-f", "-i", (char *)recording, NULL};
	char hex[2 * BUILD_ID_MAX + 1], *line = NULL, *name = NULL;
	int ends[2], ignored;
	size_t room = 0;
	pid_t pid;

	if (!id->size || pipe(ends))
		return NULL;
	build_id_format(id, hex);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	bool ok = !spawn(words, ends[1], &pid);
	close(ends[1]);
	FILE *list = fdopen(ends[0], "r");
	while (ok && list && getline(&line, &room, list) > 0)
		name = name ? name : name_in(line, hex);
	free(line);
	if (list)
		fclose(list);
	else
		close(ends[0]);
	while (ok && waitpid(pid, &ignored, 0) < 0 && errno == EINTR)
		;
	return name;
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
