/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pre-aggregated profiles: text, one distinct trace or sample a line with how
 * often it was seen.  The addresses are the binary's own.
 *
 *   E <event>                                 event name
 *   S <at> <count>                            basic sample
 *   T <branch> <from> <to> <count> [<mispreds>]    trace
 *   R the same, the branch is a return
 *   B <branch> <from> <count> [<mispreds>]    branch only
 *   F <from> <to> <count>                     fall-through only
 *   f <from> <to> <count>                     fall-through, came from outside
 *   r <from> <to> <count>                     the same, by a return
 *
 * Counts are decimal, all else is hexadecimal.  A location is `at`, `id:at`
 * with the build-id of the file that it lies in, or `X:at` for outside.  -1, -2 and -3
 * represent ffffffffffffffff and the two below it, TRACE_BR_ONLY and the like: these marks are no
 * location in any file, and perf2bolt 22 to 24 look at nothing before their colon.
 * Comments begin with # or //.
 */
#ifndef SAMPLES_PREAGG_READ_H
#define SAMPLES_PREAGG_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"
#include "src/base/lines.h"
#include "src/base/text.h"
#include "src/samples/read_options.h"
#include "src/samples/text_blocks.h"

enum { PREAGG_BRANCH, PREAGG_FROM, PREAGG_TO, PREAGG_PLACES };

struct preagg_place {
	uint64_t at;
	struct text
		file; /* before the colon: a build-id without 0x, or X; empty: nothing, or a mark */
};

struct preagg_record {
	char letter; /* of E S T R B F f r; 0: a blank line, or a comment */
	struct preagg_place places[PREAGG_PLACES]; /* S has the first; those that a line has not are
						      marks or 0 */
	uint64_t count, mispredicted;
	struct text event; /* E: points into the line */
};

/* Records of traces by their letter. */
struct preagg_shape {
	char letter;
	uint8_t first, last; /* of the locations, those that are in the line */
	bool mispredictions; /* can follow the count */
	bool returns;        /* the branch is a return */
	uint64_t branch;     /* where the line has none */
};

#define PREAGG_SHAPES 6
extern const struct preagg_shape preagg_shapes[PREAGG_SHAPES];

/* NULL: no record of a trace begins with this letter */
static inline const struct preagg_shape *preagg_shape_of(char letter)
{
	for (size_t i = 0; i < PREAGG_SHAPES; i++)
		if (preagg_shapes[i].letter == letter)
			return &preagg_shapes[i];
	return NULL;
}

/* Why a line is none, and which byte of it shows that. */
struct preagg_fault {
	const char *at, *why;
};

BC_MUST_USE bool preagg_parse(struct text line, struct preagg_record *out,
			      struct preagg_fault *fault);

/* A record of a trace whose locations are numbers alone, as in nearly all lines. */
struct preagg_numbers {
	const struct preagg_shape *shape;
	uint64_t places[PREAGG_PLACES];
	uint64_t count, mispredicted;
};

/* Reads such a line, which has single blanks, no comment and its newline: several times as fast as
 * preagg_parse().  *line is at the next line then.  False: it is no such line, which preagg_parse()
 * can take all the same.
 *
 * TEXT_AFTER bytes can be read after the text; they are zero if it ends without a newline. */
BC_MUST_USE bool preagg_take_numbers(const char **line, struct preagg_numbers *out);

#define PREAGG_OUTSIDE "X" /* before the colon of what is in no file that has a build-id */

static inline bool preagg_is_outside(const struct preagg_place *place)
{
	return text_is(place->file, PREAGG_OUTSIDE);
}

/* Delivers pre-aggregated profiles as events.  Locations with a build-id other than the
 * binary's are outside: they become TRACE_EXTERNAL, whatever their position. */

/* True if a line can be of this format and is not blank or a comment. */
bool preagg_fits(const struct line *line);

/* True if it has the letter and all locations of a record, and its count is damaged or missing. */
bool preagg_almost_fits(const struct line *line);

/* A reader, see reader.h. */
BC_MUST_USE bool preagg_read(struct lines *lines, const struct reader_options *options,
			     const struct event_sink *sink, struct reader_report *report,
			     struct bc_error *err);

#endif
