/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The lines of a profile: what they are about, as it is there, and what they count.
 * One list is what should be in a file, the other what is.
 */
#ifndef TESTS_COUNT_RECOUNT_LINES_H
#define TESTS_COUNT_RECOUNT_LINES_H

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/vec.h"

struct line {
	char *place; /* owned; of a head without counts all of it */
	uint64_t count, mispredicted;
};
DEFINE_VEC(line_vec, struct line);

/* Takes the location, which is to be freed, NULL: out of memory. */
void lines_put(struct line_vec *lines, char *place, uint64_t count, uint64_t mispredicted);
void lines_free(struct line_vec *lines);

/* Mistakes: a line is missing, too many or not where it belongs, or has other counts.
 * `is` begins at line 1 of the file. */
void lines_compare(const char *path, const struct line_vec *is, const struct line_vec *should);

/* A line is read from left to right.  Each returns false where something else is. */
struct reading {
	struct text rest;
};

bool reading_take(struct reading *reading, const char *expected);
/* Lower case, no sign, no zero in front. */
bool reading_hex(struct reading *reading, uint64_t *out);
bool reading_dec(struct reading *reading, uint64_t *out);
/* Up to a blank; one that belongs to it has a backslash before it. */
bool reading_word(struct reading *reading, struct text *out);

/* Reads one line that is no part of the head: what it is about, and its counts. */
typedef bool line_reader(void *ctx, struct text line, struct line *out);

/* Read a file into `out`: as many lines of a head as there are in `should` that count
 * nothing, then others.  A line that cannot be read is a mistake, and the last.  False
 * with err: the file cannot be read. */
BC_MUST_USE bool lines_read(const char *path, const struct line_vec *should, line_reader *read,
			    void *ctx, struct line_vec *out, struct bc_error *err);

#endif
