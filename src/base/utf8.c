/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/utf8.h"

size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first_min, first_max, second_min, second_max, length;
	} forms[] = {
		{0x20, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if (s[0] < forms[f].first_min || s[0] > forms[f].first_max)
			continue;
		size_t i = 1;
		if (forms[f].length > 1 && (s[1] < forms[f].second_min || s[1] > forms[f].second_max))
			return 0;
		for (i = 2; i < forms[f].length; i++)
			if (s[i] < 0x80 || s[i] > 0xbf)
				return 0;
		return forms[f].length;
	}
	return 0;
}

bool utf8_is(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	while (*s) {
		size_t length = *s < 0x80 ? 1 : utf8_length(s);
		if (!length)
			return false;
		s += length;
	}
	return true;
}
