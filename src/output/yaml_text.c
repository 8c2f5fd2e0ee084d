/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/yaml_text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "src/base/attr.h"

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

/* Bytes from 128 on stand as they are: they are UTF-8, if anything. */
static void double_quoted(struct emit *out, const char *s)
{
	static const char digits[] = "0123456789ABCDEF";

	emit_char(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\') {
			emit_char(out, '\\');
			emit_char(out, *s);
		} else if (c < ' ' || c == 127) {
			emit_string(out, "\\x");
			emit_char(out, digits[c >> 4]);
			emit_char(out, digits[c & 15]);
		} else {
			emit_char(out, *s);
		}
	}
	emit_char(out, '"');
}

void yaml_scalar(struct emit *out, const char *string)
{
	if (is_plain(string))
		emit_string(out, string);
	else if (is_printable(string))
		single_quoted(out, string);
	else
		double_quoted(out, string);
}

void yaml_joined(struct emit *out, const char *const *strings, size_t count)
{
	emit_char(out, '\'');
	for (size_t i = 0; i < count; i++) {
		if (i)
			emit_char(out, ' ');
		emit_string(out, strings[i]);
	}
	emit_char(out, '\'');
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
