/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile's file, by lines, with a buffer that is small, as many inputs are read side by side; it
 * grows to the longest line. */
#ifndef PROFILE_TEXT_INPUT_H
#define PROFILE_TEXT_INPUT_H

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/profile/shard.h"

#define TEXT_INPUT_ROOM    ((size_t)64 << 10) /* bytes of the buffer, at first */
#define TEXT_INPUT_LONGEST ((size_t)1 << 20)  /* bytes of a line */

struct text_input {
	struct file_stream *stream; /* borrowed */
	char *buffer;
	size_t begin, end, room;
	size_t whole; /* where the last line ends that is all in the buffer; 0: a zero byte was met
		       */
	bool at_end;
	bool zeros;    /* a zero byte was met: no line of a profile has one */
	uint64_t line; /* number of the line given out last, from 1 */
	uint64_t byte; /* of its beginning */
	uint64_t next; /* of the one after it */
};

BC_MUST_USE bool text_input_init(struct text_input *in, struct file_stream *stream,
				 struct bc_error *err);
void text_input_free(struct text_input *in);

/* What a file is, by its beginning. */
struct profile_start {
	enum profile_kind kind; /* KIND_NOTHING: no profile */
	bool is_shard;
	struct shard shard;
};

/* text_input_init() of a stream of which nothing was read yet, and a look at its beginning; errors
 * of shard_look(), too. */
BC_MUST_USE bool text_input_begin(struct text_input *in, struct file_stream *stream,
				  struct profile_start *out, struct bc_error *err);

/* What was read of the stream, and is not given out. */
static inline struct text text_input_rest(const struct text_input *in)
{
	return (struct text){in->buffer + in->begin, in->end - in->begin};
}

/* The next line, without its newline, valid until the next call; TEXT_AFTER bytes after it
 * can be read.  False at the end, with BC_OK in `err`, or: BC_IO; BC_FORMAT: the line is too long,
 * has a zero byte, or is the last one and has no newline, as it was cut. */
BC_MUST_USE bool text_input_line(struct text_input *in, struct text *out, struct bc_error *err);

/* The next line where it is, with its newline and TEXT_AFTER bytes more.  NULL:
 * text_input_line() must get it. */
static inline const char *text_input_ahead(const struct text_input *in)
{
	return in->begin < in->whole ? in->buffer + in->begin : NULL;
}

/* That line was taken, whose newline is before `end`. */
static inline void text_input_skip(struct text_input *in, const char *end)
{
	size_t size = (size_t)(end - in->buffer) - in->begin;

	in->line++;
	in->byte = in->next;
	in->next += size;
	in->begin += size;
}

/* Skip the blank lines that come next, as far as they are in the buffer. */
void text_input_skip_blank(struct text_input *in);

/* All whole lines that are in the buffer, with their newlines; their number is not kept.  Errors
 * and the end as of text_input_line(). */
BC_MUST_USE bool text_input_lines(struct text_input *in, struct text *out, struct bc_error *err);

/* "FILE: line N, byte B: WHY".  false */
bool text_input_fail(const struct text_input *in, const char *why, struct bc_error *err);

#endif
