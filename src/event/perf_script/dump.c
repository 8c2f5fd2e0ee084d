/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/dump.h"

static bool is_number(struct text word)
{
	uint64_t ignored;

	return text_starts(word, "0x") && text_hex(word, &ignored);
}

/* [0x40]: */
static bool is_size(struct text word)
{
	return word.len > 3 && word.at[0] == '[' && text_ends(word, "]:") &&
	       is_number((struct text){word.at + 1, word.len - 3});
}

/* A path can have blanks: the size stands right before "event:", the name of a record or its end. */
static bool has_size_before(struct text line, const char *word)
{
	struct text before = {"", 0};

	for (struct text at; (at = text_word(&line)).len; before = at)
		if (is_size(before) && text_starts(at, word))
			return true;
	return false;
}

bool perf_dump_fits(struct text line)
{
	struct text rest = line, first = text_word(&rest);
	size_t at = text_find(first, '@');
	uint64_t ignored;

	if (text_starts(line, ". ... raw event: size "))
		return true;
	if (is_number(text_first(first, at)))
		return has_size_before(line, "event:");
	return (text_dec(first, &ignored) || text_is(first, "-1")) && has_size_before(line, "PERF_RECORD_");
}
