/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Output that is complete or not there at all.  A regular file is written under a
 * temporary name next to its own and renamed at the end; what was there before
 * survives every failure.  Anything else (stdout, FIFOs, devices) is written
 * directly, so open it when all input has been read.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "src/base/error.h"

/*
 * A stdio stream that writes to a descriptor and keeps the first error.  stdio alone fails
 * if a signal interrupts a write, loses the errno of a failed write, writes on after the
 * missing bytes, and drops everything without an error if it cannot allocate its buffer.
 */

/* What a write function of fopencookie() returns that wrote only `done` bytes: glibc wants no
 * negative number, and musl takes nothing else for a failure. */
#ifdef __GLIBC__
#define COOKIE_FAILED(done) ((ssize_t)(done))
#else
#define COOKIE_FAILED(done) ((ssize_t) - 1)
#endif

struct sink;

/* A stream over a descriptor, which fclose() closes.  NULL with errno if there is no
 * memory; the descriptor is then as it was.  *out is valid as long as the stream. */
FILE *sink_open(int fd, struct sink **out);

/* The descriptor of a stream, for which fileno() fails. */
int sink_descriptor(const struct sink *sink);

/* errno of the first write or close that failed, or 0.  For what was flushed only. */
int sink_failed(const struct sink *sink);

/* The same for stdout: sink_stdout() replaces it by such a stream, once and before
 * anything is written.  Where that cannot be, stdout gets a buffer that needs no memory. */
void sink_stdout(void);

/* Has stdout write each line when it ends, so that in one file lines of stdout and stderr are in
 * the order of time.  Before anything is written. */
void sink_stdout_by_lines(void);
int sink_stdout_failed(void);

/* So many can be open at once. */
#define OUTPUTS_MOST 256

struct output {
	FILE *file;        /* write here */
	struct sink *sink; /* after it; NULL for stdout */
	char *path;        /* final name; NULL for stdout */
	char *temporary;   /* NULL if written directly */
	bool only_new;     /* no file may have the name yet */
	enum {
		NAME_NOT_YET,
		NAME_NEW,       /* there was no such file */
		NAME_EXCHANGED, /* the old file has the temporary name now */
		NAME_REPLACED,  /* the old file is gone */
	} named;
};

/* path: NULL or "-" is stdout, and so is all that output_is_stdout() finds.  A symbolic
 * link stays one: what it points to is written.  The name of a descriptor (/dev/fd/3,
 * /dev/stderr) is that descriptor, whatever it refers to: it must be open for writing and
 * none of this program's own.  BC_IO (also: a file that open() would not let be written),
 * BC_NOMEM */
BC_MUST_USE bool output_open(const char *path, struct output *out, struct bc_error *err);

/* "-", the name of the descriptor (/dev/stdout), or of the regular file that stdout is. */
bool output_is_stdout(const char *path);

/* Give a file that has no name yet the mode of another one, and the owner if `owner` and
 * the system allow that.  Bits that let a program run as its owner or group need the same
 * owner and group.  What is written directly keeps its own.  To be called when all is
 * written, as writing takes such bits away. */
void output_take_mode(struct output *output, const struct stat *of, bool owner);

/* Flush, check for errors and give the file its name. */
BC_MUST_USE bool output_commit(struct output *output, struct bc_error *err);

/* The same, if no file has this name yet.  BC_EXISTS */
BC_MUST_USE bool output_commit_new(struct output *output, struct bc_error *err);

/* The same as output_commit() of several, of which zeroed ones are skipped: all are flushed and
 * checked before the first gets its name, so that a full disk leaves every file as it was. They are
 * named in order; if one cannot be, those before it get their old files back (where the file system
 * can exchange two names, as all common ones of Linux can) and the rest is discarded.  Signals wait
 * meanwhile.  What was written to a pipe stays written.  (Opening a FIFO waits for its reader: with
 * several FIFOs all readers must run at once.) */
BC_MUST_USE bool output_commit_all(struct output *outputs, size_t count, struct bc_error *err);

/* If all went well (ok), commits them, else discards them, and `err` stays as it is. */
BC_MUST_USE bool output_end(struct output *output, bool ok, struct bc_error *err);
BC_MUST_USE bool output_end_all(struct output *outputs, size_t count, bool ok,
				struct bc_error *err);

/* Makes the directory of a command that writes several profiles, unless it exists.  *made: it did
 * not exist.  BC_IO */
BC_MUST_USE bool output_folder_make(const char *path, bool *made, struct bc_error *err);

/* Drop what was written; a committed or zeroed output is not changed. */
void output_discard(struct output *output);

/* The absolute path without links of the file that this path is written to, for free(); NULL if
 * its directory does not exist.  The file need not exist. */
char *output_target(const char *path);

/* Remove the temporary files of all outputs that are open.
 * Async-signal-safe: for a handler that ends the program. */
void output_remove_temporaries(void);

/*
 * A file that is read and then replaced, by one process after the other: whoever comes
 * second waits, and reads what the first one wrote.
 *
 * The lock is flock() on the file itself, so nothing is left next to it, and it ends with
 * its process, however that ends.  A file that is replaced takes its lock along: whoever
 * waited for that asks for the lock of the new one.  Where no file is there yet, nothing
 * can be locked: the first one that gives its file the name wins (output_commit_new()), and
 * the others begin again.  Readers need no lock: a name changes hands at once.
 */

struct update {
	bool absent; /* there is no file yet */
	int fd;      /* of the file, locked; -1: absent, or no regular one */
	char *path;  /* where it is, without links; NULL as above */
};

/* Wait for the lock.  Links to one file lock the same one.
 *
 * BC_IO  it cannot be opened for reading and writing, or its file system has no locks
 * BC_NOMEM */
BC_MUST_USE bool update_begin(const char *path, struct update *out, struct bc_error *err);

/* Others may continue. */
void update_end(struct update *update);

#endif
