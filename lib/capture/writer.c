/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/capture/writer.h"

#include <errno.h>
#include <unistd.h>

void capture_flush(struct capture_writer *w)
{
	size_t done = 0;

	while (done < w->used && !w->error) {
		ssize_t written = write(w->fd, w->buffer + done, w->used - done);
		if (written > 0)
			done += (size_t)written;
		else if (written < 0 && errno != EINTR)
			w->error = errno;
	}
	w->used = 0;
}

static void put(struct capture_writer *w, char c)
{
	if (w->used == sizeof(w->buffer))
		capture_flush(w);
	w->buffer[w->used++] = c;
}

void capture_text(struct capture_writer *w, const char *text)
{
	while (*text)
		put(w, *text++);
}

void capture_number(struct capture_writer *w, uint64_t value, unsigned base)
{
	char digits[24];
	size_t count = 0;

	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (count)
		put(w, digits[--count]);
}
