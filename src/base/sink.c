/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* fopencookie() */
#include "src/base/sink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 65536 };

struct sink {
	int fd;
	int failed; /* errno of the first failure; after it nothing is written */
	char buffer[BUFFER];
};

/* The sink of stdout. */
static struct sink own_stdout = {.fd = STDOUT_FILENO};

static ssize_t write_all(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	size_t done = 0;

	while (!sink->failed && done < size) {
		ssize_t got = write(sink->fd, data + done, size - done);
		if (got >= 0)
			done += (size_t)got;
		else if (errno != EINTR)
			sink->failed = errno;
	}
	if (sink->failed)
		errno = sink->failed;
	return (ssize_t)done;
}

/* A descriptor is closed even where close() was interrupted. */
static int close_all(void *cookie)
{
	struct sink *sink = cookie;
	bool ok = close(sink->fd) == 0 || errno == EINTR;
	int why = errno;

	free(sink);
	errno = why;
	return ok ? 0 : EOF;
}

FILE *sink_open(int fd, struct sink **out)
{
	static const cookie_io_functions_t functions = {.write = write_all, .close = close_all};
	struct sink *sink = malloc(sizeof(*sink));
	FILE *file = sink ? fopencookie(sink, "w", functions) : NULL;

	if (!file) {
		free(sink);
		errno = ENOMEM;
		return NULL;
	}
	sink->fd = fd;
	sink->failed = 0;
	setvbuf(file, sink->buffer, _IOFBF, sizeof(sink->buffer));
	*out = sink;
	return file;
}

int sink_descriptor(const struct sink *sink)
{
	return sink->fd;
}

int sink_failed(const struct sink *sink)
{
	return sink->failed;
}

/* To assign to stdout is an extension of glibc. */
void sink_stdout(void)
{
	int mode = isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF;
#ifdef __GLIBC__
	static const cookie_io_functions_t functions = {.write = write_all};
	FILE *file = fopencookie(&own_stdout, "w", functions);

	if (file)
		stdout = file;
#endif
	setvbuf(stdout, own_stdout.buffer, mode, sizeof(own_stdout.buffer));
}

void sink_stdout_by_lines(void)
{
	setvbuf(stdout, own_stdout.buffer, _IOLBF, sizeof(own_stdout.buffer));
}

int sink_stdout_failed(void)
{
	return own_stdout.failed;
}

static bool make_room(struct memory_sink *sink, size_t more)
{
	size_t cap = sink->cap ? sink->cap : sizeof(sink->buffer);

	while (cap - sink->len < more) {
		if (cap > SIZE_MAX / 2)
			return false;
		cap *= 2;
	}
	char *at = cap > sink->cap ? realloc(sink->at, cap) : sink->at;
	if (!at)
		return false;
	sink->at = at;
	sink->cap = cap;
	return true;
}

static ssize_t append(void *cookie, const char *data, size_t size)
{
	struct memory_sink *sink = cookie;

	if (sink->failed || !make_room(sink, size)) {
		sink->failed = true;
		errno = ENOMEM;
		return 0;
	}
	memcpy(sink->at + sink->len, data, size);
	sink->len += size;
	return (ssize_t)size;
}

FILE *sink_memory(struct memory_sink *out)
{
	static const cookie_io_functions_t functions = {.write = append};
	FILE *file = fopencookie(out, "w", functions);

	if (file)
		setvbuf(file, out->buffer, _IOFBF, sizeof(out->buffer));
	return file;
}
