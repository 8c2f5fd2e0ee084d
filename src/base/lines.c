/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/lines.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes that lines_block() reads at a time: more than most lines have, and few enough for a
 * processor's own cache. */
#define LINES_BLOCK ((size_t)256 << 10)

bool lines_init(struct lines *lines, struct file_stream *stream, struct bc_error *err)
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

/* Move what is left to the front, and read until there are `most` bytes. */
static bool refill(struct lines *lines, size_t most, struct bc_error *err)
{
	size_t left = lines->end - lines->begin, got;

	memmove(lines->buffer, lines->buffer + lines->begin, left);
	lines->begin = 0;
	lines->end = left;
	if (!stream_read(lines->stream, lines->buffer + left, most - left, &got, err))
		return false;
	lines->end += got;
	lines->at_end = lines->end < most;
	return true;
}

bool lines_peek(struct lines *lines, size_t most, struct text *out, struct bc_error *err)
{
	if (!lines->at_end && lines->end - lines->begin < most && !refill(lines, most, err))
		return false;
	*out = (struct text){lines->buffer + lines->begin, lines->end - lines->begin};
	return true;
}

bool lines_fail_long(const struct lines *lines, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT,
		       "%s: line %" PRIu64 ", byte %" PRIu64 ": longer than %zu bytes",
		       lines->stream->name, lines->number + 1, lines->bytes, LINES_LONGEST);
}

bool lines_next(struct lines *lines, struct text *out, struct bc_error *err)
{
	err->code = BC_OK;
	struct text rest = {lines->buffer + lines->begin, lines->end - lines->begin};
	size_t len = text_find(rest, '\n');
	if (len == rest.len && !lines->at_end) {
		if (!refill(lines, LINES_LONGEST, err))
			return false;
		rest = (struct text){lines->buffer, lines->end};
		len = text_find(rest, '\n');
	}
	if (len == rest.len && !lines->at_end)
		return lines_fail_long(lines, err);
	if (!rest.len)
		return false;
	size_t taken = len < rest.len ? len + 1 : len;
	lines->begin += taken;
	lines->bytes += taken;
	lines->number++;
	*out = text_first(rest, len);
	return true;
}

size_t lines_skip_blank(struct lines *lines)
{
	uint64_t number;
	size_t size = text_blank_lines(
		(struct text){lines->buffer + lines->begin, lines->end - lines->begin}, &number);

	lines->begin += size;
	lines->bytes += size;
	lines->number += number;
	return size;
}

/* How much of `text` is whole lines. */
static size_t whole_lines(const char *text, size_t size)
{
	while (size && text[size - 1] != '\n')
		size--;
	return size;
}

/* Read after the `have` bytes of an unfinished line until there is a whole one. */
static bool read_block(struct lines *lines, char *buffer, size_t have, size_t *whole, size_t *end,
		       struct bc_error *err)
{
	size_t want = LINES_BLOCK, got;

	for (*whole = 0; !*whole && !lines->at_end && have < LINES_LONGEST; want = LINES_LONGEST) {
		if (want > LINES_LONGEST - have)
			want = LINES_LONGEST - have;
		if (!stream_read(lines->stream, buffer + have, want, &got, err))
			return false;
		lines->at_end = got < want;
		*whole = whole_lines(buffer + have, got);
		if (*whole)
			*whole += have;
		have += got;
	}
	*end = have;
	return true;
}

bool lines_block(struct lines *lines, char *buffer, size_t *size, struct bc_error *err)
{
	size_t end = lines->end - lines->begin, whole;

	err->code = BC_OK;
	memcpy(buffer, lines->buffer + lines->begin, end);
	whole = whole_lines(buffer, end);
	if (!whole && !read_block(lines, buffer, end, &whole, &end, err))
		return false;
	if (!whole && lines->at_end)
		whole = end;
	lines->begin = 0;
	lines->end = end - whole;
	memcpy(lines->buffer, buffer + whole, lines->end);
	lines->bytes += whole;
	*size = whole;
	if (!whole && end)
		err->code = BC_FORMAT;
	return whole > 0;
}
