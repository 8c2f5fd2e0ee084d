/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A file that is read and then replaced, by one process after the other: whoever comes
 * second waits, and reads what the first one wrote.
 *
 * The lock is flock() on the file itself, so nothing is left beside it, and it ends with
 * its process, however that ends.  A file that is replaced takes its lock along: whoever
 * waited for that asks for the lock of the new one.  Where no file is there yet, nothing
 * can be locked: the first one that gives its file the name wins (output_commit_new()), and
 * the others begin again.  Readers need no lock: a name changes hands at once.
 */
#ifndef BASE_UPDATE_H
#define BASE_UPDATE_H

#include "src/base/error.h"

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

/* Others may go on. */
void update_end(struct update *update);

#endif
