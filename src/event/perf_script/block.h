/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The part of reading perf script's text that does not depend on earlier lines: finding
 * the ends of lines, and reading branch stacks, which is most of the work.  It runs in any
 * thread.
 */
#ifndef EVENT_PERF_SCRIPT_BLOCK_H
#define EVENT_PERF_SCRIPT_BLOCK_H

#include "src/event/perf_script/stack.h"
#include "src/event/text_blocks.h"

/* 32-bit members keep the array small: a text can have nearly as many lines as bytes. */
struct script_line {
	uint32_t number;  /* of the line in the block, from 0 */
	uint32_t at, len; /* in the block's text */
	uint32_t stack;   /* where its branch stack begins, or its length */
	uint32_t first_branch, branch_count; /* in the block's branches */
};
#define SCRIPT_LINE_BAD UINT32_MAX /* branch_count: it cannot be read; stack_parse() says why */
DEFINE_VEC(script_line_vec, struct script_line);

/* text_block.parsed */
struct script_block {
	struct script_line_vec lines;
	struct branch_vec branches;
	uint64_t blank; /* lines that follow a blank one, and are blank: they are not in `lines` */
	bool no_memory; /* for further lines: out of memory */
};

extern const struct text_parser script_block_parser;

#endif
