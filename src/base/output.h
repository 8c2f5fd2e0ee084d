/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Output that is complete or not there at all.  A regular file is written under a
 * temporary name beside its own and renamed at the end; what was there before
 * survives every failure.  Anything else (stdout, FIFOs, devices) is written
 * directly, so open it when all input has been read.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "src/base/error.h"
#include "src/base/sink.h"

/* So many can be open at once. */
#define OUTPUTS_MOST 256

struct output {
	FILE *file;        /* write here */
	struct sink *sink; /* behind it; NULL for stdout */
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
 * /dev/stderr) is that descriptor, whatever is behind it: it must be open for writing and
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

/* The same as output_commit() of several, of which zeroed ones are skipped: all are flushed and checked
 * before the first gets its name, so that a full disk leaves every file as it was.
 * They are named in order; if one cannot be, those before it get their old files back
 * (where the file system can exchange two names, as all common ones of Linux can) and
 * the rest is discarded.  Signals wait meanwhile.  What was written to a pipe stays
 * written.  (Opening a FIFO waits for its reader: with several FIFOs all readers must run at
 * once.) */
BC_MUST_USE bool output_commit_all(struct output *outputs, size_t count, struct bc_error *err);

/* Drop what was written; a committed or zeroed output is left alone. */
void output_discard(struct output *output);

/* The absolute path without links of the file that this path is written to, for free(); NULL if
 * its directory does not exist.  The file need not exist. */
char *output_target(const char *path);

/* Remove the temporary files of all outputs that are open.
 * Async-signal-safe: for a handler that ends the program. */
void output_remove_temporaries(void);

#endif
