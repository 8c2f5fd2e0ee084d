/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/print_name.h"

#include <string.h>

#include "src/base/utf8.h"

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
