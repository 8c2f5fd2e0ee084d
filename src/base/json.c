/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"

/* One character or a byte that is part of none; returns its length.  What is not shown to
 * people as it is (text.h) has a form that is printable here. */
static size_t write_character(struct json *json, struct text text)
{
	uint32_t character;
	size_t length = utf8_character(text, &character);

	if (*text.at == '"' || *text.at == '\\')
		fprintf(json->out, "\\%c", *text.at);
	else if (!length)
		fputs("\\ufffd", json->out);
	else if (character_is_hidden(character) || (json->page && character == '<'))
		fprintf(json->out, "\\u%04" PRIx32, character);
	else
		fwrite(text.at, 1, length, json->out);
	return length ? length : 1;
}

static void write_string(struct json *json, const char *value, size_t size, size_t most)
{
	size_t end = json->page && size > most ? most : size, at = 0;

	putc('"', json->out);
	while (at < end && value[at])
		at += write_character(json, (struct text){value + at, size - at});
	if (at < size && value[at])
		fputs("\\u2026", json->out);
	putc('"', json->out);
}

static void begin(struct json *json, const char *key)
{
	if (json->comma)
		fputs(json->page ? "," : ", ", json->out);
	json->comma = true;
	if (key) {
		write_string(json, key, strlen(key), JSON_PAGE_STRING);
		fputs(json->page ? ":" : ": ", json->out);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->comma = false;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->comma = true;
}

void json_open_document(struct json *json, const char *format)
{
	json_open(json, NULL, '{');
	json_string(json, "format", format);
	json_number(json, "version", JSON_VERSION);
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	write_string(json, value, strlen(value), JSON_PAGE_STRING);
}

void json_whole_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	write_string(json, value, strlen(value), SIZE_MAX);
}

void json_text(struct json *json, const char *key, struct text text)
{
	begin(json, key);
	write_string(json, text.at, text.len, JSON_PAGE_STRING);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_based(struct json *json, const char *key, uint64_t value)
{
	json_number(json, key, value > json->base ? value - json->base : 0);
}

void json_real(struct json *json, const char *key, double value)
{
	char text[400]; /* of the largest double: 309 digits and 4 after the point */
	size_t length = (size_t)snprintf(text, sizeof(text), "%.4f", value);

	while (json->page && text[length - 1] == '0')
		length--;
	if (json->page && text[length - 1] == '.')
		length--;
	begin(json, key);
	fwrite(text, 1, length, json->out);
}

void json_hex_string(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void json_bytes(struct json *json, const char *key, struct text bytes)
{
	if (!bytes.len)
		return;
	begin(json, key);
	putc('"', json->out);
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(json->out, "%02x", (unsigned char)bytes.at[i]);
	putc('"', json->out);
}

/* No bytes may have no address, which fwrite() must not see. */
static void put_bytes(struct json *json, struct text value)
{
	if (value.len)
		fwrite(value.at, 1, value.len, json->out);
}

void json_letters(struct json *json, const char *key, struct text value)
{
	begin(json, key);
	putc('"', json->out);
	put_bytes(json, value);
	putc('"', json->out);
}

void json_raw(struct json *json, const char *key, struct text value)
{
	begin(json, key);
	put_bytes(json, value);
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

#define AT_END (-1)

void json_reader_init(struct json_reader *r, struct file_stream *stream, struct bc_error *err)
{
	r->stream = stream;
	r->err = err;
	r->failed = r->first = false;
	r->byte = 0;
	r->begin = r->end = 0;
}

bool json_fail(struct json_reader *r, const char *fmt, ...)
{
	char why[256];
	va_list args;

	if (r->failed)
		return false;
	r->failed = true;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return bc_fail(r->err, BC_FORMAT, "%s: JSON, byte %" PRIu64 ": %s", r->stream->name,
		       r->byte, why);
}

/* The next character, without taking it; AT_END at the end and after failures. */
static int peek(struct json_reader *r)
{
	if (r->begin == r->end && !r->failed) {
		r->begin = r->end = 0;
		if (!stream_read(r->stream, r->buffer, sizeof(r->buffer), &r->end, r->err))
			r->failed = true;
	}
	return r->failed || r->begin == r->end ? AT_END : (unsigned char)r->buffer[r->begin];
}

static int take(struct json_reader *r)
{
	int c = peek(r);

	if (c != AT_END) {
		r->begin++;
		r->byte++;
	}
	return c;
}

/* The first character of the next token. */
static int token(struct json_reader *r)
{
	int c;

	while ((c = peek(r)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		take(r);
	return c;
}

static bool expect(struct json_reader *r, int c)
{
	int got = token(r);

	if (got == c) {
		take(r);
		return true;
	}
	if (got == AT_END)
		return json_fail(r, "the file ends where '%c' is expected", c);
	return json_fail(r, "'%c' expected", c);
}

bool json_enter(struct json_reader *r, char bracket)
{
	r->first = true;
	return expect(r, bracket);
}

/* Step to the next item; *more: there is one. */
static bool next_item(struct json_reader *r, char close, bool *more)
{
	bool first = r->first;

	r->first = false;
	*more = token(r) != close;
	if (*more)
		return first || expect(r, ',');
	take(r);
	return !r->failed;
}

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_unit(struct json_reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(peek(r));
		if (digit < 0)
			return json_fail(r, "\\u needs four hexadecimal digits");
		*out = *out << 4 | (uint32_t)digit;
		take(r);
	}
	return true;
}

/* A code point after \u, of which some take two units. */
static bool take_point(struct json_reader *r, uint32_t *out)
{
	uint32_t low;

	if (!take_unit(r, out))
		return false;
	if (*out >= 0xdc00 && *out < 0xe000)
		return json_fail(r, "half a surrogate pair");
	if (*out < 0xd800 || *out >= 0xe000)
		return true;
	if (take(r) != '\\' || take(r) != 'u' || !take_unit(r, &low) || low < 0xdc00 ||
	    low >= 0xe000)
		return json_fail(r, "half a surrogate pair");
	*out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

static size_t put_utf8(uint32_t point, char *out)
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
	static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
	out[0] = (char)(lead[more] | point >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		out[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* What is after a backslash, as up to four bytes. */
static bool take_escape(struct json_reader *r, char out[4], size_t *size)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = take(r);
	const char *found = c > 0 ? strchr(from, c) : NULL;
	uint32_t point;

	if (c == 'u') {
		if (!take_point(r, &point))
			return false;
		*size = put_utf8(point, out);
		return true;
	}
	if (!found)
		return json_fail(r, "no such escape");
	out[0] = to[found - from];
	*size = 1;
	return true;
}

/* A string; what does not fit into r->text is an error unless it is skipped. */
static bool take_string(struct json_reader *r, bool skip, struct text *out)
{
	size_t used = 0;

	if (!expect(r, '"'))
		return false;
	for (;;) {
		char piece[4];
		size_t size = 1;
		int c = take(r);
		if (c == '"')
			break;
		if (c == AT_END)
			return json_fail(r, "the file ends in a string");
		if (c < 0x20)
			return json_fail(r, "a control character in a string");
		piece[0] = (char)c;
		if (c == '\\' && !take_escape(r, piece, &size))
			return false;
		if (used + size > sizeof(r->text) && !skip)
			return json_fail(r, "a string of more than %zu bytes", sizeof(r->text));
		if (!skip)
			memcpy(r->text + used, piece, size);
		used += skip ? 0 : size;
	}
	*out = (struct text){r->text, used};
	return true;
}

bool json_member(struct json_reader *r, struct text *key)
{
	bool more;

	if (!next_item(r, '}', &more))
		return false;
	if (!more) {
		*key = (struct text){NULL, 0};
		return true;
	}
	return take_string(r, false, key) && expect(r, ':');
}

bool json_element(struct json_reader *r, bool *more)
{
	return next_item(r, ']', more);
}

static bool is_number(int c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static bool is_word(int c)
{
	return c >= 'a' && c <= 'z';
}

/* A number, true, false or null: all that is no string and no bracket. */
static struct text take_word(struct json_reader *r, bool (*part)(int c))
{
	size_t used = 0;

	while (part(peek(r)) && used < 64)
		r->text[used++] = (char)take(r);
	return (struct text){r->text, used};
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_json_number(struct text t)
{
	size_t i = t.len && t.at[0] == '-', begin = i;

	while (i < t.len && t.at[i] >= '0' && t.at[i] <= '9')
		i++;
	if (i == begin || (t.at[begin] == '0' && i > begin + 1))
		return false;
	if (i < t.len && t.at[i] == '.')
		for (begin = ++i; i < t.len && t.at[i] >= '0' && t.at[i] <= '9';)
			i++;
	if (i == begin)
		return false;
	if (i < t.len && (t.at[i] | 0x20) == 'e') {
		i++;
		if (i < t.len && (t.at[i] == '+' || t.at[i] == '-'))
			i++;
		for (begin = i; i < t.len && t.at[i] >= '0' && t.at[i] <= '9';)
			i++;
	}
	return i == t.len && i > begin;
}

bool json_whole(struct json_reader *r, uint64_t most, uint64_t *out)
{
	(void)token(r);
	struct text word = take_word(r, is_number);

	if (r->failed)
		return false;
	if (!word.len || !is_json_number(word) || !text_dec(word, out))
		return json_fail(r, "a whole number expected");
	return *out <= most || json_fail(r, "%" PRIu64 " is more than %" PRIu64, *out, most);
}

bool json_hex_value(struct json_reader *r, bool *is_null, uint64_t *out)
{
	struct text value;

	if (is_null)
		*is_null = token(r) == 'n';
	if (is_null && *is_null)
		return text_is(take_word(r, is_word), "null") || json_fail(r, "null expected");
	if (!take_string(r, false, &value))
		return false;
	return (text_starts(value, "0x") && text_hex(value, out)) ||
	       json_fail(r, "a number as \"0x1f\" expected");
}

bool json_boolean(struct json_reader *r, bool *out)
{
	(void)token(r);
	struct text word = take_word(r, is_word);

	*out = text_is(word, "true");
	return *out || text_is(word, "false") || json_fail(r, "true or false expected");
}

bool json_text_value(struct json_reader *r, struct text *out)
{
	return take_string(r, false, out);
}

static bool skip_scalar(struct json_reader *r, int c)
{
	struct text t;

	if (c == '"')
		return take_string(r, true, &t);
	if (is_number(c))
		return is_json_number(take_word(r, is_number)) || json_fail(r, "no number");
	t = take_word(r, is_word);
	return text_is(t, "true") || text_is(t, "false") || text_is(t, "null") ||
	       json_fail(r, "a value expected");
}

/* Any value.  The brackets that are open are on a stack. */
bool json_skip(struct json_reader *r)
{
	char open[JSON_DEPTH];
	size_t depth = 0;
	struct text key;
	bool more = true;

	do {
		int c = token(r);
		if (c == '{' || c == '[') {
			if (depth == JSON_DEPTH)
				return json_fail(r, "more than %d brackets deep", JSON_DEPTH);
			open[depth++] = (char)c;
			if (!json_enter(r, (char)c))
				return false;
		} else if (!skip_scalar(r, c)) {
			return false;
		}
		for (more = false; depth && !more; depth -= !more) {
			if (open[depth - 1] == '{' ? !json_member(r, &key) :
						     !json_element(r, &more))
				return false;
			if (open[depth - 1] == '{')
				more = key.at; /* NOLINT(clang-analyzer-core.uninitialized.Assign): json_member() set it */
		}
	} while (depth);
	return !r->failed;
}

bool json_finish(struct json_reader *r)
{
	return token(r) == AT_END ? !r->failed : json_fail(r, "something follows the value");
}
