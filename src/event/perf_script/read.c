/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/read.h"

#include "src/event/perf_script/block.h"
#include "src/event/perf_script/perf_script.h"
#include "src/event/perf_script/perf_text.h"

struct reading {
	struct perf_script script;
	struct text_blocks blocks;
	bool cut_will_do; /* as in the reader's options */
};

static bool has_stack(const struct script_line *at)
{
	return at->stack < at->len;
}

/* Is this line an error, or a sample without a branch stack and without an address? */
static bool is_damaged(const struct perf_script *script, const struct script_line *at,
		       const struct line *line)
{
	struct script_item item;
	struct bc_error err;

	if (!script_parse(line, at->stack, script->open, &item, &err))
		return err.code == BC_FORMAT;
	if (!has_stack(at)) /* the sample has no branches */
		return item.kind == SCRIPT_SAMPLE && !item.head.has_ip;
	return at->branch_count == SCRIPT_LINE_BAD &&
	       (item.kind == SCRIPT_SAMPLE || item.kind == SCRIPT_STACK);
}

/* Is the last line, which has no newline, cut?  A line of compressed data that ends early is.
 * Of other text, a line that cannot be read is the rest of a line that its writer did not
 * finish, unless the text has no other line.  A line that can be read counts as whole, although
 * its last number may be cut. */
static bool is_cut(const struct reading *r, const struct text_block *block,
		   const struct script_line *at, const struct line *line)
{
	if (!r->cut_will_do || at->at + at->len != block->text.len || line->number == 1)
		return false;
	return block->all->lines->stream->cut || is_damaged(&r->script, at, line) ||
	       stack_ends_early(text_from(line->text, at->stack));
}

static void note_cut(struct reader_report *report, const struct text_block *block,
		     const struct line *line)
{
	report->cut = true;
	report->cut_line = line->number;
	report->cut_at = block->all->lines->bytes - line->text.len; /* all was given out */
}

static bool read_line(struct reading *r, struct text_block *block, const struct script_line *at,
		      const struct line *line, struct bc_error *err)
{
	const struct script_block *parsed = block->parsed;
	bool was_read = has_stack(at) && at->branch_count != SCRIPT_LINE_BAD;
	bool any = was_read && at->branch_count; /* without branches there may be no array */
	const struct read_stack read = {any ? &parsed->branches.at[at->first_branch] : NULL, at->branch_count,
					&block->memory};

	r->script.report->lines = line->number;
	return perf_script_line(&r->script, line, at->stack, was_read ? &read : NULL, err);
}

static bool read_block(struct reading *r, struct text_block *block, const char *file,
		       struct bc_error *err)
{
	const struct script_block *parsed = block->parsed;

	for (size_t i = 0; i < parsed->lines.len; i++) {
		const struct script_line *at = &parsed->lines.at[i];
		struct line line = {{block->text.at + at->at, at->len}, file, block->first_line + at->number};
		if (is_cut(r, block, at, &line)) {
			note_cut(r->script.report, block, &line);
			return true;
		}
		if (!read_line(r, block, at, &line, err))
			return false;
	}
	r->script.report->ignored += parsed->blank;
	r->script.report->lines = block->first_line + block->lines - 1;
	return !parsed->no_memory || bc_fail_nomem(err);
}

static bool read_blocks(struct reading *r, struct bc_error *err)
{
	struct text_blocks *blocks = &r->blocks;
	struct text_block *block;

	while (text_blocks_next(blocks, &block, err)) {
		bool ok = read_block(r, block, blocks->lines->stream->name, err);
		text_block_release(block);
		if (!ok)
			return false;
	}
	return err->code == BC_OK && perf_script_end(&r->script, err);
}

static void reading_fini(struct reading *r)
{
	text_blocks_fini(&r->blocks);
	perf_script_fini(&r->script);
}

static bool is_perf_text(struct lines *lines, bool *out, struct bc_error *err)
{
	struct text start;

	if (!lines_peek(lines, strlen(PERF_TEXT_MAGIC), &start, err))
		return false;
	*out = text_starts(start, PERF_TEXT_MAGIC);
	return true;
}

bool perf_script_read(struct lines *lines, const struct reader_options *options,
		      const struct event_sink *sink, struct reader_report *report,
		      struct bc_error *err)
{
	BC_AUTO(reading_fini) struct reading r = {.cut_will_do = options->cut_will_do};
	const struct event begin = {.kind = EVENT_BEGIN, .recording = options->new_recording};
	bool parts;

	perf_script_init(&r.script, sink, report);
	text_blocks_init(&r.blocks, lines, options->pool, &script_block_parser, NULL);
	report->timeless = true; /* until a time is seen */
	bool ok = is_perf_text(lines, &parts, err) && event_deliver(sink, &begin, err) &&
		  (parts ? perf_text_lines(&r.script, lines, err) : read_blocks(&r, err));
	return event_end(sink, ok, err);
}
