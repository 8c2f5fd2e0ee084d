/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a stream line by line in constant memory. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "src/base/file.h"
#include "src/base/text.h"

/* The longest line.  A perf script line of the deepest branch stack that perf
 * can record (64 KiB in binary) is about 300 KiB long. */
#define LINES_LONGEST ((size_t)1 << 20)

struct lines {
	struct file_stream *stream; /* borrowed */
	char *buffer;               /* LINES_LONGEST bytes */
	size_t begin, end;          /* the bytes that are read and not returned yet */
	bool at_end;                /* the stream has no more */
	uint64_t number;            /* of the line that was returned last, from 1 */
	uint64_t bytes;             /* returned so far */
};

BC_MUST_USE bool lines_init(struct lines *lines, struct file_stream *stream, struct bc_error *err);
void lines_fini(struct lines *lines);

/* The beginning of what is still to come, without taking it: `most` <= LINES_LONGEST
 * bytes, fewer only if that is all, or more if they are at hand. */
BC_MUST_USE bool lines_peek(struct lines *lines, size_t most, struct text *out,
			    struct bc_error *err);

/* The next line without its newline, valid until the next call.  Returns false
 * at the end (err->code is BC_OK then) and on errors: BC_IO, or BC_FORMAT for
 * a line longer than LINES_LONGEST. */
BC_MUST_USE bool lines_next(struct lines *lines, struct text *out, struct bc_error *err);

/* Skip the blank lines that come next, as far as they were read already, for a caller to whom such
 * a line is nothing: lines_next() gives the next one that is there, or the first blank one of what
 * is read then.  Returns their bytes. */
size_t lines_skip_blank(struct lines *lines);

/* Read whole lines, up to a few hundred KiB, into `buffer` of LINES_LONGEST bytes; only the last
 * line of the stream can lack its newline.  Does not change `number`: the caller counts the
 * lines.  Returns false as lines_next() does, but err has no text if a line is too long:
 * lines_fail_long() makes it, when `number` is set. */
BC_MUST_USE bool lines_block(struct lines *lines, char *buffer, size_t *size, struct bc_error *err);
bool lines_fail_long(const struct lines *lines, struct bc_error *err);

#endif
