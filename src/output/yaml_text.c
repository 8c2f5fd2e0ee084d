/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/yaml_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/attr.h"
#include "src/base/utf8.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool is_plain(const char *s)
{
	/* Words that some reader takes for a value of another type. */
	static const char *const reserved[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
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

/* Of a character that utf8_length() knows. */
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
	return point < ' ' || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
	       point == 0xfeff || point == 0xfffe || point == 0xffff;
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
