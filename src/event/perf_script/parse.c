/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/parse.h"

#include "src/event/perf_script/stack.h"

static bool refuse_symbols(const struct line *line, const char *at, struct bc_error *err)
{
	return line_fail(err, BC_UNSUPPORTED, line, at,
			 "branch stacks with symbols have no addresses "
			 "(run perf script with -F pid,ip,brstack): expected addresses");
}

/* What stands before the stack of a sample. */
static bool parse_sample(const struct line *line, size_t stack, struct script_item *out,
			 struct bc_error *err)
{
	struct head *head = &out->head;

	out->kind = SCRIPT_SAMPLE;
	if (!head_parse(line, stack, head, err)) {
		if (stack == line->text.len && stack_is_symbolic(line->text))
			return refuse_symbols(line, line->text.at, err);
		return false;
	}
	if (stack == line->text.len && stack_is_symbolic(head->rest))
		return refuse_symbols(line, head->rest.at, err);
	return true;
}

/* The path at the end of a line of a call chain, "... (/srv/app)": a symbol can
 * have brackets, too. */
static struct text chain_file(struct text line)
{
	line = text_trim(line);
	if (text_ends(line, ")"))
		for (size_t i = line.len - 1; i-- > 1;)
			if (line.at[i - 1] == ' ' && line.at[i] == '(' &&
			    (line.at[i + 1] == '/' || line.at[i + 1] == '['))
				return text_first(text_from(line, i + 1), line.len - i - 2);
	return (struct text){line.at, 0};
}

/* A line of a call chain, or of a record that takes several. */
static bool parse_continuation(const struct line *line, enum open_lines open,
			       struct script_item *out, struct bc_error *err)
{
	struct script_frame *frame = &out->frame;
	struct text rest = line->text;

	out->kind = SCRIPT_REST;
	if (open != OPEN_SAMPLE || !text_hex(text_word(&rest), &frame->at))
		return true;
	if (text_is(text_word(&rest), "insn:"))
		return line_fail(err, BC_UNSUPPORTED, line, text_trim(line->text).at,
				 "a listing of instructions (brstackinsn) holds no branches; use -F pid,ip,brstack");
	out->kind = SCRIPT_CALLCHAIN;
	frame->file = chain_file(line->text);
	frame->inlined = text_ends(text_trim(line->text), "(inlined)");
	return true;
}

bool script_parse(const struct line *line, size_t stack, enum open_lines open,
		  struct script_item *out, struct bc_error *err)
{
	struct text text = line->text;

	if (!text_trim(text_first(text, stack)).len) {
		out->kind = stack < text.len ? SCRIPT_STACK : SCRIPT_BLANK;
		return stack == text.len || open == OPEN_SAMPLE ||
		       line_fail(err, BC_FORMAT, line, text.at + stack,
				 "expected a process id before the branch stack");
	}
	if (text_starts(text, "#")) {
		out->kind = SCRIPT_COMMENT;
		return true;
	}
	if (text_starts(text, "\t") && open != OPEN_NOTHING)
		return parse_continuation(line, open, out, err);
	size_t record = record_find(text, stack);
	if (record == stack)
		return parse_sample(line, stack, out, err);
	out->kind = SCRIPT_RECORD;
	return record_parse(line, record, &out->record, err);
}

/* A line of one number is a sample with an empty branch stack.  A word and a number are not:
 * "a;b;c 12" is a folded stack. */
static bool fits_head(const struct line *line, size_t stack)
{
	struct head head;
	struct bc_error err;

	if (!head_parse(line, stack, &head, &err))
		return false;
	struct text rest = line->text;
	text_word(&rest);
	return head.has_ip || head.has_time || head.event.len || head.has_tid || !text_trim(rest).len;
}

bool perf_script_fits(const struct line *line)
{
	struct text text = line->text;
	size_t stack = stack_find(text);

	if (!text_trim(text).len || text_starts(text, "#"))
		return false;
	return stack < text.len || record_find(text, stack) < stack ||
	       fits_head(line, stack) || stack_is_symbolic(text);
}
