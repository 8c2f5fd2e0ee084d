/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/preagg_line.h"

#include "src/base/build_id.h"
#include "src/base/hex.h"
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
