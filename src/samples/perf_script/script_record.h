/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fields of a perf script line that are before its branch stack:
 *
 *   [comm] [pid|tid|pid/tid] [[cpu]] [misc] [time:] [period] [event:] [ip] ...
 *
 * Which of them there are depends on what perf was asked for.  A comm can hold
 * anything, blanks and digits included.
 */
#ifndef SAMPLES_PERF_SCRIPT_SCRIPT_RECORD_H
#define SAMPLES_PERF_SCRIPT_SCRIPT_RECORD_H

#include "src/base/vec.h"
#include "src/samples/event.h"
#include "src/samples/text_blocks.h"

struct head {
	uint32_t pid; /* or a tid, if only that was printed; NO_PID if -1 */
	bool no_pid;  /* neither was printed */
	bool has_tid; /* both were printed: pid really is the pid */
	bool has_time;
	uint64_t time; /* in ns */
	bool has_ip;
	struct run_addr ip;
	struct run_addr data; /* what is before ip in a column of its own; or 0 */
	struct text event;    /* with its colon; points into the line */
	struct text rest;     /* what follows */
};

/* Read the first `size` bytes of a line.  A line without a process has a time, an event or, after
 * these bytes, a branch stack.  BC_FORMAT. */
BC_MUST_USE bool head_parse(const struct line *line, size_t size, struct head *out,
			    struct bc_error *err);

/* Read "pid/tid" or a single number, which is both.  -1 is NO_PID. */
bool head_parse_task(struct text word, uint32_t *pid, uint32_t *tid);

/*
 * The PERF_RECORD_ lines of perf script:
 *
 *   PERF_RECORD_MMAP2 PID/TID: [START(SIZE) @ OFFSET DEVICE INODE GEN]: r-xp PATH
 *   PERF_RECORD_MMAP2 PID/TID: [START(SIZE) @ OFFSET <BUILD-ID>]: r-xp PATH
 *   PERF_RECORD_MMAP PID/TID: [START(SIZE) @ OFFSET]: x PATH
 *   PERF_RECORD_COMM exec: COMM:PID/TID       without exec: only renamed
 *   PERF_RECORD_FORK(PID:TID):(PARENT PID:PARENT TID)
 *   PERF_RECORD_EXIT(PID:TID):(PARENT PID:PARENT TID)
 */

enum script_record_kind {
	RECORD_OTHER,
	RECORD_MAP,
	RECORD_COMM,
	RECORD_EXEC,
	RECORD_FORK,
	RECORD_EXIT
};

struct script_record {
	enum script_record_kind kind;
	uint32_t pid, tid;    /* NO_PID: the kernel's */
	uint32_t parent;      /* FORK: the pid that it came from */
	struct map_event map; /* MAP; the path points into the line */
};

/* Where in the first `size` bytes of a line a record is, or `size`. */
size_t record_find(struct text line, size_t size);

/* Read the record that is at byte `at` of a line.  BC_FORMAT. */
BC_MUST_USE bool record_parse(const struct line *line, size_t at, struct script_record *out,
			      struct bc_error *err);

/*
 * The branch stack of a perf script line: entries separated by blanks, newest
 * first,
 *
 *   FROM/TO/PREDICTION/...      FROM and TO: 0x..., 0x...(path of the file), or of perf 6.4
 *                               and later 0x... (path of the file)
 *
 * PREDICTION is M (mispredicted), P or - (unknown), then perhaps N: not taken.
 * An entry that was not taken, which only traces of Arm SPE have, is one with BRANCH_NOT_TAKEN.
 * What follows the prediction differs between releases; of it only the kind of branch is
 * taken, the seventh field: whether it is RET.
 */

DEFINE_VEC(branch_vec, struct branch);

/* Where the first entry is in a line, or the line's length. */
size_t stack_find(struct text line);

/* Read the entries that are in the line from byte `from` on and add them to `out`,
 * which is unchanged after an error.  Other fields can follow them.  BC_FORMAT,
 * BC_NOMEM. */
BC_MUST_USE bool stack_parse(const struct line *line, size_t from, struct branch_vec *out,
			     struct bc_error *err);

/* Does a stack end within an entry?  All entries of a line have the same number of fields.
 * Entries with paths, which can hold any character, are not checked. */
bool stack_ends_early(struct text stack);

/* True if a text holds entries without addresses, as brstacksym prints them. */
bool stack_is_symbolic(struct text text);

/* Parses one line of perf script's text.  For the lines before it only what they left open is
 * needed. */

/* What the lines that begin with a tab belong to. */
enum open_lines {
	OPEN_NOTHING,
	OPEN_SAMPLE,
	OPEN_DONE, /* a record, or a sample whose stack was read: they are not used */
};

struct script_open {
	enum open_lines lines;
	/* SAMPLE: has its line an address, and a time or an event?  Was the line before this one
	 * blank? */
	bool has_ip, is_anchored, after_blank;
};

enum script_kind {
	SCRIPT_BLANK, /* ends a sample */
	SCRIPT_COMMENT,
	SCRIPT_RECORD,
	SCRIPT_SAMPLE,    /* a head, and after it perhaps its branch stack */
	SCRIPT_STACK,     /* the branch stack of the sample that is open, in a line of its own */
	SCRIPT_CALLCHAIN, /* an entry of the call chain of the sample that is open, or begins with
			     it */
	SCRIPT_REST,      /* another line of the open sample or record, which is not used */
};

/* An entry of a call chain, as it is printed. */
struct script_frame {
	uint64_t at;
	struct text file; /* at the end of the line; empty if there is none */
	bool inlined;     /* a function that was inlined: it is before the code it is a part of */
};

struct script_item {
	enum script_kind kind;
	union {
		struct script_record record;
		struct head head;          /* SAMPLE */
		struct script_frame frame; /* CALLCHAIN */
	};
};

/* Read a line whose stack, if there is one, begins at byte `stack`; that is its length if there
 * is none.  The stack itself is not read.  Texts point into the line.
 *
 * BC_FORMAT, BC_UNSUPPORTED (symbolic branch stacks, listings of instructions) */
BC_MUST_USE bool script_parse(const struct line *line, size_t stack, const struct script_open *open,
			      struct script_item *out, struct bc_error *err);

/* True if a line can be of this format and is not blank or a comment. */
bool perf_script_fits(const struct line *line);

#endif
