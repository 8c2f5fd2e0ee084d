/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "src/base/print_name.h"

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_init(struct progress *progress, enum progress_mode mode)
{
	if (mode == PROGRESS_AUTO && !isatty(STDERR_FILENO))
		mode = PROGRESS_NEVER;
	*progress = (struct progress){.mode = mode, .begun_ms = now_ms()};
}

void progress_show(void *ctx, const struct file_stream *stream)
{
	struct progress *progress = ctx;
	uint64_t now = progress->mode == PROGRESS_NEVER ? 0 : now_ms();

	if (progress->mode == PROGRESS_NEVER || now - progress->shown_ms < 200 ||
	    (progress->mode == PROGRESS_AUTO && now - progress->begun_ms < 1000))
		return;
	progress->shown_ms = now;
	progress->shown = true;
	fputs("\r\033[Kbatconv: ", stderr);
	print_name(text_of(stream->name), stderr);
	fprintf(stderr, ": %" PRIu64 " MB", stream->done >> 20);
	if (stream->size)
		fprintf(stderr, " of %" PRIu64 " MB, %d %%", stream->size >> 20,
			(int)(100.0 * (double)stream->done / (double)stream->size));
	fflush(stderr);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
