/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/utf8.h"

#include <string.h>

#include "src/base/attr.h"

/* By the first byte: the number of bytes, and the range of the second byte that leaves out
 * encodings that are longer than needed, surrogates, and numbers above U+10FFFF. */
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

size_t utf8_length(const unsigned char *s)
{
	const struct text text = {(const char *)s, strnlen((const char *)s, UTF8_LONGEST)};
	uint32_t character;

	return *s < ' ' ? 0 : utf8_character(text, &character);
}

bool utf8_is(const char *string)
{
	struct text rest = text_of(string);
	uint32_t character;

	while (rest.len) {
		size_t length = utf8_character(rest, &character);
		if (!length)
			return false;
		rest = text_from(rest, length);
	}
	return true;
}
