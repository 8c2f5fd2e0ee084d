/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/preagg_read.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/samples/preagg_line.h"
#include "src/samples/text_blocks.h"

bool preagg_fits(const struct line *line)
{
	struct preagg_record record;
	struct preagg_fault ignored;

	return preagg_parse(line->text, &record, &ignored) && record.letter;
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

/* A place in another file is outside. */
static uint64_t word_of(const struct preagg_place *place, const struct build_id *own)
{
	struct build_id id;

	if (!place->file.len)
		return place->at;
	bool is_own = own->size && build_id_parse(place->file, &id) && build_id_equal(own, &id);
	return is_own ? place->at : TRACE_EXTERNAL;
}

static struct trace_record trace_of_record(const struct preagg_record *record,
					   const struct preagg_shape *shape,
					   const struct build_id *own)
{
	uint64_t words[PREAGG_PLACES];

	for (size_t i = 0; i < PREAGG_PLACES; i++)
		words[i] = word_of(&record->places[i], own);
	/* A return from outside is what an r record says. */
	if (shape->returns && words[PREAGG_BRANCH] == TRACE_EXTERNAL)
		words[PREAGG_BRANCH] = TRACE_FT_RETURN;
	return (struct trace_record){
		trace_of_words(words[PREAGG_BRANCH], words[PREAGG_FROM], words[PREAGG_TO]),
		record->count, record->mispredicted, shape->returns};
}

static bool keep(struct parsed *parsed, const struct preagg_record *record,
		 const struct build_id *own)
{
	const struct preagg_shape *shape = preagg_shape_of(record->letter);

	if (shape)
		return trace_vec_push(&parsed->traces, trace_of_record(record, shape, own));
	if (record->letter == 'S')
		return address_vec_push(&parsed->addresses,
					(struct address_record){{word_of(&record->places[0], own)},
								record->count});
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
	for (struct text rest = block->text; text_line(&rest, &line.text);) {
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

/* Parse the line again, for the message about it.  A number whose end is missing would be another one. */
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
		       "%s: line %" PRIu64 ", column %zu: the file ends within the line: it was cut", file,
		       line.number, line.text.len + 1);
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
