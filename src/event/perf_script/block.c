/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/block.h"

#include <stdlib.h>

static void *create(void)
{
	return calloc(1, sizeof(struct script_block));
}

static void destroy(void *parsed)
{
	struct script_block *p = parsed;

	script_line_vec_free(&p->lines);
	branch_vec_free(&p->branches);
	free(p);
}

/* Line and branches of a block fit into 32 bits.  Returns false when out of memory. */
static bool read_line(struct script_block *parsed, struct text block, struct text text, uint64_t number)
{
	struct line line = {.text = text, .file = ""};
	struct script_line out = {.number = (uint32_t)number,
				  .at = (uint32_t)(text.at - block.at),
				  .len = (uint32_t)text.len,
				  .stack = (uint32_t)stack_find(text),
				  .first_branch = (uint32_t)parsed->branches.len};
	struct bc_error err;

	if (out.stack < text.len) {
		bool ok = stack_parse(&line, out.stack, &parsed->branches, &err);
		if (!ok && err.code == BC_NOMEM)
			return false;
		out.branch_count = ok ? (uint32_t)parsed->branches.len - out.first_branch
				      : SCRIPT_LINE_BAD;
	}
	return script_line_vec_push(&parsed->lines, out);
}

static void parse(struct text_block *block)
{
	struct script_block *parsed = block->parsed;
	struct text rest = block->text, line;
	uint64_t number = 0, blank;

	parsed->lines.len = parsed->branches.len = 0;
	parsed->blank = 0;
	parsed->no_memory = false;
	while (!parsed->no_memory && text_line(&rest, &line)) {
		parsed->no_memory = !read_line(parsed, block->text, line, number++);
		if (text_trim(line).len)
			continue;
		rest = text_from(rest, text_blank_lines(rest, &blank));
		number += blank;
		parsed->blank += blank;
	}
	block->lines = number;
}

_Static_assert(LINES_LONGEST < UINT32_MAX, "script_line has 32 bits");

const struct text_parser script_block_parser = {create, destroy, parse};
