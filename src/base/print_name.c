/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/print_name.h"

#include "src/base/attr.h"

/* What a first byte says: how many follow, and between what the second must lie, so that
 * nothing is written longer than needed, as half of a pair, or beyond the last one. */
static const struct form {
	unsigned char first_min, first_max, second_min, second_max, length;
} forms[] = {
	{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const struct form *form_of(unsigned char first)
{
	for (size_t i = 0; i < BC_COUNT(forms); i++)
		if (first >= forms[i].first_min && first <= forms[i].first_max)
			return &forms[i];
	return NULL;
}

size_t utf8_character(struct text text, uint32_t *character)
{
	const unsigned char *s = (const unsigned char *)text.at;
	const struct form *form = text.len ? form_of(*s) : NULL;

	if (!form || text.len < form->length)
		return 0;
	if (form->length > 1 && (s[1] < form->second_min || s[1] > form->second_max))
		return 0;
	*character = form->length == 1 ? *s : *s & (0x7fu >> form->length);
	for (size_t i = 1; i < form->length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (s[i] & 0x3fu);
	}
	return form->length;
}

bool character_is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||
	       c == 0x061c || c == 0x200e || c == 0x200f || /* marks of direction */
	       (c >= 0x2028 && c <= 0x202e) ||              /* ends of lines and paragraphs, directions */
	       (c >= 0x2066 && c <= 0x2069);
}

/* How many bytes at the beginning can be printed: one character at least, or none. */
static size_t plain_length(struct text text)
{
	size_t done = 0, length;
	uint32_t character;

	while ((length = utf8_character(text_from(text, done), &character)) && !character_is_hidden(character))
		done += length;
	return done;
}

/* Of what cannot be printed: a character, or a byte that begins none. */
static size_t hidden_length(struct text text)
{
	uint32_t character;
	size_t length = utf8_character(text, &character);

	return length ? length : 1;
}

void print_name(struct text name, FILE *out)
{
	while (name.len) {
		size_t plain = plain_length(name);
		fwrite(name.at, 1, plain, out);
		name = text_from(name, plain);
		size_t hidden = name.len ? hidden_length(name) : 0;
		for (size_t i = 0; i < hidden; i++)
			fprintf(out, "\\%03o", (unsigned char)name.at[i]);
		name = text_from(name, hidden);
	}
}

void make_printable(char *line)
{
	struct text rest = text_of(line);

	while (rest.len) {
		rest = text_from(rest, plain_length(rest));
		size_t hidden = rest.len ? hidden_length(rest) : 0;
		memset(line + (rest.at - line), '?', hidden);
		rest = text_from(rest, hidden);
	}
}
