/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/preagg_read.h"

#include <stdlib.h>

#include "src/base/hex.h"
#include "src/base/vec.h"
#include "src/event/text_blocks.h"


/* The records that are traces: which of branch, from and to are in the line, and what stands
 * for the one that is not. */
static const struct trace_shape {
	char letter;
	uint8_t first, last; /* of the locations 0 branch, 1 from, 2 to */
	bool mispreds; /* a count of mispredictions can stand behind the count */
	bool is_return;
	struct trace others;
} trace_shapes[] = {
	{'T', 0, 2, true, false, {{0}, {0}, {0}}},
	{'R', 0, 2, true, true, {{0}, {0}, {0}}},
	{'B', 0, 1, true, false, {{0}, {0}, {TRACE_BR_ONLY}}},
	{'F', 1, 2, false, false, {{TRACE_FT_ONLY}, {0}, {0}}},
	{'f', 1, 2, false, false, {{TRACE_FT_EXTERNAL}, {0}, {0}}},
	{'r', 1, 2, false, true, {{TRACE_FT_RETURN}, {0}, {0}}},
};

/* The line that is read, and the part of it that is left. */
struct parser {
	const struct line *line;
	struct text rest;
	const struct build_id *own;
	struct bc_error *err;
};

static bool is_comment(struct text word)
{
	return text_starts(word, "#") || text_starts(word, "//");
}

/* The next word; empty at the end of the line, or where a comment begins. */
static struct text next_word(struct parser *p)
{
	struct text word = text_word(&p->rest);

	if (is_comment(word)) {
		p->rest = text_from(word, word.len);
		return text_first(word, 0);
	}
	return word;
}

static bool fail(struct parser *p, const char *at, const char *why)
{
	return line_fail(p->err, BC_FORMAT, p->line, at, why);
}

static bool parse_count(struct parser *p, uint64_t *out)
{
	struct text word = next_word(p);

	return text_dec(word, out) || fail(p, word.at, "expected a decimal count");
}

static bool is_own(const struct parser *p, const struct build_id *id)
{
	return p->own->size && build_id_equal(p->own, id);
}

/* A hexadecimal number behind one space, as nearly all locations are. */
static bool take_plain(struct parser *p, uint64_t *out)
{
	size_t blank = p->rest.len && *p->rest.at == ' ';
	const char *at = p->rest.at + blank, *end = p->rest.at + p->rest.len;
	size_t digits = hex_read(at, end, out);

	if (!digits || digits > 16 || (at + digits < end && at[digits] != ' '))
		return false;
	p->rest = text_from(p->rest, blank + digits);
	return true;
}

/* -1, -2 and -3 are not addresses, also behind a build-id. */
static bool is_mark(struct text at, uint64_t *out)
{
	if (at.len != 2 || at.at[0] != '-' || at.at[1] < '1' || at.at[1] > '3')
		return false;
	*out = 0 - (uint64_t)(at.at[1] - '0');
	return true;
}

static bool parse_location(struct parser *p, uint64_t *out)
{
	if (take_plain(p, out))
		return true;
	struct text word = next_word(p);
	size_t colon = text_find(word, ':');
	struct text file = text_first(word, colon), at = word;
	struct build_id id = {0};
	bool outside = false;

	if (colon < word.len) {
		at = text_from(word, colon + 1);
		outside = text_is(file, "X");
		if (!outside) {
			if (text_starts(file, "0x"))
				file = text_from(file, 2);
			if (!file.len || !build_id_parse(file, &id))
				return fail(p, word.at, "expected a build-id or X before the colon");
			outside = !is_own(p, &id);
		}
	}
	if (is_mark(at, out))
		return true;
	if (!text_hex(at, out))
		return fail(p, at.at, "expected a hexadecimal address");
	if (outside)
		*out = TRACE_EXTERNAL;
	return true;
}

static bool parse_end(struct parser *p)
{
	struct text word = next_word(p);

	return !word.len || fail(p, word.at, "expected the end of the line");
}

static bool parse_mispreds(struct parser *p, bool allowed, uint64_t *out)
{
	struct text rest = p->rest, word = text_word(&rest);
	bool given = word.len && !is_comment(word);

	*out = 0;
	return !allowed || !given || parse_count(p, out);
}

static bool parse_trace(struct parser *p, const struct trace_shape *shape,
			struct preagg_line *out)
{
	out->kind = PREAGG_TRACE;
	out->is_return = shape->is_return;
	out->trace = shape->others;
	struct trace_end *const ends[] = {&out->trace.branch, &out->trace.from, &out->trace.to};
	for (size_t i = shape->first; i <= shape->last; i++)
		if (!parse_location(p, &ends[i]->word))
			return false;
	/* An r record is a return from outside. */
	if (out->is_return && trace_end_is(out->trace.branch, TRACE_END_EXTERNAL))
		out->trace.branch = trace_end_of(TRACE_END_FT_RETURN);
	return parse_count(p, &out->count) &&
	       parse_mispreds(p, shape->mispreds, &out->mispredicted) && parse_end(p);
}

static bool parse_event(struct parser *p, struct preagg_line *out)
{
	out->kind = PREAGG_EVENT;
	out->event = text_trim(p->rest);
	if (text_is_numbers(out->event))
		return fail(p, out->event.at, "expected an event name, and no addresses");
	return out->event.len || fail(p, out->event.at, "expected an event name");
}

static bool parse_basic(struct parser *p, struct preagg_line *out)
{
	out->kind = PREAGG_BASIC;
	return parse_location(p, &out->at.v) && parse_count(p, &out->count) && parse_end(p);
}

bool preagg_parse(const struct line *line, const struct build_id *own,
		  struct preagg_line *out, struct bc_error *err)
{
	struct parser p = {line, line->text, own, err};
	struct text letter = next_word(&p);

	*out = (struct preagg_line){.kind = PREAGG_NOTHING};
	if (!letter.len)
		return true;
	if (text_is(letter, "E"))
		return parse_event(&p, out);
	if (text_is(letter, "S"))
		return parse_basic(&p, out);
	for (size_t i = 0; i < BC_COUNT(trace_shapes); i++)
		if (letter.len == 1 && *letter.at == trace_shapes[i].letter)
			return parse_trace(&p, &trace_shapes[i], out);
	return fail(&p, letter.at, "expected a record type, one of E S T R B F f r");
}

bool preagg_fits(const struct line *line)
{
	struct build_id none = {0};
	struct preagg_line record;
	struct bc_error err;

	return preagg_parse(line, &none, &record, &err) && record.kind != PREAGG_NOTHING;
}

DEFINE_VEC(trace_vec, struct trace_record);
DEFINE_VEC(address_vec, struct address_record);
DEFINE_VEC(name_list, struct text);

/* The records of a block's lines. */
struct parsed {
	struct trace_vec traces;
	struct address_vec addresses;
	struct name_list names;
	uint64_t ignored;
	struct line failed; /* the first line that cannot be read; `number` in the block, 0: none */
	bool no_memory;
};

static void *create_parsed(void)
{
	return calloc(1, sizeof(struct parsed));
}

static void destroy_parsed(void *parsed)
{
	struct parsed *p = parsed;

	trace_vec_free(&p->traces);
	address_vec_free(&p->addresses);
	name_list_free(&p->names);
	free(p);
}

static bool keep(struct parsed *parsed, const struct preagg_line *record)
{
	switch (record->kind) {
	case PREAGG_TRACE:
		return trace_vec_push(&parsed->traces,
				      (struct trace_record){record->trace, record->count,
							    record->mispredicted,
							    record->is_return});
	case PREAGG_BASIC:
		return address_vec_push(&parsed->addresses,
					(struct address_record){record->at, record->count});
	case PREAGG_EVENT:
		return name_list_push(&parsed->names, record->event);
	case PREAGG_NOTHING:
		break;
	}
	parsed->ignored++;
	return true;
}

static void skip_blank(struct text *rest, struct line *line, struct parsed *parsed)
{
	uint64_t lines;

	*rest = text_from(*rest, text_blank_lines(*rest, &lines));
	line->number += lines;
	parsed->ignored += lines;
}

static void parse_block(struct text_block *block)
{
	const struct build_id *own = block->all->ctx;
	struct parsed *parsed = block->parsed;
	struct line line = {.file = ""};
	struct preagg_line record;
	struct bc_error err;

	parsed->traces.len = parsed->addresses.len = parsed->names.len = 0;
	parsed->ignored = parsed->failed.number = 0;
	parsed->no_memory = false;
	for (struct text rest = block->text; text_line(&rest, &line.text);) {
		line.number++;
		if (!preagg_parse(&line, own, &record, &err))
			parsed->failed = line;
		else if (!keep(parsed, &record))
			parsed->no_memory = true;
		if (parsed->failed.number || parsed->no_memory)
			break;
		if (record.kind == PREAGG_NOTHING)
			skip_blank(&rest, &line, parsed);
	}
	block->lines = line.number;
}

/* Parse the line again, for the message about it. */
static bool fail_line(const struct text_block *block, const char *file, struct bc_error *err)
{
	struct line line = ((const struct parsed *)block->parsed)->failed;
	struct preagg_line record;

	line.file = file;
	line.number += block->first_line - 1;
	return preagg_parse(&line, block->all->ctx, &record, err);
}

/* Delivers all records of one kind in a block as one event. */
static bool deliver(struct text_block *block, const struct event_sink *sink, struct bc_error *err)
{
	const struct parsed *p = block->parsed;
	const struct event addresses = {.kind = EVENT_ADDRESSES, .addresses = {p->addresses.at, p->addresses.len}};
	const struct event traces = {.kind = EVENT_TRACES, .memory = &block->memory,
				     .traces = {p->traces.at, p->traces.len}};

	for (size_t i = 0; i < p->names.len; i++) {
		const struct event name = {.kind = EVENT_NAME, .name = p->names.at[i]};
		if (!event_deliver(sink, &name, err))
			return false;
	}
	return (!p->addresses.len || event_deliver(sink, &addresses, err)) &&
	       (!p->traces.len || event_deliver(sink, &traces, err));
}

static bool take_block(struct text_block *block, const char *file, const struct event_sink *sink,
		       struct bc_error *err)
{
	const struct parsed *parsed = block->parsed;

	if (!deliver(block, sink, err))
		return false;
	if (parsed->no_memory)
		return bc_fail_nomem(err);
	return !parsed->failed.number || fail_line(block, file, err);
}

static bool deliver_all(struct text_blocks *blocks, const struct event_sink *sink,
			struct reader_report *report, struct bc_error *err)
{
	struct text_block *block;

	while (text_blocks_next(blocks, &block, err)) {
		report->lines = blocks->lines->number;
		report->ignored += ((struct parsed *)block->parsed)->ignored;
		bool ok = take_block(block, blocks->lines->stream->name, sink, err);
		text_block_release(block);
		if (!ok)
			return false;
	}
	return err->code == BC_OK;
}

bool preagg_read(struct lines *lines, const struct reader_options *options,
		 const struct event_sink *sink, struct reader_report *report,
		 struct bc_error *err)
{
	static const struct text_parser parser = {create_parsed, destroy_parsed, parse_block};
	BC_AUTO(text_blocks_fini) struct text_blocks blocks;

	text_blocks_init(&blocks, lines, options->pool, &parser, &options->build_id);
	report->timeless = true;
	bool ok = event_deliver(sink, &(struct event){.kind = EVENT_BEGIN, .recording = options->new_recording}, err) &&
		  deliver_all(&blocks, sink, report, err);
	return event_end(sink, ok, err);
}
