/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* fopencookie() */
#include "src/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "src/base/vec.h"

#ifndef RENAME_NOREPLACE /* the C library has no renameat2(), as musl before 1.2.6 */
#include <linux/fs.h>
#include <sys/syscall.h>

static int renameat2(int from_directory, const char *from, int to_directory, const char *to,
		     unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
}
#endif

enum { BUFFER = 65536 };

struct sink {
	int fd;
	int failed; /* errno of the first failure; after it nothing is written */
	char buffer[BUFFER];
};

/* The sink of stdout. */
static struct sink own_stdout = {.fd = STDOUT_FILENO};

static ssize_t write_all(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	size_t done = 0;

	while (!sink->failed && done < size) {
		ssize_t got = write(sink->fd, data + done, size - done);
		if (got >= 0)
			done += (size_t)got;
		else if (errno != EINTR)
			sink->failed = errno;
	}
	if (sink->failed)
		errno = sink->failed;
	return sink->failed ? COOKIE_FAILED(done) : (ssize_t)done;
}

/* A descriptor is closed even where close() was interrupted. */
static int close_all(void *cookie)
{
	struct sink *sink = cookie;
	bool ok = close(sink->fd) == 0 || errno == EINTR;
	int why = errno;

	free(sink);
	errno = why;
	return ok ? 0 : EOF;
}

FILE *sink_open(int fd, struct sink **out)
{
	static const cookie_io_functions_t functions = {.write = write_all, .close = close_all};
	struct sink *sink = malloc(sizeof(*sink));
	FILE *file = sink ? fopencookie(sink, "w", functions) : NULL;

	if (!file) {
		free(sink);
		errno = ENOMEM;
		return NULL;
	}
	sink->fd = fd;
	sink->failed = 0;
	setvbuf(file, sink->buffer, _IOFBF, sizeof(sink->buffer));
	*out = sink;
	return file;
}

int sink_descriptor(const struct sink *sink)
{
	return sink->fd;
}

int sink_failed(const struct sink *sink)
{
	return sink->failed;
}

/* To assign to stdout is an extension of glibc. */
void sink_stdout(void)
{
	int mode = isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF;
#ifdef __GLIBC__
	static const cookie_io_functions_t functions = {.write = write_all};
	FILE *file = fopencookie(&own_stdout, "w", functions);

	if (file)
		stdout = file;
#endif
	setvbuf(stdout, own_stdout.buffer, mode, sizeof(own_stdout.buffer));
}

void sink_stdout_by_lines(void)
{
	setvbuf(stdout, own_stdout.buffer, _IOLBF, sizeof(own_stdout.buffer));
}

int sink_stdout_failed(void)
{
	return own_stdout.failed;
}

/* A link that points to more links is a loop. */
enum { MOST_OPEN = OUTPUTS_MOST, MOST_LINKS = 40 };

/* The temporary files of what is open, for a signal handler, which reads them without the lock. */
static const char *volatile temporaries[MOST_OPEN];
static pthread_mutex_t temporaries_lock = PTHREAD_MUTEX_INITIALIZER;

/* Replace `from` by `to` in the list of temporary files; NULL is a free element. */
static void exchange(const char *from, const char *to)
{
	size_t i = 0;

	pthread_mutex_lock(&temporaries_lock);
	while (i < MOST_OPEN && temporaries[i] != from)
		i++;
	if (i < MOST_OPEN)
		temporaries[i] = to;
	pthread_mutex_unlock(&temporaries_lock);
}

/* Block all signals: no handler may run while names and the list of them change. */
static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static void release_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Takes the descriptor. */
static bool open_fd(int fd, const char *path, struct output *out, struct bc_error *err)
{
	out->file = fd < 0 ? NULL : sink_open(fd, &out->sink);
	if (out->file)
		return true;
	bc_fail_errno(err, "%s: cannot write", path);
	if (fd >= 0)
		close(fd);
	return false;
}

static bool open_direct(const char *path, struct output *out, struct bc_error *err)
{
	int fd;

	do
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	while (fd < 0 && errno == EINTR);
	return open_fd(fd, path, out, err);
}

/* A file of a new name: six letters or digits for those at its end. */
static int open_new(char *path, mode_t mode)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	char *end = path + strlen(path) - 6;
	unsigned char random[6];
	int fd = -1;

	errno = EEXIST;
	for (int tries = 0; fd < 0 && (errno == EEXIST || errno == EINTR) && tries < 100; tries++) {
		if (getrandom(random, sizeof(random), 0) != sizeof(random))
			return -1;
		for (size_t i = 0; i < sizeof(random); i++)
			end[i] = letters[random[i] % (sizeof(letters) - 1)];
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	}
	return fd;
}

static bool has_mode(int fd, mode_t mode)
{
	struct stat own;

	return fstat(fd, &own) == 0 && (own.st_mode & 0777) == mode;
}

/* Create the file with the mode of the old file, or the one that open() gives a new file.  The mask
 * is the whole process's, whose other threads can be somebody else's (lib/): it is changed only
 * where fchmod() is refused, as --sandbox does. */
static int make_temporary(char *path, const struct stat *old)
{
	mode_t mode = old ? old->st_mode & 0777 : 0666;
	int fd = open_new(path, mode);

	if (fd < 0 || !old || has_mode(fd, mode) || fchmod(fd, mode) == 0)
		return fd;
	close(fd);
	unlink(path);
	mode_t mask = umask(0);
	fd = open_new(path, mode);
	umask(mask);
	return fd;
}

void output_take_mode(struct output *output, const struct stat *of, bool owner)
{
	struct stat own;

	if (!output->temporary || fflush(output->file) != 0)
		return; /* output_commit() says so */
	int fd = sink_descriptor(output->sink);
	if (owner && fchown(fd, of->st_uid, of->st_gid) != 0)
		(void)!fchown(fd, (uid_t)-1, of->st_gid); /* the group at least */
	if (fstat(fd, &own) != 0)
		return;
	bool same = own.st_uid == of->st_uid && own.st_gid == of->st_gid;
	(void)fchmod(fd, of->st_mode & (same ? 07777 : 0777));
}

/* How long the directory's part of a path is, with the slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool open_temporary(const char *path, const struct stat *old, struct output *out,
			   struct bc_error *err)
{
	size_t size = strlen(path) + sizeof(".XXXXXX");

	out->temporary = malloc(size);
	if (!out->temporary)
		return bc_fail_nomem(err);
	snprintf(out->temporary, size, "%s.XXXXXX", path);
	sigset_t signals;
	hold_signals(&signals);
	int fd = make_temporary(out->temporary, old);
	if (fd >= 0)
		exchange(NULL, out->temporary);
	release_signals(&signals);
	if (fd < 0) {
		if (errno == ENOENT)
			bc_fail(err, BC_IO, "%s: cannot write: there is no directory %.*s", path,
				(int)folder_length(path), path);
		else
			bc_fail_errno(err, "%s: cannot create a temporary file in its directory",
				      path);
		free(out->temporary);
		out->temporary = NULL;
		return false;
	}
	return open_fd(fd, path, out, err);
}

/* "BEFOREAFTER", for free(). */
static char *join(const char *before, size_t before_len, const char *after, size_t after_len)
{
	char *joined = malloc(before_len + after_len + 1);

	if (!joined)
		return NULL;
	memcpy(joined, before, before_len);
	memcpy(joined + before_len, after, after_len);
	joined[before_len + after_len] = '\0';
	return joined;
}

/* Put the name that a link points to instead of the link's: 1; 0: it is no link; -1 with errno. */
static int follow_link(char path[PATH_MAX])
{
	char target[PATH_MAX];
	ssize_t size = readlink(path, target, sizeof(target));

	if (size < 0)
		return 0;
	size_t folder = target[0] == '/' ? 0 : folder_length(path);
	if (folder + (size_t)size >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path + folder, target, (size_t)size);
	path[folder + (size_t)size] = '\0';
	return 1;
}

/* The file that a path leads to through links, if that file does not exist: realpath() does not
 * find such a file. */
static char *follow_links(const char *path)
{
	char at[PATH_MAX];

	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof(at))
		return NULL;
	memcpy(at, path, strlen(path) + 1);
	for (int i = 0; i < MOST_LINKS; i++) {
		int followed = follow_link(at);
		if (followed <= 0)
			return followed ? NULL : strdup(at);
	}
	errno = ELOOP;
	return NULL;
}

/* Digits and nothing else; -1: something else. */
static int parse_descriptor(const char *text)
{
	int number = 0;

	for (; *text >= '0' && *text <= '9' && number < INT_MAX / 10 - 1; text++)
		number = 10 * number + (*text - '0');
	return *text ? -1 : number;
}

/* The descriptor that a path names, itself or through links; -1: it names none.  It allocates
 * nothing, because a failure would look like -1. */
static int descriptor_of(const char *path)
{
	char all[PATH_MAX], at[PATH_MAX], folder[PATH_MAX];

	if (!realpath("/proc/self/fd", all) || strlen(path) >= sizeof(at))
		return -1;
	memcpy(at, path, strlen(path) + 1);
	for (int i = 0; i < MOST_LINKS; i++) {
		size_t length = folder_length(at);
		char first = at[length];
		at[length] = '\0';
		bool there = realpath(length ? at : ".", folder);
		at[length] = first;
		if (!there)
			return -1;
		if (!strcmp(folder, all))
			return first ? parse_descriptor(at + length) : -1;
		if (follow_link(at) <= 0)
			return -1;
	}
	return -1;
}

char *output_target(const char *path)
{
	char *real = realpath(path, NULL), *at = real ? NULL : follow_links(path), *target = NULL;

	if (!at)
		return real;
	size_t length = folder_length(at);
	char *parent = length ? join(at, length, "", 0) : join(".", 1, "", 0);
	char *folder = parent ? realpath(parent, NULL) : NULL;
	char *prefix = folder ? join(folder, strlen(folder), "/", folder[1] ? 1 : 0) : NULL;
	if (prefix)
		target = join(prefix, strlen(prefix), at + length, strlen(at + length));
	free(prefix);
	free(folder);
	free(parent);
	free(at);
	return target;
}

bool output_is_stdout(const char *path)
{
	struct stat st, out;

	if (!strcmp(path, "-") || descriptor_of(path) == STDOUT_FILENO)
		return true;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && fstat(STDOUT_FILENO, &out) == 0 &&
	       out.st_dev == st.st_dev && out.st_ino == st.st_ino;
}

static bool open_regular(const char *path, const struct stat *old, struct output *out,
			 struct bc_error *err)
{
	if (old && access(path, W_OK) != 0)
		return bc_fail_errno(err, "%s: cannot write", path);
	out->path = old ? realpath(path, NULL) : follow_links(path);
	if (!out->path)
		return bc_fail_errno(err, "%s: cannot write", path);
	return open_temporary(out->path, old, out, err);
}

/* For pipes, which have no path for realpath(). */
static bool open_other(const char *path, struct output *out, struct bc_error *err)
{
	out->path = strdup(path);
	return out->path ? open_direct(path, out, err) : bc_fail_nomem(err);
}

/* Was the program started with this descriptor?  Descriptors that it opened itself are closed by
 * exec(). */
static bool open_descriptor(int fd, const char *path, struct output *out, struct bc_error *err)
{
	int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);

	errno = EBADF;
	if (flags < 0 || own < 0 || (flags & O_ACCMODE) == O_RDONLY || own & FD_CLOEXEC)
		return bc_fail_errno(err, "%s: cannot write", path);
	out->path = strdup(path);
	return out->path ? open_fd(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), path, out, err) :
			   bc_fail_nomem(err);
}

static bool open_named(const char *path, struct output *out, struct bc_error *err)
{
	struct stat st;
	int fd = descriptor_of(path);

	if (fd >= 0)
		return open_descriptor(fd, path, out, err);
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return bc_fail(err, BC_IO, "%s: is a directory", path);
	return exists && !S_ISREG(st.st_mode) ? open_other(path, out, err) :
						open_regular(path, exists ? &st : NULL, out, err);
}

bool output_open(const char *path, struct output *out, struct bc_error *err)
{
	*out = (struct output){0};
	if (!path || output_is_stdout(path)) {
		out->file = stdout;
		return true;
	}
	if (open_named(path, out, err))
		return true;
	output_discard(out);
	return false;
}

static void forget(struct output *output)
{
	if (output->temporary)
		exchange(output->temporary, NULL);
	free(output->path);
	free(output->temporary);
	*output = (struct output){0};
}

/* errno is what went wrong first. */
static bool finish_file(struct output *output, struct bc_error *err)
{
	const char *name = output->path ? output->path : "<stdout>";
	bool written = fflush(output->file) == 0 && !ferror(output->file);
	int failed = output->sink ? sink_failed(output->sink) : sink_stdout_failed();
	int why = failed ? failed : errno;

	if (output->file != stdout && fclose(output->file) != 0 && written) {
		written = false;
		why = errno;
	}
	output->file = NULL;
	errno = why;
	return written ? true : bc_fail_errno(err, "%s: cannot write", name);
}

/* Exchange two names, so that the old file can be restored; false with errno. */
static bool exchange_names(struct output *output)
{
	struct stat st;

	if (lstat(output->path, &st) == 0 && S_ISREG(st.st_mode)) {
		if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path,
			      RENAME_EXCHANGE) == 0)
			output->named = NAME_EXCHANGED;
		else if (errno == EINVAL || errno == ENOSYS) /* not on this file system */
			output->named = rename(output->temporary, output->path) == 0 ?
						NAME_REPLACED :
						NAME_NOT_YET;
	} else if (rename(output->temporary, output->path) == 0) {
		output->named = NAME_NEW;
	}
	return output->named != NAME_NOT_YET;
}

/* Name a new file on file systems such as NFS, which cannot rename without replacing but can
 * link.  The reply of the server can be lost: then the file has two names if the link was
 * made. */
static bool take_free_name(const struct output *output)
{
	const char *from = output->temporary;
	struct stat st;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (link(from, output->path) != 0) {
		int why = errno;
		bool linked = stat(from, &st) == 0 && st.st_nlink == 2;
		errno = why;
		if (!linked)
			return false;
	}
	unlink(from);
	return true;
}

static bool name_new_file(const struct output *output, struct bc_error *err)
{
	if (take_free_name(output))
		return true;
	bool exists = errno == EEXIST;
	bc_fail_errno(err, "%s: cannot write", output->path);
	if (exists)
		err->code = BC_EXISTS;
	return false;
}

static bool name_file(struct output *output, bool alone, struct bc_error *err)
{
	if (!output->temporary)
		return true;
	if (output->only_new)
		return name_new_file(output, err);
	if (!alone ? exchange_names(output) : rename(output->temporary, output->path) == 0)
		return true;
	return bc_fail_errno(err, "%s: cannot write", output->path);
}

static void take_name_back(struct output *output)
{
	if (output->named == NAME_NEW)
		unlink(output->path);
	else if (output->named == NAME_EXCHANGED)
		(void)renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path,
				RENAME_EXCHANGE);
}

static bool name_all(struct output *outputs, size_t count, struct bc_error *err)
{
	size_t files = 0, done = 0;

	for (size_t i = 0; i < count; i++)
		files += outputs[i].temporary != NULL;
	while (done < count && name_file(&outputs[done], files < 2, err))
		done++;
	if (done == count)
		return true;
	while (done-- > 0)
		take_name_back(&outputs[done]);
	return false;
}

bool output_commit_all(struct output *outputs, size_t count, struct bc_error *err)
{
	sigset_t signals;
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = !outputs[i].file || finish_file(&outputs[i], err);
	hold_signals(&signals);
	ok = ok && name_all(outputs, count, err);
	for (size_t i = 0; i < count; i++) {
		if (ok && outputs[i].named != NAME_EXCHANGED)
			forget(&outputs[i]);
		else
			output_discard(&outputs[i]);
	}
	release_signals(&signals);
	return ok;
}

bool output_commit(struct output *output, struct bc_error *err)
{
	return output_commit_all(output, 1, err);
}

bool output_commit_new(struct output *output, struct bc_error *err)
{
	output->only_new = true;
	return output_commit(output, err);
}

bool output_folder_make(const char *path, bool *made, struct bc_error *err)
{
	struct stat st;
	bool ok = *made = mkdir(path, 0777) == 0;

	if (!ok && errno == EEXIST && stat(path, &st) == 0) {
		ok = S_ISDIR(st.st_mode);
		errno = ENOTDIR;
	}
	return ok || bc_fail_errno(err, "%s: cannot be the directory of the profiles", path);
}

void output_discard(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	if (output->temporary)
		unlink(output->temporary);
	forget(output);
}

void output_remove_temporaries(void)
{
	for (size_t i = 0; i < MOST_OPEN; i++) {
		const char *path = temporaries[i];
		if (path)
			unlink(path);
	}
}

enum opened { OPENED_FILE, OPENED_ABSENT, OPENED_OTHER, OPENED_NOT };

/* Opens for writing, too, because NFS gives no exclusive lock to a descriptor for reading only.
 * O_NONBLOCK: a FIFO that got the name since stat() must not block. */
static enum opened open_file(const char *path, int *fd)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT ? OPENED_ABSENT : OPENED_NOT;
	if (!S_ISREG(st.st_mode))
		return OPENED_OTHER;
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == ENOENT ? OPENED_ABSENT : OPENED_NOT;
	return OPENED_FILE;
}

static bool wait_for_lock(int fd)
{
	int done;

	do
		done = flock(fd, LOCK_EX);
	while (done != 0 && errno == EINTR);
	return done == 0;
}

/* Opens the path instead of calling stat(): on NFS only open() asks the server. */
static bool is_still(int fd, const char *path)
{
	struct stat mine, there;
	int again = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (again < 0)
		return false;
	bool same = fstat(fd, &mine) == 0 && fstat(again, &there) == 0 &&
		    mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
	close(again);
	return same;
}

/* 1: it is; 0: another file has its name now; -1 with an error */
static int is_locked(const char *path, struct update *update, struct bc_error *err)
{
	if (!wait_for_lock(update->fd)) {
		bc_fail_errno(err, "%s: cannot lock", path);
		return -1;
	}
	if (!is_still(update->fd, path))
		return 0;
	update->path = realpath(path, NULL);
	if (update->path)
		return 1;
	bc_fail_errno(err, "%s: cannot write", path);
	return -1;
}

bool update_begin(const char *path, struct update *out, struct bc_error *err)
{
	*out = (struct update){.fd = -1};
	for (int locked = 0; !locked;) {
		enum opened opened = open_file(path, &out->fd);
		out->absent = opened == OPENED_ABSENT;
		if (opened == OPENED_NOT)
			return bc_fail_errno(err, "%s: cannot open for writing", path);
		if (opened != OPENED_FILE)
			return true;
		locked = is_locked(path, out, err);
		if (locked > 0)
			return true;
		update_end(out);
	}
	return false;
}

void update_end(struct update *update)
{
	if (update->fd >= 0)
		close(update->fd);
	free(update->path);
	*update = (struct update){.fd = -1};
}

bool output_end_all(struct output *outputs, size_t count, bool ok, struct bc_error *err)
{
	if (ok)
		return output_commit_all(outputs, count, err);
	for (size_t i = 0; i < count; i++)
		output_discard(&outputs[i]);
	return false;
}

bool output_end(struct output *output, bool ok, struct bc_error *err)
{
	if (ok)
		return output_commit(output, err);
	output_discard(output);
	return false;
}
