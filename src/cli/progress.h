/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line on stderr that says how far a long job is, of all files that it reads. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/file.h"

enum progress_mode {
	PROGRESS_AUTO, /* on a terminal, once the work has taken a second */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

/* PROGRESS_AUTO: is stderr a terminal? */
bool progress_is_shown(enum progress_mode mode);

struct progress {
	pthread_mutex_t lock;
	enum progress_mode mode;
	uint64_t begun_ms, shown_ms;
	bool shown;
	uint64_t size, done; /* bytes of all files; size 0: not known, as one is no regular file */
};

/* Before files are read.  What it returns shows how far they are, at most five times a second, and
 * of all of them if `paths` are known (else NULL). */
struct input_progress progress_begin(struct progress *progress, enum progress_mode mode,
				     const char *const *paths, size_t count);

/* Take the line away again. */
void progress_clear(struct progress *progress);

#endif
