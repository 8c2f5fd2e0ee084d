/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text in blocks of whole lines, which the threads of a pool parse while the reader
 * takes those that are parsed, in the order of the text.  A bounded number of blocks
 * is under way, whatever the size of the text.
 */
#ifndef SAMPLES_TEXT_BLOCKS_H
#define SAMPLES_TEXT_BLOCKS_H

#include <stdint.h>

#include "src/base/error.h"
#include "src/base/lines.h"
#include "src/base/parallel.h"
#include "src/base/text.h"
#include "src/samples/event.h"

/* One line of a text input, which knows where it comes from. */

struct line {
	struct text text;
	const char *file; /* for messages */
	uint64_t number;  /* from 1 */
};

/* Fails with "FILE: line L, column C: WHY" and what is there.
 *
 * at    a byte of the line, or its end
 * code  BC_FORMAT or BC_UNSUPPORTED */
bool line_fail(struct bc_error *err, enum bc_code code, const struct line *line, const char *at,
	       const char *why);

/* Is it of raw call stacks, TIME MAP ADDRESS ..., which `batconv stacks` reads and which could be
 * taken for text of perf script with a comm of two words?  Only its first three words are looked
 * at. */
bool line_is_raw_stack(struct text line);

struct text_block {
	struct task task;
	struct event_memory memory; /* of the block, for sinks */
	struct text_blocks *all;
	struct text_block *next;
	char *buffer; /* LINES_LONGEST bytes, and TEXT_AFTER */
	size_t holders;
	uint64_t first_line; /* number of its first line; set when it is taken */
	/* Whole lines; only the last of a text can lack its newline.  TEXT_AFTER zero bytes
	 * follow it.  What was parsed can point into it. */
	struct text text;
	size_t lines; /* in it; set by the parser */
	void *parsed; /* the parser's own, used again with the block */
};

/* The parser of a text format. */
struct text_parser {
	void *(*create)(void); /* for `parsed`; NULL: out of memory */
	void (*destroy)(void *parsed);
	/* Parse block->text into block->parsed and count its lines.  Runs in any
	 * thread.  Errors are kept in `parsed`: the reader reports them when it takes the block. */
	void (*parse)(struct text_block *block);
};

struct text_blocks {
	struct lines *lines;              /* borrowed */
	struct pool *pool;                /* borrowed, or NULL */
	const struct text_parser *parser; /* borrowed */
	const void *ctx;                  /* for the parser */
	struct text_block *first, **end;  /* under way, in the order of the text */
	struct text_block *free;
	unsigned under_way;
	bool at_end;
	struct bc_error err; /* that ended the reading; reported after the blocks before it */
};

/* Begin at the first line that lines_next() has not returned.  ctx: for the parser. */
void text_blocks_init(struct text_blocks *blocks, struct lines *lines, struct pool *pool,
		      const struct text_parser *parser, const void *ctx);

/* Waits for what is under way, and frees all.  No sink may hold a block then. */
void text_blocks_fini(struct text_blocks *blocks);

/* The next block, parsed.  Returns false at the end (BC_OK), or with BC_IO, BC_NOMEM, or
 * BC_FORMAT for a line that is too long. */
BC_MUST_USE bool text_blocks_next(struct text_blocks *blocks, struct text_block **out,
				  struct bc_error *err);

/* Give a block back.  It is used again when no sink holds it any more. */
void text_block_release(struct text_block *block);

#endif
