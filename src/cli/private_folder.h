/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A folder that only this user can enter, for files that pass between this program and another one that it runs.  It
 * goes with all that is in it however this program ends, but for SIGKILL; and so does the other program.
 */
#ifndef CLI_PRIVATE_FOLDER_H
#define CLI_PRIVATE_FOLDER_H

#include <limits.h>

#include "src/base/error.h"

/* One at a time.  In $TMPDIR, else in /tmp.  BC_IO */
BC_MUST_USE bool private_folder_make(struct bc_error *err);
void private_folder_remove(void);

/* The path of a file in it: the first names are known at once, as the handler of a signal removes them. */
enum private_file { PRIVATE_PROFILE, PRIVATE_BINARY, PRIVATE_LOG, PRIVATE_FILES };
const char *private_folder_file(enum private_file file);

/* Run a program with its standard output and error in PRIVATE_LOG, and wait for its end.  BC_IO: it cannot be run, or fails; the
 * text has the last line that it printed. */
BC_MUST_USE bool private_folder_run(const char *program, char *const *words, struct bc_error *err);

/* What the handler of a signal that ends this program does.  Async-signal-safe. */
void private_folder_abandon(void);

#endif
