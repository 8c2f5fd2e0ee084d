/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/text.h"

#include "src/base/hex.h"

size_t text_find(struct text t, char c)
{
	const char *found = t.len ? memchr(t.at, c, t.len) : NULL;

	return found ? (size_t)(found - t.at) : t.len;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct text text_trim(struct text t)
{
	while (t.len && is_blank(t.at[0]))
		t = text_from(t, 1);
	while (t.len && is_blank(t.at[t.len - 1]))
		t.len--;
	return t;
}

struct text text_word(struct text *rest)
{
	const char *p = rest->at, *end = rest->at + rest->len;

	while (p < end && is_blank(*p))
		p++;
	const char *word = p;
	while (p < end && !is_blank(*p))
		p++;
	*rest = (struct text){p, (size_t)(end - p)};
	return (struct text){word, (size_t)(p - word)};
}

/* ---- blank lines ---- */

#define CHUNK 64 /* bytes that are looked at without a branch between them, so that the compiler can take several at a time */

/* Whether all of a chunk is blanks and newlines; adds the newlines. */
static bool chunk_is_blank(const char *at, uint64_t *newlines)
{
	uint8_t other = 0, found = 0;

	for (size_t i = 0; i < CHUNK; i++) {
		uint8_t newline = at[i] == '\n';
		other |= (uint8_t)!(newline | (at[i] == ' ') | (at[i] == '\t') | (at[i] == '\r'));
		found = (uint8_t)(found + newline);
	}
	if (!other)
		*newlines += found;
	return !other;
}

size_t text_blank_lines(struct text t, uint64_t *lines)
{
	size_t end = 0;

	*lines = 0;
	if (!t.len || (*t.at != '\n' && !is_blank(*t.at)))
		return 0;
	while (t.len - end >= CHUNK && chunk_is_blank(t.at + end, lines))
		end += CHUNK;
	for (; end < t.len && (t.at[end] == '\n' || is_blank(t.at[end])); end++)
		*lines += t.at[end] == '\n';
	while (end && t.at[end - 1] != '\n')
		end--;
	return end;
}

bool text_hex(struct text t, uint64_t *out)
{
	uint64_t value;

	if (t.len > 2 && t.at[0] == '0' && (t.at[1] == 'x' || t.at[1] == 'X'))
		t = text_from(t, 2);
	while (t.len > 16 && *t.at == '0')
		t = text_from(t, 1);
	if (!t.len || t.len > 16 || hex_read(t.at, t.at + t.len, &value) != t.len)
		return false;
	*out = value;
	return true;
}

bool text_dec(struct text t, uint64_t *out)
{
	uint64_t value = 0;

	if (!t.len)
		return false;
	for (size_t i = 0; i < t.len; i++) {
		uint64_t digit = (uint64_t)(unsigned char)t.at[i] - '0';
		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

bool text_seconds(struct text t, uint64_t *ns)
{
	size_t dot = text_find(t, '.');
	struct text fraction = text_from(t, dot + 1);
	uint64_t seconds, rest;

	if (fraction.len > 9 || !text_dec(text_first(t, dot), &seconds) ||
	    !text_dec(fraction, &rest) || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (size_t i = fraction.len; i < 9; i++)
		rest *= 10;
	*ns = seconds * 1000000000 + rest;
	return true;
}

struct text text_basename(struct text path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '/')
			return text_from(path, i);
	return path;
}

bool text_is_numbers(struct text words)
{
	uint64_t ignored;
	size_t count = 0;

	for (struct text word = text_word(&words); word.len; word = text_word(&words), count++)
		if (!text_hex(word, &ignored))
			return false;
	return count >= 3;
}
