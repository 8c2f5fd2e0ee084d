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

struct progress {
	pthread_mutex_t lock;
	enum progress_mode mode;
	uint64_t begun_ms, shown_ms;
	bool shown;
	uint64_t size, done; /* bytes of all files; size 0: not known, as one is no regular file */
};

void progress_init(struct progress *progress, enum progress_mode mode);

/* Before they are read: which files there are. */
void progress_expect(struct progress *progress, const char *const *paths, size_t count);

/* Show it, at most five times a second; several threads can.  ctx is a struct progress. */
void progress_show(void *ctx, const struct file_stream *stream);

/* Take the line away again. */
void progress_clear(struct progress *progress);

#endif
