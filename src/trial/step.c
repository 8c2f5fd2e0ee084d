/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* vasprintf() */
#include "src/trial/step.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/say.h"
#include "src/base/sort.h"
#include "src/base/text.h"

#define NO_LIMIT  1e9 /* seconds */
#define LOCK_FILE "lock"

/* ---- texts and lists ---- */

static const char *keep(struct step_job *job, char *text)
{
	if (text && argument_vec_push(&job->texts, text))
		return text;
	free(text);
	job->no_memory = true;
	return "";
}

const char *job_text(struct step_job *job, const char *fmt, ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	return keep(job, text);
}

const char *job_path(struct step_job *job, const char *path)
{
	return *path == '-' ? job_text(job, "./%s", path) : path;
}

void job_add_many(struct step_job *job, struct step_words *to, const char *const *words,
		  size_t count)
{
	for (size_t i = 0; i < count; i++)
		job->no_memory |= !step_words_push(to, words[i]);
}

void job_add_words(struct step_job *job, struct step_words *to, char *const *words)
{
	for (; *words; words++)
		job_add(job, to, job_text(job, "%s", *words));
}

/* ---- a command line for a shell ---- */

void print_shell_words(const char *const *words, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc(' ', out);
		print_shell_word(strcmp(words[i], STEP_SELF) != 0 ? words[i] : "batconv", out);
	}
}

static bool is_folder(const char *path)
{
	return *path && path[strlen(path) - 1] == '/';
}

static void print_command(const struct job_step *step, FILE *out)
{
	print_shell_words(step->words.at, step->words.len, out);
	if (step->all_of) {
		putc(' ', out);
		print_shell_word(step->all_of, out);
		putc('*', out);
	}
	if (step->input) {
		fputs(" <", out);
		print_shell_word(step->input, out);
	}
}

/* The same by hand: with a server in the background. */
static void print_step(const struct job_step *step, FILE *out)
{
	for (size_t i = 0; i < step->writes.len; i++)
		if (is_folder(step->writes.at[i])) {
			fputs("mkdir -p ", out);
			print_shell_word(step->writes.at[i], out);
			putc('\n', out);
		}
	if (step->serve.len) {
		print_shell_words(step->serve.at, step->serve.len, out);
		fputs(" &\nuntil ", out);
		if (step->port)
			fprintf(out, "bash -c ': </dev/tcp/127.0.0.1/%u' 2>/dev/null", step->port);
		else
			print_shell_words(step->ready.at, step->ready.len, out);
		fputs("; do sleep 0.1; done\n", out);
	}
	print_command(step, out);
	fputs(step->serve.len ? "\nkill $!; wait $!\n" : "\n", out);
}

/* ---- files ---- */

#define BY_NAME(a, b) (strcmp(*(a), *(b)) < 0)
typedef const char *name_of_file;
DEFINE_SORT(names_sort, name_of_file, BY_NAME);

/* Adds the files in a folder as paths, sorted; all hidden ones are left out. */
static bool list_folder(struct step_job *job, const char *path, struct step_words *out,
			struct bc_error *err)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t before = out->len;

	if (!folder)
		return bc_fail_errno(err, "%s: cannot read", path);
	while ((entry = readdir(folder)))
		if (*entry->d_name != '.')
			job_add(job, out, job_text(job, "%s%s", path, entry->d_name));
	closedir(folder);
	names_sort(out->at + before, out->len - before);
	return true;
}

size_t step_files(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat st;
	size_t count = 0;

	while (folder && (entry = readdir(folder)))
		count += fstatat(dirfd(folder), entry->d_name, &st, 0) == 0 &&
			 S_ISREG(st.st_mode) && st.st_size > 0;
	if (folder)
		closedir(folder);
	return count;
}

static bool make_folder(const char *path, struct bc_error *err)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
	       bc_fail_errno(err, "%s: cannot make this folder", path);
}

/* Removes what an earlier run left of what the step is to write. */
static bool clear(struct step_job *job, const struct job_step *step, struct bc_error *err)
{
	struct step_words files = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < step->writes.len; i++) {
		const char *path = step->writes.at[i];
		if (!is_folder(path))
			ok = unlink(path) == 0 || errno == ENOENT ||
			     bc_fail_errno(err, "%s: cannot remove", path);
		else
			ok = make_folder(path, err) && list_folder(job, path, &files, err);
	}
	for (size_t i = 0; ok && !step->adds && i < files.len; i++)
		ok = unlink(files.at[i]) == 0 ||
		     bc_fail_errno(err, "%s: cannot remove", files.at[i]);
	step_words_free(&files);
	return ok;
}

/* ---- what was done before ---- */

static void take_text(struct sha256 *sha, const char *text)
{
	sha256_add(sha, text, strlen(text) + 1);
}

static void take_bytes(struct sha256 *sha, int fd)
{
	char buffer[16384];
	ssize_t size;

	while ((size = read(fd, buffer, sizeof(buffer))) > 0)
		sha256_add(sha, buffer, (size_t)size);
}

/* The bytes of a file; what is not there is nothing. */
static void take_file(struct sha256 *sha, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	take_text(sha, path);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		take_bytes(sha, fd);
	if (fd >= 0)
		close(fd);
	take_text(sha, fd >= 0 ? "end" : "none");
}

/* Words that name a file which the step does not list: programs, scripts, data.  Their size and
 * time will do. */
static void take_words(struct sha256 *sha, const struct step_words *words)
{
	struct stat st;

	for (size_t i = 0; i < words->len; i++) {
		take_text(sha, words->at[i]);
		if (stat(words->at[i], &st) == 0 && S_ISREG(st.st_mode)) {
			sha256_add(sha, &st.st_size, sizeof(st.st_size));
			sha256_add(sha, &st.st_mtim, sizeof(st.st_mtim));
		}
	}
	take_text(sha, "");
}

static bool take_files(struct step_job *job, struct sha256 *sha, const struct step_words *paths,
		       struct bc_error *err)
{
	for (size_t i = 0; i < paths->len; i++) {
		struct step_words files = {0};
		if (!is_folder(paths->at[i])) {
			take_file(sha, paths->at[i]);
			continue;
		}
		struct stat st;
		bool ok =
			stat(paths->at[i], &st) != 0 || list_folder(job, paths->at[i], &files, err);
		for (size_t k = 0; ok && k < files.len; k++)
			take_file(sha, files.at[k]);
		step_words_free(&files);
		if (!ok)
			return false;
	}
	return true;
}

#define STAMP_SIZE (2 * SHA256_SIZE + 1)

static bool stamp_of(struct step_job *job, const struct job_step *step, char stamp[STAMP_SIZE],
		     struct bc_error *err)
{
	struct sha256 sha;
	uint8_t digest[SHA256_SIZE];

	sha256_begin(&sha);
	take_words(&sha, &step->words);
	take_words(&sha, &step->serve);
	take_words(&sha, &step->ready);
	take_text(&sha, step->input ? step->input : "");
	if (!take_files(job, &sha, &step->reads, err) || !take_files(job, &sha, &step->writes, err))
		return false;
	sha256_end(&sha, digest);
	for (size_t i = 0; i < SHA256_SIZE; i++)
		snprintf(stamp + 2 * i, 3, "%02x", digest[i]);
	return true;
}

static const char *stamp_path(struct step_job *job, const struct job_step *step)
{
	return job_text(job, "%s/%s.done", job->folder, step->name);
}

static bool was_done(const char *path, const char *stamp)
{
	char buffer[STAMP_SIZE] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd >= 0 ? read(fd, buffer, sizeof(buffer) - 1) : -1;

	if (fd >= 0)
		close(fd);
	return size == STAMP_SIZE - 1 && !strcmp(buffer, stamp);
}

static bool write_stamp(const char *path, const char *stamp, struct bc_error *err)
{
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	fputs(stamp, output.file);
	return output_commit(&output, err);
}

/* ---- a run ---- */

static bool note_done(struct step_job *job, const struct job_step *step, double seconds,
		      bool before)
{
	struct step_done done = {.name = step->name, .seconds = seconds, .before = before};
	size_t size;
	FILE *out = open_memstream(&done.command, &size);

	if (out) {
		print_command(step, out);
		if (step->serve.len) {
			fputs(" # load of: ", out);
			print_shell_words(step->serve.at, step->serve.len, out);
		}
	}
	if (!out || fclose(out) != 0 || !step_done_vec_push(&job->done, done)) {
		free(done.command);
		job->no_memory = true;
		return false;
	}
	if (job->progress && before)
		say(job->progress, "%-11s %s: was done before", step->name, step->about);
	else if (job->progress)
		say(job->progress, "%-11s %s: %.1f s", step->name, step->about, seconds);
	return true;
}

static bool run_words(const struct job_step *step, int log, struct workload_run *run,
		      struct bc_error *err)
{
	const struct workload workload = {
		.command = {step->words.at, step->words.len},
		.input = step->input,
		.timeout = step->timeout > 0 ? step->timeout : NO_LIMIT,
		.serve = {step->serve.at, step->serve.len},
		.port = step->port,
		.ready = {step->ready.at, step->ready.len},
		.patience = 60,
		.log = log,
	};

	return workload_run(&workload, NULL, run, err);
}

static bool fail_step(const struct job_step *step, const char *log, const struct workload_run *run,
		      struct bc_error *err)
{
	const char *program =
		strcmp(step->words.at[0], STEP_SELF) != 0 ? step->words.at[0] : "batconv";
	static const char *const own[] = {"batconv: error: ", "batconv: hint: "};
	const char *said = run->said;
	bool killed = run->code > 128;

	for (size_t i = 0; i < BC_COUNT(own); i++) /* the step's name is enough */
		if (text_starts(text_of(run->said), own[i]))
			said = run->said + strlen(own[i]);
	return bc_fail(err, BC_IO, "%s: %s ended with %s %d%s%s (%s)", step->name, program,
		       killed ? "signal" : "exit code", killed ? run->code - 128 : run->code,
		       *said ? ": " : "", said, log);
}

static bool run_now(struct step_job *job, struct job_step *step, struct bc_error *err)
{
	const char *path = job_text(job, "%s/%s.log", job->folder, step->name);
	struct workload_run run;

	if (step->all_of && !list_folder(job, step->all_of, &step->words, err))
		return false;
	int log = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (step->adds ? O_APPEND : O_TRUNC),
		       0666);
	if (log < 0)
		return bc_fail_errno(err, "%s: cannot write", path);
	bool shows = job->progress && isatty(fileno(job->progress));
	if (shows)
		fprintf(job->progress, "\r\033[Kbatconv: %-11s %s ...", step->name, step->about);
	bool ok = run_words(step, log, &run, err) || bc_fail_prefix(err, step->name);
	if (shows)
		fputs("\r\033[K", job->progress);
	close(log);
	step->code = ok ? run.code : 0;
	return ok && (!run.code || step->any_code || run.code == step->fails_by ||
		      fail_step(step, path, &run, err));
}

static bool run_unless_done(struct step_job *job, struct job_step *step, struct bc_error *err)
{
	char stamp[STAMP_SIZE];
	const char *path = stamp_path(job, step);

	if (!stamp_of(job, step, stamp, err))
		return false;
	if (!step->adds && was_done(path, stamp)) {
		note_done(job, step, 0, true);
		return true;
	}
	unlink(path);
	if (!clear(job, step, err))
		return false;
	double begun = seconds_now();
	size_t own = step->words.len;
	if (job->no_memory)
		return bc_fail_nomem(err);
	if (!run_now(job, step, err))
		return false;
	step->words.len = own; /* without those of all_of, which `reads` has */
	note_done(job, step, seconds_now() - begun, false);
	return step->code || (stamp_of(job, step, stamp, err) && write_stamp(path, stamp, err));
}

bool step_run(struct step_job *job, struct job_step *step, struct bc_error *err)
{
	bool ok = true;

	if (job->plan)
		print_step(step, job->plan);
	else
		ok = run_unless_done(job, step, err);
	step_words_free(&step->words);
	step_words_free(&step->serve);
	step_words_free(&step->ready);
	step_words_free(&step->reads);
	step_words_free(&step->writes);
	return ok && (!job->no_memory || bc_fail_nomem(err));
}

/* ---- the folder ---- */

/* Is it empty, or does it have the file that marks it? */
static bool is_ours(const char *path, bool *is)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t files = 0;

	*is = false;
	if (!folder)
		return false;
	while ((entry = readdir(folder))) {
		files += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
		*is |= !strcmp(entry->d_name, LOCK_FILE);
	}
	closedir(folder);
	*is |= !files;
	return true;
}

bool job_open(struct step_job *job, struct bc_error *err)
{
	bool ours;

	job->lock = -1;
	if (job->plan)
		return true;
	if (!make_folder(job->folder, err))
		return false;
	if (!is_ours(job->folder, &ours))
		return bc_fail_errno(err, "%s: cannot read", job->folder);
	if (!ours) {
		bc_fail(err, BC_EXISTS, "%s: has files that optimize did not make", job->folder);
		return bc_hint(err, "--folder=DIR names a new or empty folder");
	}
	const char *path = job_text(job, "%s/" LOCK_FILE, job->folder);
	job->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (job->lock < 0)
		return bc_fail_errno(err, "%s: cannot write", path);
	return flock(job->lock, LOCK_EX | LOCK_NB) == 0 ||
	       bc_fail(err, BC_EXISTS, "%s: another batconv works in this folder", job->folder);
}

void job_close(struct step_job *job)
{
	if (job->lock > 0)
		close(job->lock);
	for (size_t i = 0; i < job->texts.len; i++)
		free(job->texts.at[i]);
	argument_vec_free(&job->texts);
	for (size_t i = 0; i < job->done.len; i++)
		free(job->done.at[i].command);
	step_done_vec_free(&job->done);
}
