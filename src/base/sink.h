/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A stdio stream that writes to a descriptor and keeps the first error.  stdio alone fails
 * if a signal interrupts a write, loses the errno of a failed write, writes on behind the
 * missing bytes, and drops everything without an error if it cannot allocate its buffer.
 */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sink;

/* A text in memory that is complete or has `failed` set: open_memstream() drops text without an
 * error when it is out of memory. */
struct memory_sink {
	char *at; /* for free(); NULL if empty */
	size_t len, cap;
	bool failed; /* out of memory: incomplete */
	char buffer[8192];
};

/* A stream over a descriptor, which fclose() closes.  NULL with errno if there is no
 * memory; the descriptor is then as it was.  *out is valid as long as the stream. */
FILE *sink_open(int fd, struct sink **out);

/* The descriptor of a stream, for which fileno() fails. */
int sink_descriptor(const struct sink *sink);

/* errno of the first write or close that failed, or 0.  Of what was flushed only. */
int sink_failed(const struct sink *sink);

/* The same for stdout: sink_stdout() puts such a stream in its place, once and before
 * anything is written.  Where that cannot be, stdout gets a buffer that needs no memory. */
void sink_stdout(void);

/* Has stdout write each line when it ends, so that in one file lines of stdout and stderr stand in the order of
 * time.  Before anything is written. */
void sink_stdout_by_lines(void);
int sink_stdout_failed(void);

/* A stream that appends to *out, which must be zeroed; to be closed before that is used.
 * NULL: out of memory. */
FILE *sink_memory(struct memory_sink *out);

#endif
