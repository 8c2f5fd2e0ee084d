/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memrchr() */
#include "src/profile/text_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"

bool text_input_init(struct text_input *in, struct file_stream *stream, struct bc_error *err)
{
	*in = (struct text_input){.stream = stream,
				  .buffer = calloc(1, TEXT_INPUT_ROOM + TEXT_AFTER),
				  .room = TEXT_INPUT_ROOM};
	return in->buffer || bc_fail_nomem(err);
}

void text_input_free(struct text_input *in)
{
	free(in->buffer);
	*in = (struct text_input){0};
}

/* Move what is left to the front, make room where it fills all, and read. */
static bool refill(struct text_input *in, struct bc_error *err)
{
	size_t left = in->end - in->begin, got;

	memmove(in->buffer, in->buffer + in->begin, left);
	in->begin = in->whole = 0;
	in->end = left;
	if (left == in->room) {
		char *buffer = realloc(in->buffer, 2 * in->room + TEXT_AFTER);
		if (!buffer)
			return bc_fail_nomem(err);
		memset(buffer + in->room, 0, in->room + TEXT_AFTER);
		in->buffer = buffer;
		in->room *= 2;
	}
	if (!stream_read(in->stream, in->buffer + left, in->room - left, &got, err))
		return false;
	in->zeros |= got && memchr(in->buffer + left, 0, got);
	in->end += got;
	const char *last = in->zeros ? NULL : memrchr(in->buffer, '\n', in->end);
	in->whole = last ? (size_t)(last - in->buffer) + 1 : 0;
	in->at_end = in->end < in->room;
	return true;
}

bool text_input_begin(struct text_input *in, struct file_stream *stream, struct profile_start *out,
		      struct bc_error *err)
{
	err->code = BC_OK;
	if (!shard_look(stream, &out->is_shard, &out->shard, err) ||
	    !text_input_init(in, stream, err) || !refill(in, err))
		return false;
	out->kind = file_kind_of_profile(text_input_rest(in));
	return true;
}

bool text_input_fail(const struct text_input *in, const char *why, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: line %" PRIu64 ", byte %" PRIu64 ": %s",
		       in->stream->name, in->line, in->byte, why);
}

static bool fail_end(struct text_input *in, struct bc_error *err)
{
	in->line++;
	in->byte = in->next;
	return text_input_fail(in,
			       in->at_end ? "the file ends within the line: it was cut" :
					    "longer than a line of a profile can be",
			       err);
}

bool text_input_line(struct text_input *in, struct text *out, struct bc_error *err)
{
	const char *end = memchr(in->buffer + in->begin, '\n', in->end - in->begin);

	err->code = BC_OK;
	while (!end && !in->at_end && in->end - in->begin < TEXT_INPUT_LONGEST) {
		size_t seen = in->end - in->begin;
		if (!refill(in, err))
			return false;
		end = memchr(in->buffer + seen, '\n', in->end - seen);
	}
	if (!end)
		return in->begin < in->end ? fail_end(in, err) : false;
	*out = (struct text){in->buffer + in->begin, (size_t)(end - in->buffer) - in->begin};
	in->line++;
	in->byte = in->next;
	in->next += out->len + 1;
	in->begin += out->len + 1;
	return !in->zeros || !memchr(out->at, 0, out->len) ||
	       text_input_fail(in, "a zero byte", err);
}

void text_input_skip_blank(struct text_input *in)
{
	uint64_t lines;
	size_t size = text_blank_lines(text_input_rest(in), &lines);

	in->line += lines;
	in->next += size;
	in->begin += size;
}

bool text_input_lines(struct text_input *in, struct text *out, struct bc_error *err)
{
	const char *first;

	if (!text_input_line(in, out, err))
		return false;
	first = out->at;
	const char *last = memrchr(in->buffer + in->begin, '\n', in->end - in->begin);
	if (last) {
		size_t end = (size_t)(last - in->buffer) + 1;
		in->next += end - in->begin;
		in->begin = end;
	}
	*out = (struct text){first, (size_t)(in->buffer + in->begin - first)};
	return true;
}
