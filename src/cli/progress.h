/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line on stderr that says how far a long job is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/file.h"

enum progress_mode {
	PROGRESS_AUTO, /* on a terminal, once the work has taken a second */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

struct progress {
	enum progress_mode mode;
	uint64_t begun_ms, shown_ms;
	bool shown;
};

void progress_init(struct progress *progress, enum progress_mode mode);

/* Show it, at most five times a second.  ctx is a struct progress. */
void progress_show(void *ctx, const struct file_stream *stream);

/* Take the line away again. */
void progress_clear(struct progress *progress);

#endif
