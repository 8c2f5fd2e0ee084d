/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/names.h"

#include <string.h>

/* How many bytes of the form 10xxxxxx must follow; -1: it begins no character. */
static int followers(unsigned char first)
{
	return first < 0x80 ? 0 :
	       first < 0xc0 ? -1 :
	       first < 0xe0 ? 1 :
	       first < 0xf0 ? 2 :
	       first < 0xf8 ? 3 :
			      -1;
}

/* Decoded, then held against what so many bytes are for. */
static bool is_utf8(const char *name)
{
	static const unsigned long least[] = {0, 0x80, 0x800, 0x10000};

	while (*name) {
		int more = followers((unsigned char)*name);
		if (more < 0)
			return false;
		unsigned long point = (unsigned char)*name++ & (0x7fu >> (more ? more + 1 : 0));
		for (int i = 0; i < more; i++, name++) {
			if (((unsigned char)*name & 0xc0) != 0x80)
				return false;
			point = point * 64 + ((unsigned char)*name & 0x3f);
		}
		if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
			return false;
	}
	return true;
}

bool names_can_hold(const struct count_options *options, const char *name)
{
	return (!options->fdata || !strchr(name, '\n')) && (!options->yaml || is_utf8(name));
}
