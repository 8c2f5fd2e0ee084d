/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An input by its path: a file, "-" for stdin, or the directory that
 * perf record --threads leaves.
 */
#ifndef EVENT_INPUT_H
#define EVENT_INPUT_H

#include "src/event/reader.h"

struct input_progress {
	void (*show)(void *ctx, const struct file_stream *stream); /* or NULL */
	void *ctx;
};

/* Is it a directory as perf record --threads leaves it? */
bool is_recording_folder(const char *path);

/* Open and read it to its end into `sink`: see reader_run(). */
BC_MUST_USE bool input_run(const char *path, const struct reader_options *options,
			   struct input_progress progress, const struct event_sink *sink,
			   struct reader_report *report, struct bc_error *err);

#endif
