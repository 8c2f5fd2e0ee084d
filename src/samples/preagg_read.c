/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/preagg_read.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/build_id.h"
#include "src/base/hex.h"
#include "src/base/vec.h"
#include "src/samples/text_blocks.h"
#include "src/samples/trace.h"

const struct preagg_shape preagg_shapes[PREAGG_SHAPES] = {
	{'T', PREAGG_BRANCH, PREAGG_TO, true, false, 0},
	{'R', PREAGG_BRANCH, PREAGG_TO, true, true, 0},
	{'B', PREAGG_BRANCH, PREAGG_FROM, true, false, 0},
	{'F', PREAGG_FROM, PREAGG_TO, false, false, TRACE_FT_ONLY},
	{'f', PREAGG_FROM, PREAGG_TO, false, false, TRACE_FT_EXTERNAL},
	{'r', PREAGG_FROM, PREAGG_TO, false, true, TRACE_FT_RETURN},
};

/* The part of the line that is left. */
struct parser {
	struct text rest;
	struct preagg_fault *fault;
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
	*p->fault = (struct preagg_fault){at, why};
	return false;
}

static bool parse_count(struct parser *p, uint64_t *out)
{
	struct text word = next_word(p);

	return text_dec(word, out) || fail(p, word.at, "expected a decimal count");
}

/* A hexadecimal number that follows one space, as nearly all locations do. */
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

static bool is_mark(struct text at, uint64_t *out)
{
	if (at.len != 2 || at.at[0] != '-' || at.at[1] < '1' || at.at[1] > '3')
		return false;
	*out = 0 - (uint64_t)(at.at[1] - '0');
	return true;
}

static bool is_id(struct text file)
{
	struct build_id id;

	return file.len && build_id_parse(file, &id);
}

static bool parse_location(struct parser *p, struct preagg_place *out)
{
	out->file = (struct text){"", 0};
	if (take_plain(p, &out->at))
		return true;
	struct text word = next_word(p), at = word;
	size_t colon = text_find(word, ':');
	if (colon < word.len) {
		at = text_from(word, colon + 1);
		out->file = text_first(word, colon);
		if (text_starts(out->file, "0x"))
			out->file = text_from(out->file, 2);
		if (!preagg_is_outside(out) && !is_id(out->file))
			return fail(p, word.at, "expected a build-id or X before the colon");
	}
	if (!is_mark(at, &out->at) && !text_hex(at, &out->at))
		return fail(p, at.at, "expected a hexadecimal address");
	if (out->at >= TRACE_FT_RETURN) /* a mark */
		out->file = (struct text){"", 0};
	return true;
}

static bool parse_end(struct parser *p)
{
	struct text word = next_word(p);

	return !word.len || fail(p, word.at, "expected the end of the line");
}

static bool parse_mispredictions(struct parser *p, bool allowed, uint64_t *out)
{
	struct text rest = p->rest, word = text_word(&rest);
	bool given = word.len && !is_comment(word);

	return !allowed || !given || parse_count(p, out);
}

static bool parse_trace(struct parser *p, const struct preagg_shape *shape,
			struct preagg_record *out)
{
	out->places[PREAGG_BRANCH].at = shape->branch;
	out->places[PREAGG_TO].at = TRACE_BR_ONLY;
	for (size_t i = shape->first; i <= shape->last; i++)
		if (!parse_location(p, &out->places[i]))
			return false;
	return parse_count(p, &out->count) &&
	       parse_mispredictions(p, shape->mispredictions, &out->mispredicted) && parse_end(p);
}

static bool parse_event(struct parser *p, struct preagg_record *out)
{
	out->event = text_trim(p->rest);
	if (text_is_numbers(out->event))
		return fail(p, out->event.at, "expected an event name, and no addresses");
	return out->event.len || fail(p, out->event.at, "expected an event name");
}

bool preagg_parse(struct text line, struct preagg_record *out, struct preagg_fault *fault)
{
	struct parser p = {line, fault};
	struct text letter = next_word(&p);

	*out = (struct preagg_record){0};
	if (!letter.len)
		return true;
	const struct preagg_shape *shape = letter.len == 1 ? preagg_shape_of(*letter.at) : NULL;
	out->letter = *letter.at;
	if (shape)
		return parse_trace(&p, shape, out);
	if (text_is(letter, "E"))
		return parse_event(&p, out);
	if (text_is(letter, "S"))
		return parse_location(&p, &out->places[0]) && parse_count(&p, &out->count) &&
		       parse_end(&p);
	return fail(&p, letter.at, "expected a record type, one of E S T R B F f r");
}

/* A number and the blank after it. */
static bool read_place(const char **at, uint64_t *out)
{
	unsigned digits = hex_open(*at, out);

	*at += digits + 1;
	return digits && (*at)[-1] == ' ';
}

/* A count below 10^18; after it is what ends it. */
static bool read_count(const char **at, uint64_t *out)
{
	const char *first = *at, *p = first;
	uint64_t sum = 0;

	for (; (unsigned char)(*p - '0') < 10; p++)
		sum = sum * 10 + (uint64_t)(*p - '0');
	*out = sum;
	*at = p;
	return p > first && p - first < 19;
}

bool preagg_take_numbers(const char **line, struct preagg_numbers *out)
{
	const char *at = *line + 2;
	const struct preagg_shape *shape =
		at[-2] != '\n' && at[-1] == ' ' ? preagg_shape_of(at[-2]) : NULL;

	if (!shape)
		return false;
	*out = (struct preagg_numbers){
		.shape = shape,
		.places = {[PREAGG_BRANCH] = shape->branch, [PREAGG_TO] = TRACE_BR_ONLY}};
	for (unsigned i = shape->first; i <= shape->last; i++)
		if (!read_place(&at, &out->places[i]))
			return false;
	if (!read_count(&at, &out->count))
		return false;
	if (*at == ' ' && (!shape->mispredictions || (at++, !read_count(&at, &out->mispredicted))))
		return false;
	if (*at != '\n')
		return false;
	*line = at + 1;
	return true;
}

bool preagg_fits(const struct line *line)
{
	struct preagg_record record;
	struct preagg_fault ignored;

	return preagg_parse(line->text, &record, &ignored) && record.letter;
}

bool preagg_almost_fits(const struct line *line)
{
	struct preagg_fault ignored;
	struct preagg_place place;
	struct parser p = {line->text, &ignored};
	struct text letter = next_word(&p);
	const struct preagg_shape *shape = letter.len == 1 ? preagg_shape_of(*letter.at) : NULL;
	size_t locations = shape ? shape->last - shape->first + 1U : text_is(letter, "S");
	uint64_t count;

	for (size_t i = 0; i < locations; i++)
		if (!parse_location(&p, &place))
			return false;
	return locations && !text_dec(next_word(&p), &count) && !next_word(&p).len;
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

/* A location in another file is outside. */
static uint64_t word_of(const struct preagg_place *place, const struct build_id *own)
{
	struct build_id id;

	if (!place->file.len)
		return place->at;
	bool is_own = own->size && build_id_parse(place->file, &id) && build_id_equal(own, &id);
	return is_own ? place->at : TRACE_EXTERNAL;
}

static bool keep_trace(struct parsed *parsed, const struct preagg_numbers *record)
{
	const uint64_t *places = record->places;
	uint64_t branch = places[PREAGG_BRANCH];

	/* A return from outside is what an r record says. */
	if (record->shape->returns && branch == TRACE_EXTERNAL)
		branch = TRACE_FT_RETURN;
	return trace_vec_push(&parsed->traces,
			      (struct trace_record){trace_of_words(branch, places[PREAGG_FROM],
								   places[PREAGG_TO]),
						    record->count, record->mispredicted,
						    record->shape->returns});
}

static bool keep(struct parsed *parsed, const struct preagg_record *record,
		 const struct build_id *own)
{
	const struct preagg_shape *shape = preagg_shape_of(record->letter);

	if (shape) {
		struct preagg_numbers numbers = {.shape = shape,
						 .count = record->count,
						 .mispredicted = record->mispredicted};
		for (size_t i = 0; i < PREAGG_PLACES; i++)
			numbers.places[i] = word_of(&record->places[i], own);
		return keep_trace(parsed, &numbers);
	}
	if (record->letter == 'S')
		return address_vec_push(
			&parsed->addresses,
			(struct address_record){{word_of(&record->places[0], own)}, record->count});
	if (record->letter == 'E')
		return name_list_push(&parsed->names, record->event);
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

/* Takes the lines at the front of *rest that are numbers alone.  False: no memory */
static bool keep_numbers(struct text *rest, struct line *line, struct parsed *parsed)
{
	struct preagg_numbers record;
	const char *at = rest->at, *end = rest->at + rest->len;
	bool ok = true;

	for (; ok && at < end && preagg_take_numbers(&at, &record); line->number++)
		ok = keep_trace(parsed, &record);
	*rest = text_from(*rest, (size_t)(at - rest->at));
	return ok;
}

static void parse_block(struct text_block *block)
{
	const struct build_id *own = block->all->ctx;
	struct parsed *parsed = block->parsed;
	struct line line = {.file = ""};
	struct preagg_record record;
	struct preagg_fault ignored;

	parsed->traces.len = parsed->addresses.len = parsed->names.len = 0;
	parsed->ignored = parsed->failed.number = 0;
	parsed->no_memory = false;
	for (struct text rest = block->text;;) {
		parsed->no_memory = !keep_numbers(&rest, &line, parsed);
		if (parsed->no_memory || !text_line(&rest, &line.text))
			break;
		line.number++;
		if (!preagg_parse(line.text, &record, &ignored))
			parsed->failed = line;
		else if (!keep(parsed, &record, own))
			parsed->no_memory = true;
		if (parsed->failed.number || parsed->no_memory)
			break;
		if (!record.letter)
			skip_blank(&rest, &line, parsed);
	}
	if (!parsed->failed.number && !text_ends(block->text, "\n"))
		parsed->failed = line; /* the last one of the file */
	block->lines = line.number;
}

/* Parse the line again, for the message about it.  A number whose end is missing would be another
 * one. */
static bool fail_line(const struct text_block *block, const char *file, struct bc_error *err)
{
	struct line line = ((const struct parsed *)block->parsed)->failed;
	struct preagg_record record;
	struct preagg_fault fault = {0};

	line.file = file;
	line.number += block->first_line - 1;
	if (!preagg_parse(line.text, &record, &fault))
		return line_fail(err, BC_FORMAT, &line, fault.at, fault.why);
	return bc_fail(err, BC_FORMAT,
		       "%s: line %" PRIu64
		       ", column %zu: the file ends within the line: it was cut",
		       file, line.number, line.text.len + 1);
}

/* Delivers all records of one kind in a block as one event. */
static bool deliver(struct text_block *block, const struct event_sink *sink, struct bc_error *err)
{
	const struct parsed *p = block->parsed;
	const struct event addresses = {.kind = EVENT_ADDRESSES,
					.addresses = {p->addresses.at, p->addresses.len}};
	const struct event traces = {.kind = EVENT_TRACES,
				     .memory = &block->memory,
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
		 const struct event_sink *sink, struct reader_report *report, struct bc_error *err)
{
	static const struct text_parser parser = {create_parsed, destroy_parsed, parse_block};
	BC_AUTO(text_blocks_fini) struct text_blocks blocks;

	text_blocks_init(&blocks, lines, options->pool, &parser, &options->build_id);
	report->timeless = true;
	bool ok = event_deliver(
			  sink,
			  &(struct event){.kind = EVENT_BEGIN, .recording = options->new_recording},
			  err) &&
		  deliver_all(&blocks, sink, report, err);
	return event_end(sink, ok, err);
}
