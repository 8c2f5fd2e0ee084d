/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls about files of others, any of which may never return: opening, reading or closing a file
 * of a file system that does not respond (NFS, FUSE).  They are made in threads, so that whoever
 * asks continues.  A thread that hangs is lost for as long; no user can have more than what others
 * leave free of FILE_CALLS_MOST, and a quarter of them is for those who are trusted.
 */
#ifndef RECORD_FILE_CALLS_H
#define RECORD_FILE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/attr.h"

#define FILE_CALLS_MOST 16 /* threads */

/* The first member of what the call works on.  Nobody else may use that while it is under way. */
struct file_call {
	void (*run)(struct file_call *call);
	void (*free)(struct file_call *call); /* of one that nobody waits for; can hang, too */
	uint32_t user;                        /* a number of the shares: who is to blame */
	bool trusted;                         /* share_is_trusted() */
	bool closes;                          /* free() closes a file, before the call, too */
	/* The threads': */
	struct file_call *next;
	uint64_t cpu; /* ns of processor time that it took */
	bool done, left;
};

/* NULL, everywhere: without threads, calls are made at once. */
struct file_calls;

/* NULL: out of memory. */
struct file_calls *file_calls_start(void);

/* Waits for calls for a second.  False: some did not come back. */
bool file_calls_stop(struct file_calls *calls);

/* Makes the call, when it is its turn; where no thread can be started, at once. */
void file_calls_put(struct file_calls *calls, struct file_call *call);

/* Is it done?  Waits for that so many ns. */
bool file_calls_wait(struct file_calls *calls, struct file_call *call, uint64_t ns);

/* Nobody waits for it, and it is not used any more: it is freed in a thread when it is done, or
 * here if it has not begun and does not close a file: of a user whose calls hang it never would. */
void file_calls_leave(struct file_calls *calls, struct file_call *call);

#endif
