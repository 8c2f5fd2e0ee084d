/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/lines.h"

#include <inttypes.h>
#include <stdlib.h>

bool lines_init(struct lines *lines, struct file_stream *stream,
		struct bc_error *err)
{
	*lines = (struct lines){.stream = stream};
	lines->buffer = malloc(LINES_LONGEST);
	return lines->buffer ? true : bc_fail_nomem(err);
}

void lines_fini(struct lines *lines)
{
	free(lines->buffer);
	*lines = (struct lines){0};
}

/* Move what is left to the front and fill the buffer up. */
static bool refill(struct lines *lines, struct bc_error *err)
{
	size_t left = lines->end - lines->begin, got;

	memmove(lines->buffer, lines->buffer + lines->begin, left);
	lines->begin = 0;
	lines->end = left;
	if (!stream_read(lines->stream, lines->buffer + left,
			 LINES_LONGEST - left, &got, err))
		return false;
	lines->end += got;
	lines->at_end = lines->end < LINES_LONGEST;
	return true;
}

bool lines_peek(struct lines *lines, struct text *out, struct bc_error *err)
{
	if (!lines->at_end && !refill(lines, err))
		return false;
	*out = (struct text){lines->buffer + lines->begin,
			     lines->end - lines->begin};
	return true;
}

bool lines_next(struct lines *lines, struct text *out, struct bc_error *err)
{
	err->code = BC_OK;
	struct text rest = {lines->buffer + lines->begin,
			    lines->end - lines->begin};
	size_t len = text_find(rest, '\n');
	if (len == rest.len && !lines->at_end) {
		if (!refill(lines, err))
			return false;
		rest = (struct text){lines->buffer, lines->end};
		len = text_find(rest, '\n');
	}
	if (len == rest.len && !lines->at_end)
		return bc_fail(err, BC_FORMAT,
			       "%s: line %" PRIu64 ", byte %" PRIu64
			       ": longer than %zu bytes",
			       lines->stream->name, lines->number + 1,
			       lines->bytes, LINES_LONGEST);
	if (!rest.len)
		return false;
	size_t taken = len < rest.len ? len + 1 : len;
	lines->begin += taken;
	lines->bytes += taken;
	lines->number++;
	*out = text_first(rest, len);
	return true;
}
