/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses one line of perf script's text.  Of the lines before it only `open` is needed: what a line
 * that begins with a tab belongs to. */
#ifndef EVENT_PERF_SCRIPT_PARSE_H
#define EVENT_PERF_SCRIPT_PARSE_H

#include "src/event/perf_script/head.h"
#include "src/event/perf_script/record.h"

/* What the lines that begin with a tab belong to. */
enum open_lines { OPEN_NOTHING, OPEN_SAMPLE, OPEN_RECORD };

enum script_kind {
	SCRIPT_BLANK,   /* ends a sample */
	SCRIPT_COMMENT,
	SCRIPT_RECORD,
	SCRIPT_SAMPLE,  /* a head, and behind it perhaps its branch stack */
	SCRIPT_STACK,   /* the branch stack of the sample that is open, alone in its line */
	SCRIPT_CALLCHAIN, /* an entry of the call chain of the sample that is open */
	SCRIPT_REST,    /* another line of the open sample or record, which is not used */
};

/* An entry of a call chain, as it is printed. */
struct script_frame {
	uint64_t at;
	struct text file; /* at the end of the line; empty if there is none */
	bool inlined;     /* a function that was inlined: it stands before the code it is a part of */
};

struct script_item {
	enum script_kind kind;
	union {
		struct record record;
		struct head head; /* SAMPLE */
		struct script_frame frame; /* CALLCHAIN */
	};
};

/* Read a line whose stack, if there is one, begins at byte `stack`; that is its length if there
 * is none.  The stack itself is not read.  Texts point into the line.
 *
 * BC_FORMAT, BC_UNSUPPORTED (symbolic branch stacks, listings of instructions) */
BC_MUST_USE bool script_parse(const struct line *line, size_t stack, enum open_lines open,
			      struct script_item *out, struct bc_error *err);

/* True if a line can be of this format and is not blank or a comment. */
bool perf_script_fits(const struct line *line);

#endif
