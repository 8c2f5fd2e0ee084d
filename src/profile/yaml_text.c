/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/attr.h"
#include "src/base/text.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool is_plain(const char *s)
{
	/* Words that some reader takes for a value of another type. */
	static const char *const reserved[] = {"null", "true", "false", "yes", "no",
					       "on",   "off",  "y",     "n"};
	size_t letters = 0;

	for (size_t i = 0; i < BC_COUNT(reserved); i++)
		if (!strcasecmp(s, reserved[i]))
			return false;
	for (const char *c = s; *c; c++)
		letters += (*c | 32) > 'f' && (*c | 32) <= 'z'; /* no digit in any base */
	return *s && strchr(PLAIN "/", *s) && *s != '-' && *s != '.' && *s != '/' && letters &&
	       !s[strspn(s, PLAIN)];
}

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || (unsigned char)*s > '~')
			return false;
	return true;
}

static void single_quoted(struct emit *out, const char *s)
{
	emit_char(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			emit_char(out, '\'');
		emit_char(out, *s);
	}
	emit_char(out, '\'');
}

/* For a character that utf8_length() knows. */
static uint32_t code_point(const unsigned char *s, size_t length)
{
	uint32_t point = length == 1 ? *s : *s & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++)
		point = point << 6 | (s[i] & 0x3f);
	return point;
}

/* Line breaks and what YAML calls not printable. */
static bool must_escape(uint32_t point)
{
	return point < ' ' || (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
	       point == 0x2029 || point == 0xfeff || point == 0xfffe || point == 0xffff;
}

static void emit_escape(struct emit *out, uint32_t point)
{
	static const char digits[] = "0123456789ABCDEF";

	emit_string(out, point > 0xff ? "\\u" : "\\x");
	for (int shift = point > 0xff ? 12 : 4; shift >= 0; shift -= 4)
		emit_char(out, digits[point >> shift & 15]);
}

/* What is no UTF-8 becomes U+FFFD. */
static size_t emit_character(struct emit *out, const unsigned char *s)
{
	size_t length = *s < ' ' ? 1 : utf8_length(s);
	uint32_t point = length ? code_point(s, length) : 0xfffd;

	if (point == '"' || point == '\\')
		emit_char(out, '\\');
	if (must_escape(point))
		emit_escape(out, point);
	else
		emit_bytes(out, length ? (const char *)s : "\xef\xbf\xbd", length ? length : 3);
	return length ? length : 1;
}

static void double_quoted(struct emit *out, const char *s)
{
	emit_char(out, '"');
	while (*s)
		s += emit_character(out, (const unsigned char *)s);
	emit_char(out, '"');
}

static void quoted(struct emit *out, const char *s)
{
	if (is_printable(s))
		single_quoted(out, s);
	else
		double_quoted(out, s);
}

void yaml_scalar(struct emit *out, const char *string)
{
	if (is_plain(string))
		emit_string(out, string);
	else
		quoted(out, string);
}

bool yaml_joined(struct emit *out, const char *const *strings, size_t count)
{
	size_t size = 1;

	for (size_t i = 0; i < count; i++)
		size += strlen(strings[i]) + 1;
	char *all = malloc(size), *end = all;
	if (!all)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (i)
			*end++ = ' ';
		end = stpcpy(end, strings[i]);
	}
	*end = '\0';
	quoted(out, all);
	free(all);
	return true;
}

void yaml_hex(struct emit *out, uint64_t value)
{
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789ABCDEF"[value & 15];
		value >>= 4;
	} while (value);
	emit_string(out, "0x");
	emit_bytes(out, digits + at, sizeof(digits) - at);
}

void yaml_hex_field(struct emit *out, const char *key, uint64_t value)
{
	if (!value)
		return;
	emit_string(out, key);
	yaml_hex(out, value);
}

void yaml_dec_field(struct emit *out, const char *key, uint64_t value)
{
	if (!value)
		return;
	emit_string(out, key);
	emit_dec(out, value);
}

/* ---- reading ---- */

/* Functions, a function, blocks, a block, calls, a call: the rest is for values of unknown keys. */
#define DEPTH_MOST   32
#define UNKNOWN_MOST ((size_t)1 << 20) /* bytes of an unknown key and its value */
#define WORD         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+~-"

static int read_more(void *ctx, unsigned char *buffer, size_t size, size_t *got)
{
	struct yaml_scan *in = ctx;

	*got = in->begin.len < size ? in->begin.len : size;
	if (*got) {
		memcpy(buffer, in->begin.at, *got);
		in->begin = text_from(in->begin, *got);
		return 1;
	}
	return stream_read(in->stream, buffer, size, got, &in->io);
}

bool scan_open(struct yaml_scan *in, struct file_stream *stream, struct text begin)
{
	*in = (struct yaml_scan){.stream = stream, .begin = begin};
	if (!yaml_parser_initialize(&in->parser))
		return false;
	yaml_parser_set_encoding(&in->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input(&in->parser, read_more, in);
	return true;
}

void scan_close(struct yaml_scan *in)
{
	if (in->has_event)
		yaml_event_delete(&in->event);
	yaml_parser_delete(&in->parser);
}

static bool fail_at(const struct yaml_scan *in, yaml_mark_t at, const char *why,
		    struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: line %zu, byte %zu: %s", in->stream->name, at.line + 1,
		       at.index, why);
}

bool scan_fail(const struct yaml_scan *in, const char *why, struct bc_error *err)
{
	return fail_at(in, in->event.start_mark, why, err);
}

static bool fail_parser(struct yaml_scan *in, struct bc_error *err)
{
	const yaml_parser_t *p = &in->parser;

	if (in->io.code) {
		*err = in->io;
		return false;
	}
	if (p->error == YAML_MEMORY_ERROR)
		return bc_fail_nomem(err);
	yaml_mark_t at = p->problem_mark;
	if (p->error == YAML_READER_ERROR)
		at.index = p->problem_offset;
	return fail_at(in, at, p->problem ? p->problem : "no YAML", err);
}

bool scan_event(struct yaml_scan *in, struct bc_error *err)
{
	if (in->has_event)
		yaml_event_delete(&in->event);
	in->has_event = false;
	if (!yaml_parser_parse(&in->parser, &in->event))
		return fail_parser(in, err);
	in->has_event = true;
	switch (in->event.type) {
	case YAML_ALIAS_EVENT: return scan_fail(in, "an alias: no profile has such", err);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return ++in->depth <= DEPTH_MOST || scan_fail(in, "nested too deeply", err);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: in->depth--; break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_SCALAR_EVENT: break;
	}
	return true;
}

bool scan_expect(struct yaml_scan *in, yaml_event_type_t type, const char *why,
		 struct bc_error *err)
{
	return scan_event(in, err) && (in->event.type == type || scan_fail(in, why, err));
}

struct text scan_text(const struct yaml_scan *in)
{
	return (struct text){(const char *)in->event.data.scalar.value,
			     in->event.data.scalar.length};
}

bool scan_word(struct yaml_scan *in, struct text *out, struct bc_error *err)
{
	if (!scan_expect(in, YAML_SCALAR_EVENT, "expected a single value", err))
		return false;
	*out = scan_text(in);
	return !memchr(out->at, 0, out->len) || scan_fail(in, "a zero byte in a value", err);
}

bool scan_number(struct yaml_scan *in, uint64_t most, uint64_t *out, struct bc_error *err)
{
	struct text word;

	if (!scan_word(in, &word, err))
		return false;
	bool ok = text_starts(word, "0x") || text_starts(word, "0X") ?
			  text_hex(text_from(word, 2), out) :
			  text_dec(word, out);
	return (ok && *out <= most) || scan_fail(in, "expected a number that fits", err);
}

bool scan_bool(struct yaml_scan *in, bool *out, struct bc_error *err)
{
	struct text word;

	if (!scan_word(in, &word, err))
		return false;
	*out = text_is(word, "true");
	return *out || text_is(word, "false") || scan_fail(in, "expected true or false", err);
}

bool scan_key(struct yaml_scan *in, struct text *key, bool *end, struct bc_error *err)
{
	if (!scan_event(in, err))
		return false;
	*end = in->event.type == YAML_MAPPING_END_EVENT;
	if (*end)
		return true;
	if (in->event.type != YAML_SCALAR_EVENT)
		return scan_fail(in, "expected a key", err);
	*key = scan_text(in);
	return true;
}

bool scan_field(struct yaml_scan *in, const struct scan_field *fields, size_t count,
		struct text key, void *to, unsigned *given, bool *known, struct bc_error *err)
{
	*known = false;
	for (size_t i = 0; i < count; i++) {
		if (!text_is(key, fields[i].key))
			continue;
		*known = true;
		if (*given & 1u << i)
			return scan_fail(in, "a key for the second time", err);
		*given |= 1u << i;
		return scan_number(in, fields[i].most,
				   (uint64_t *)(void *)((char *)to + fields[i].offset), err);
	}
	return true;
}

bool scan_has_all(const struct yaml_scan *in, const struct scan_field *fields, size_t count,
		  unsigned given, struct bc_error *err)
{
	char why[64];

	for (size_t i = 0; i < count; i++) {
		if (!fields[i].needed || given & 1u << i)
			continue;
		snprintf(why, sizeof(why), "'%s' is missing", fields[i].key);
		return scan_fail(in, why, err);
	}
	return true;
}

bool scan_mapping(struct yaml_scan *in, bool *end, struct bc_error *err)
{
	if (!scan_event(in, err))
		return false;
	*end = in->event.type == YAML_SEQUENCE_END_EVENT;
	return *end || in->event.type == YAML_MAPPING_START_EVENT ||
	       scan_fail(in, "expected a mapping", err);
}

/* ---- unknown keys ---- */

/* The text of the present event, a scalar.  What was a number is one again. */
static bool put_scalar(struct yaml_scan *in, struct emit *out, struct bc_error *err)
{
	struct text word = scan_text(in);

	if (memchr(word.at, 0, word.len))
		return scan_fail(in, "a zero byte in a value", err);
	if (word.len && in->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    strspn(word.at, WORD) == word.len)
		emit_bytes(out, word.at, word.len);
	else
		yaml_scalar(out, word.at);
	return true;
}

/* A value in YAML's form on one line, from its first event to its last. */
static bool put_value(struct yaml_scan *in, struct emit *out, struct bc_error *err)
{
	struct {
		char ends;
		bool is_key, first;
	} open[DEPTH_MOST + 1] = {{0}};
	size_t depth = 0;

	do {
		if (!scan_event(in, err))
			return false;
		bool ends = in->event.type == YAML_SEQUENCE_END_EVENT ||
			    in->event.type == YAML_MAPPING_END_EVENT;
		if (ends) {
			emit_char(out, ' ');
			emit_char(out, open[depth--].ends);
			continue;
		}
		if (open[depth].ends)
			emit_string(out, open[depth].ends == '}' && !open[depth].is_key ? ": " :
					 open[depth].first                              ? " " :
											  ", ");
		open[depth].first = false;
		bool scalar = in->event.type == YAML_SCALAR_EVENT;
		if (!scalar && open[depth].is_key)
			return scan_fail(in, "expected a key", err);
		open[depth].is_key = open[depth].ends == '}' && !open[depth].is_key;
		if (scalar) {
			if (!put_scalar(in, out, err))
				return false;
		} else {
			bool list = in->event.type == YAML_SEQUENCE_START_EVENT;
			open[++depth].ends = list ? ']' : '}';
			open[depth].first = true;
			open[depth].is_key = !list;
			emit_char(out, list ? '[' : '{');
		}
		if (out->used > UNKNOWN_MOST)
			return scan_fail(in, "the value of an unknown key is too long", err);
	} while (depth);
	return true;
}

bool scan_unknown(struct yaml_scan *in, struct emit *out, struct bc_error *err)
{
	struct text key = scan_text(in);

	bool is_probes = text_is(key, "inline_tree") || text_is(key, "probes") ||
			 text_is(key, "pseudo_probe_desc");
	if (is_probes && in->refuses_probes)
		return scan_fail(
			in,
			"pseudo-probes cannot be merged: merge shards (convert --shard) before YAML is written",
			err);
	out->used = 0;
	if (!put_scalar(in, out, err))
		return false;
	emit_char(out, '\0');
	if (!put_value(in, out, err))
		return false;
	emit_char(out, '\0');
	return !out->failed || bc_fail_nomem(err);
}
