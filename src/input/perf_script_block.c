/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/input/perf_script_block.h"

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

/* Returns false when out of memory. */
static bool read_line(struct script_block *parsed, struct text text)
{
	struct line line = {.text = text, .file = ""};
	struct script_line out = {text, stack_find(text), parsed->branches.len, 0, false};
	struct bc_error err;

	if (out.stack < text.len) {
		out.bad = !stack_parse(&line, out.stack, &parsed->branches, &err);
		if (out.bad && err.code == BC_NOMEM)
			return false;
		out.branch_count = parsed->branches.len - out.first_branch;
	}
	return script_line_vec_push(&parsed->lines, out);
}

static void parse(struct text_block *block)
{
	struct script_block *parsed = block->parsed;
	struct text rest = block->text, line;

	parsed->lines.len = parsed->branches.len = 0;
	parsed->no_memory = false;
	while (!parsed->no_memory && text_line(&rest, &line))
		parsed->no_memory = !read_line(parsed, line);
	block->lines = parsed->lines.len;
}

const struct text_parser script_block_parser = {create, destroy, parse};
