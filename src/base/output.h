/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Output that is there whole or not at all.  A regular file is written under a
 * temporary name beside its own and renamed at the end; what was there before
 * survives every failure.  Anything else (stdout, FIFOs, devices) is written
 * directly, so open it when all input has been read.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>

#include "src/base/error.h"

struct output {
	FILE *file;      /* write here */
	char *path;      /* final name; NULL for stdout */
	char *temporary; /* NULL if written directly */
};

/* path: NULL or "-" is stdout. */
BC_MUST_USE bool output_open(const char *path, struct output *out, struct bc_error *err);

/* Flush, check for errors and give the file its name. */
BC_MUST_USE bool output_commit(struct output *output, struct bc_error *err);

/* Drop what was written; a committed or zeroed output is left alone. */
void output_discard(struct output *output);

/* Remove the temporary file of an output that is open, if there is one.
 * Async-signal-safe: for a handler that ends the program. */
void output_remove_temporary(void);

#endif
