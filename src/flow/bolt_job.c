/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/bolt_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/text.h"
#include "src/flow/bolt_program.h"
#include "src/profile/fdata.h"

/* ---- a folder that only this user can enter, for files that pass between this program and
 * llvm-bolt ---- */

extern char **environ;

/* The first names in it are known at once, as the handler of a signal removes them. */
enum { PRIVATE_PROFILE, PRIVATE_BINARY, PRIVATE_LOG, PRIVATE_FILES };

static char private_folder[PATH_MAX];
static char private_files[PRIVATE_FILES][PATH_MAX + 16];
static volatile sig_atomic_t
	made; /* private_folder and private_files are the paths of what is there */
static volatile sig_atomic_t child; /* 0: none runs */

static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

/* One at a time.  In $TMPDIR, else in /tmp.  BC_IO */
static bool private_folder_make(struct bc_error *err)
{
	static const char *const names[PRIVATE_FILES] = {"profile.fdata", "bolted", "log"};
	const char *given = getenv("TMPDIR"), *in = given && *given ? given : "/tmp";
	sigset_t before;

	if (snprintf(private_folder, sizeof(private_folder), "%s/batconv.XXXXXX", in) >=
	    (int)sizeof(private_folder))
		return bc_fail(err, BC_IO, "%s: too long a path for temporary files", in);
	hold_signals(&before);
	made = mkdtemp(private_folder) != NULL;
	int sys = errno;
	for (size_t i = 0; made && i < PRIVATE_FILES; i++)
		snprintf(private_files[i], sizeof(private_files[i]), "%s/%s", private_folder,
			 names[i]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = sys;
	return made ||
	       bc_fail_errno(err, "%s: cannot make a folder for temporary files there (TMPDIR)",
			     in);
}

/* Also of files that the other program made of its own accord. */
static void remove_all(void)
{
	DIR *open = opendir(private_folder);

	for (const struct dirent *entry; open && (entry = readdir(open));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(open), entry->d_name, 0);
	if (open)
		closedir(open);
}

static void private_folder_remove(void)
{
	if (!made)
		return;
	remove_all();
	(void)rmdir(private_folder);
	made = 0;
}

void bolt_job_abandon(void)
{
	if (child) {
		kill((pid_t)child, SIGKILL);
		(void)waitpid((pid_t)child, NULL, 0);
	}
	for (size_t i = 0; made && i < PRIVATE_FILES; i++)
		(void)unlink(private_files[i]);
	if (made)
		(void)rmdir(private_folder);
}

/* Starts the program with the signals as they were before this one held them, and none ignored that
 * this one ignores. */
static int spawn(const char *program, char *const *words, const sigset_t *mask, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t ignored;

	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	int sys = posix_spawn_file_actions_init(&actions);
	if (sys)
		return sys;
	sys = posix_spawnattr_init(&attributes);
	if (!sys) {
		sys = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
						       O_RDONLY, 0);
		if (!sys)
			sys = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
							       private_files[PRIVATE_LOG],
							       O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (!sys)
			sys = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO,
							       STDERR_FILENO);
		(void)posix_spawnattr_setsigmask(&attributes, mask);
		(void)posix_spawnattr_setsigdefault(&attributes, &ignored);
		(void)posix_spawnattr_setflags(&attributes,
					       POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		if (!sys)
			sys = posix_spawn(pid, program, &actions, &attributes, words, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return sys;
}

/* The last line that is not empty, of what fits into `line`. */
static struct text last_line(char *line, size_t size)
{
	FILE *log = fopen(private_files[PRIVATE_LOG], "re");

	if (!log)
		return (struct text){line, 0};
	if (fseek(log, -(long)size, SEEK_END))
		rewind(log);
	struct text rest = {line, fread(line, 1, size, log)};
	fclose(log);
	while (rest.len && strchr("\n\r ", rest.at[rest.len - 1]))
		rest.len--;
	for (size_t at = rest.len; at--;)
		if (rest.at[at] == '\n')
			return text_from(rest, at + 1);
	return rest;
}

static bool wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got == pid;
}

/* Runs a program with its standard output and error in PRIVATE_LOG, and waits for its end.  BC_IO:
 * it cannot be run, or fails; the text has the last line that it printed. */
static bool private_folder_run(const char *program, char *const *words, struct bc_error *err)
{
	sigset_t before;
	char line[400];
	int status = 0;
	pid_t pid;

	hold_signals(&before);
	int sys = spawn(program, words, &before, &pid);
	if (!sys)
		child = (sig_atomic_t)pid;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (sys)
		return bc_fail(err, BC_IO, "%s: cannot be run: %s", program, strerror(sys));
	bool ended = wait_for(pid, &status);
	child = 0;
	if (ended && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	struct text why = last_line(line, sizeof(line));
	return bc_fail(err, BC_IO, "%s: ended with %s %d%s%.*s", program,
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		       why.len ? ": " : "", (int)why.len, why.at);
}

/* ---- the job ---- */

static bool write_names(const struct profile *profile, struct bc_error *err)
{
	struct output output;

	if (!output_open(private_files[PRIVATE_PROFILE], &output, err))
		return false;
	fdata_write_names(profile, output.file);
	return output_commit(&output, err);
}

static bool run(const struct bolt_job *job, const char *used, struct bc_error *err)
{
	char program[PATH_MAX + 2], bolt[] = "llvm-bolt", o[] = "-o", bat[] = "-enable-bat",
				    lite[] = "-lite", all[] = "-lite=0", data[] = "-data",
				    strict[] = "-strict";
	bool chosen =
		(job->profile || job->data) && !job->strict; /* llvm-bolt takes -lite or -strict */
	char *words[12];
	size_t count = 0;

	if (chosen && !job->data && !write_names(job->profile, err))
		return false;
	/* What begins with a dash is no option. */
	if (snprintf(program, sizeof(program), "%s%s", *job->program == '-' ? "./" : "",
		     job->program) >= (int)sizeof(program))
		return bc_fail(err, BC_IO, "%s: too long a path", job->program);
	words[count++] = bolt;
	words[count++] = program;
	words[count++] = o;
	words[count++] = private_files[PRIVATE_BINARY];
	words[count++] = bat;
	words[count++] = chosen ? lite : all;
	if (chosen) {
		words[count++] = data;
		words[count++] = (char *)(job->data ? job->data : private_files[PRIVATE_PROFILE]);
	}
	if (job->strict)
		words[count++] = strict;
	words[count] = NULL;
	return private_folder_run(used, words, err);
}

bool bolt_job_run(const struct bolt_job *job, const struct binary *binary, struct hash_source *out,
		  struct bc_error *err)
{
	struct bolt_program used;

	*out = (struct hash_source){0};
	bool ok = bolt_program_find(job->llvm_bolt, BOLT_WRITES_HASHES, &used, err) &&
		  private_folder_make(err) && run(job, used.path, err) &&
		  (hash_source_open(private_files[PRIVATE_BINARY], binary, job->program, NULL, out,
				    err) ||
		   bc_fail_prefix(err, used.path));
	private_folder_remove(); /* what was mapped stays so */
	return ok;
}
