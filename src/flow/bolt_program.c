/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem() */
#include "src/flow/bolt_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_RELEASE 60    /* that is looked for: some are to come */
#define PRINTED_MOST 16384 /* bytes of what --version prints */
#define ANSWER_MS    60000 /* it may take so long */

unsigned bolt_release_with(enum bolt_feature feature)
{
	switch (feature) {
	case BOLT_READS_PROFILES: return 14;
	case BOLT_CDSORT: return 18;
	case BOLT_WRITES_HASHES: return 19;
	}
	return LAST_RELEASE;
}

/* ---- where it is ---- */

static const char *called = "batconv";

void bolt_called_as(const char *path)
{
	called = path;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool try_path(char path[PATH_MAX], struct text folder, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)folder.len, folder.at, name);

	return length > 0 && length < PATH_MAX && is_program(path);
}

static struct text folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? text_of("/") :
			       (struct text){path, slash ? (size_t)(slash - path) : 0};
}

/* The first folder of PATH with this program, from `*rest` on, which is moved on.  Relative ones
 * are left out: what is in the present folder is not run. */
static bool next_in_path(struct text *rest, const char *name, char path[PATH_MAX])
{
	while (rest->len) {
		struct text folder = text_first(*rest, text_find(*rest, ':'));
		*rest = text_from(*rest, folder.len + (folder.len < rest->len));
		if (folder.len && *folder.at == '/' && try_path(path, folder, name))
			return true;
	}
	return false;
}

static struct text search_path(void)
{
	const char *path = getenv("PATH");

	return text_of(path ? path : "");
}

/* llvm-bolt, or llvm-bolt-22 next to a perf2bolt-22. */
static bool find_beside(char path[PATH_MAX])
{
	char self[PATH_MAX], name[64];
	const char *slash = strrchr(called, '/'), *dash = strrchr(called, '-');
	struct text rest = search_path();
	struct text folder = slash ? folder_of(called) : (struct text){NULL, 0};

	if (!slash && next_in_path(&rest, called, self))
		folder = folder_of(self);
	if (!folder.len)
		return false;
	bool versioned = dash && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1) &&
			 strlen(dash) < 8;
	snprintf(name, sizeof(name), "llvm-bolt%s", versioned ? dash : "");
	return try_path(path, folder, name) || try_path(path, folder, "llvm-bolt");
}

static bool find_in_path(unsigned first, char path[PATH_MAX])
{
	struct text all = search_path(), rest = all;
	char name[32];

	if (next_in_path(&rest, "llvm-bolt", path))
		return true;
	for (unsigned release = LAST_RELEASE; release >= first; release--) {
		snprintf(name, sizeof(name), "llvm-bolt-%u", release);
		rest = all;
		if (next_in_path(&rest, name, path))
			return true;
	}
	return false;
}

static bool find_debian(unsigned first, char path[PATH_MAX])
{
	for (unsigned release = LAST_RELEASE; release >= first; release--) {
		snprintf(path, PATH_MAX, "/usr/lib/llvm-%u/bin/llvm-bolt", release);
		if (is_program(path))
			return true;
	}
	return false;
}

bool bolt_program_find(const char *given, enum bolt_feature feature, struct bolt_program *out,
		       struct bc_error *err)
{
	const char *variable = getenv("LLVM_BOLT");
	const char *named = given ? given : variable && *variable ? variable : NULL;
	unsigned first = bolt_release_with(feature);

	*out = (struct bolt_program){0};
	if (!named)
		return find_beside(out->path) || find_in_path(first, out->path) ||
		       find_debian(first, out->path) ||
		       bc_fail(err, BC_NOTFOUND, "no llvm-bolt was found") ||
		       bc_hint(err, "name it with --llvm-bolt=PATH or $LLVM_BOLT");
	if (strlen(named) >= PATH_MAX || !is_program(named))
		return bc_fail(err, BC_NOTFOUND, "%s: is no program (%s)", named,
			       given ? "--llvm-bolt" : "$LLVM_BOLT");
	memcpy(out->path, named, strlen(named) + 1);
	return true;
}

/* ---- what it says of itself ---- */

extern char **environ;

/* Starts it with its output in a pipe.  0, or errno. */
static int start(const char *program, pid_t *pid, int *output)
{
	char name[] = "llvm-bolt", version[] = "--version";
	char *const words[] = {name, version, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];

	if (pipe(ends) < 0)
		return errno;
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	int sys = posix_spawn_file_actions_init(&actions);
	if (!sys) {
		sys = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
						       O_RDONLY, 0);
		if (!sys)
			sys = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (!sys)
			sys = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
		if (!sys)
			sys = posix_spawn_file_actions_addclose(&actions, ends[1]);
		if (!sys)
			sys = posix_spawn(pid, program, &actions, NULL, words, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	*output = ends[0];
	if (sys)
		close(ends[0]);
	return sys;
}

/* What is printed until the end, or until `size` bytes.  False: nothing comes for too long. */
static bool read_printed(int output, char *printed, size_t size, size_t *length)
{
	for (*length = 0; *length < size;) {
		struct pollfd polled = {output, POLLIN, 0};
		int ready = poll(&polled, 1, ANSWER_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		ssize_t got = ready > 0 ? read(output, printed + *length, size - *length) : -1;
		if (got < 0)
			return false;
		if (!got)
			break;
		*length += (size_t)got;
	}
	return true;
}

/* The text after `before` up to the first byte that is not among `letters`. */
static struct text value_after(struct text in, const char *before, const char *letters)
{
	const char *at = memmem(in.at, in.len, before, strlen(before));
	struct text rest = {in.at, 0};

	if (at)
		rest = text_from(in, (size_t)(at - in.at) + strlen(before));
	size_t length = 0;
	while (length < rest.len && strchr(letters, rest.at[length]) && rest.at[length])
		length++;
	return text_first(rest, length);
}

bool bolt_program_read_version(struct text printed, struct bolt_program *program)
{
	struct text version =
		value_after(printed, "LLVM version ", "0123456789abcdefghijklmnopqrstuvwxyz.+-_");
	struct text line, first = text_first(version, text_find(version, '.'));
	uint64_t release;

	if (!memmem(printed.at, printed.len, "BOLT", 4) || !text_dec(first, &release) ||
	    release > 9999 || version.len >= sizeof(program->version))
		return false;
	program->release = (unsigned)release;
	snprintf(program->version, sizeof(program->version), "%.*s", (int)version.len, version.at);
	for (struct text rest = printed; text_line(&rest, &line);) {
		struct text target = text_word(&line);
		program->x86_64 |= text_is(target, "x86-64");
		program->aarch64 |= text_is(target, "aarch64");
		program->riscv64 |= text_is(target, "riscv64");
	}
	return true;
}

bool bolt_program_ask(struct bolt_program *program, struct bc_error *err)
{
	char printed[PRINTED_MOST];
	size_t length;
	int output, status = 0;
	pid_t pid;

	int sys = start(program->path, &pid, &output);
	if (sys)
		return bc_fail(err, BC_IO, "%s: cannot be run: %s", program->path, strerror(sys));
	bool ended = read_printed(output, printed, sizeof(printed), &length);
	close(output);
	if (!ended || length == sizeof(printed))
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		return bc_fail(err, BC_IO, "%s --version: does not end", program->path);
	if (bolt_program_read_version((struct text){printed, length}, program))
		return true;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: is no llvm-bolt: --version names no release of BOLT",
			       program->path);
	return bc_fail(err, BC_IO, "%s --version: ended with %s %d", program->path,
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
