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
 * with the build-id of the file that it lies in, or `X:at` for outside; -1, -2 and -3
 * stand for ffffffffffffffff and the two below, TRACE_BR_ONLY and the like.
 * Comments begin with # or //.
 */
#ifndef EVENT_PREAGG_READ_H
#define EVENT_PREAGG_READ_H

#include "src/base/lines.h"
#include "src/event/line.h"
#include "src/event/read_options.h"

enum preagg_kind { PREAGG_NOTHING, PREAGG_EVENT, PREAGG_BASIC, PREAGG_TRACE };

struct preagg_line {
	enum preagg_kind kind; /* PREAGG_NOTHING: blank, or a comment */
	struct text event;     /* EVENT, points into the line */
	struct vaddr at;       /* BASIC */
	struct trace trace;    /* TRACE */
	bool is_return;
	uint64_t count, mispredicted;
};

/* Read one line.  Locations with a build-id other than `own` are outside: they
 * become TRACE_EXTERNAL, whatever their position.  BC_FORMAT. */
BC_MUST_USE bool preagg_parse(const struct line *line, const struct build_id *own,
			      struct preagg_line *out, struct bc_error *err);

/* True if a line can be of this format and is not blank or a comment. */
bool preagg_fits(const struct line *line);

/* A reader, see reader.h. */
BC_MUST_USE bool preagg_read(struct lines *lines, const struct reader_options *options,
			     const struct event_sink *sink, struct reader_report *report,
			     struct bc_error *err);

#endif
