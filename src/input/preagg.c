/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/input/preagg.h"

enum mispreds { MISPREDS_NONE, MISPREDS_OPTIONAL, MISPREDS_REQUIRED };

/* The records that are traces: which of branch, from and to stand in the line,
 * and what the one that does not is. */
static const struct trace_shape {
	char letter;
	uint8_t first, last; /* of the locations 0 branch, 1 from, 2 to */
	enum mispreds mispreds;
	bool is_return;
	struct trace defaults;
} trace_shapes[] = {
	{'T', 0, 2, MISPREDS_OPTIONAL, false, {0, 0, 0}},
	{'R', 0, 2, MISPREDS_OPTIONAL, true, {0, 0, 0}},
	{'B', 0, 1, MISPREDS_REQUIRED, false, {0, 0, TRACE_BR_ONLY}},
	{'F', 1, 2, MISPREDS_NONE, false, {TRACE_FT_ONLY, 0, 0}},
	{'f', 1, 2, MISPREDS_NONE, false, {TRACE_FT_EXTERNAL, 0, 0}},
	{'r', 1, 2, MISPREDS_NONE, true, {TRACE_FT_RETURN, 0, 0}},
};

/* No machine counts so far; sums of it stay within 64 bits. */
#define COUNT_MOST ((UINT64_C(1) << 48) - 1)

/* What is being read, and what is left of the line. */
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

/* The next word; empty at the end of the line or of what counts of it. */
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

	if (!text_dec(word, out))
		return fail(p, word.at, "expected a decimal count");
	return *out <= COUNT_MOST || fail(p, word.at, "expected a count below 2^48");
}

static bool is_own(const struct parser *p, const struct build_id *id)
{
	return p->own->size && build_id_equal(p->own, id);
}

static bool parse_location(struct parser *p, uint64_t *out)
{
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

static bool parse_mispreds(struct parser *p, enum mispreds want, uint64_t *out)
{
	struct text rest = p->rest, word = text_word(&rest);
	bool given = word.len && !is_comment(word);

	*out = 0;
	if (want == MISPREDS_REQUIRED || (want == MISPREDS_OPTIONAL && given))
		return parse_count(p, out);
	return true;
}

static bool parse_trace(struct parser *p, const struct trace_shape *shape,
			struct preagg_record *out)
{
	out->kind = PREAGG_TRACE;
	out->is_return = shape->is_return;
	out->trace = shape->defaults;
	uint64_t *const at[] = {&out->trace.branch, &out->trace.from, &out->trace.to};
	for (size_t i = shape->first; i <= shape->last; i++)
		if (!parse_location(p, at[i]))
			return false;
	/* A return from outside is what an r record says. */
	if (out->is_return && out->trace.branch == TRACE_EXTERNAL)
		out->trace.branch = TRACE_FT_RETURN;
	return parse_count(p, &out->count) &&
	       parse_mispreds(p, shape->mispreds, &out->mispredicted) && parse_end(p);
}

static bool parse_event(struct parser *p, struct preagg_record *out)
{
	out->kind = PREAGG_EVENT;
	out->event = text_trim(p->rest);
	return out->event.len || fail(p, out->event.at, "expected an event name");
}

static bool parse_basic(struct parser *p, struct preagg_record *out)
{
	out->kind = PREAGG_BASIC;
	return parse_location(p, &out->at.v) && parse_count(p, &out->count) && parse_end(p);
}

bool preagg_parse(const struct line *line, const struct build_id *own,
		  struct preagg_record *out, struct bc_error *err)
{
	struct parser p = {line, line->text, own, err};
	struct text letter = next_word(&p);

	*out = (struct preagg_record){.kind = PREAGG_NOTHING};
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
	struct preagg_record record;
	struct bc_error err;

	return preagg_parse(line, &none, &record, &err) && record.kind != PREAGG_NOTHING;
}

static bool deliver(const struct preagg_record *record, struct sample_sink *sink,
		    struct reader_report *report, struct bc_error *err)
{
	switch (record->kind) {
	case PREAGG_EVENT:
		return sink->event(sink->ctx, record->event, err);
	case PREAGG_BASIC:
		return sink->basic(sink->ctx, record->at, record->count, err);
	case PREAGG_TRACE:
		return sink->trace(sink->ctx, &record->trace, record->is_return,
				   record->count, record->mispredicted, err);
	case PREAGG_NOTHING:
		break;
	}
	report->ignored++;
	return true;
}

bool preagg_read(struct lines *lines, const struct reader_options *options,
		 struct sample_sink *sink, struct reader_report *report,
		 struct bc_error *err)
{
	struct line line = {.file = lines->stream->name};
	struct preagg_record record;

	report->timeless = true;
	while (lines_next(lines, &line.text, err)) {
		line.number = report->lines = lines->number;
		if (!preagg_parse(&line, &options->build_id, &record, err) ||
		    !deliver(&record, sink, report, err))
			return false;
	}
	return err->code == BC_OK;
}
