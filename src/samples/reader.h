/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The readers, one per format of samples, and which of them fits a file.
 */
#ifndef SAMPLES_READER_H
#define SAMPLES_READER_H

#include "src/base/file.h"
#include "src/samples/event.h"
#include "src/samples/read_options.h"

/* Read a stream to its end into `sink`.  The format is recognized by a look at
 * the first lines unless the options say it; the stream is never rewound.
 *
 * BC_IO, BC_NOMEM
 * BC_FORMAT       empty, not recognized, or a line that cannot be read; the
 *                 text has file, line and column
 * BC_UNSUPPORTED  a format that is known and not read here
 * or what the sink, or the owner of the code, said */
BC_MUST_USE bool reader_run(struct file_stream *stream, const struct reader_options *options,
			    const struct event_sink *sink, struct reader_report *report,
			    struct bc_error *err);

/*
 * An input by its path: a file, "-" for stdin, or the directory that
 * perf record --threads leaves.
 */

/* Is it a directory as perf record --threads leaves it? */
bool is_recording_folder(const char *path);

/* Open and read it to its end into `sink`: see reader_run(). */
BC_MUST_USE bool input_run(const char *path, const struct reader_options *options,
			   struct input_progress progress, const struct event_sink *sink,
			   struct reader_report *report, struct bc_error *err);

#endif
