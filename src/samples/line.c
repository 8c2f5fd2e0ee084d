/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/line.h"

#include <inttypes.h>

/* The most characters of a word that a message quotes. */
#define QUOTED 40

bool line_fail(struct bc_error *err, enum bc_code code, const struct line *line,
	       const char *at, const char *why)
{
	size_t before = (size_t)(at - line->text.at);
	struct text rest = text_from(line->text, before);
	struct text word = text_first(text_word(&rest), QUOTED);

	if (!word.len)
		return bc_fail(err, code, "%s: line %" PRIu64 ", column %zu: %s, but the line ends",
			       line->file, line->number, before + 1, why);
	return bc_fail(err, code, "%s: line %" PRIu64 ", column %zu: %s, not '%.*s'",
		       line->file, line->number, before + 1, why, (int)word.len, word.at);
}

/* m3, p77 or p77m3 */
static bool is_map(struct text word)
{
	uint64_t number;
	size_t m = text_find(word, 'm');
	struct text pid = text_first(word, m);

	return word.len > 1 && (*word.at == 'm' || *word.at == 'p') && (!pid.len || text_dec(text_from(pid, 1), &number)) &&
	       (m == word.len || text_dec(text_from(word, m + 1), &number));
}

bool line_is_raw_stack(struct text line)
{
	struct text time = text_word(&line), map = text_word(&line), address = text_word(&line);
	uint64_t number;

	return text_dec(time, &number) && is_map(map) && text_hex(address, &number);
}
