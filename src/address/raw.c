/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/raw.h"

/* m3, p77 or p77m3 */
static bool parse_map(struct text word, struct raw_stack *out)
{
	uint64_t pid = RAW_ANY, map = RAW_ANY;
	size_t m = text_find(word, 'm');

	if (text_starts(word, "p") && !text_dec(text_from(text_first(word, m), 1), &pid))
		return false;
	if (m < word.len && !text_dec(text_from(word, m + 1), &map))
		return false;
	if (!word.len || (*word.at != 'p' && *word.at != 'm') || pid > RAW_ANY || map > RAW_ANY)
		return false;
	out->pid = (uint32_t)pid;
	out->map = (uint32_t)map;
	return true;
}

enum raw_line raw_stack_parse(struct text line, struct raw_stack *out, const char **wrong)
{
	struct text rest = text_trim(line);
	uint64_t at;

	out->addresses.len = 0;
	if (!rest.len || *rest.at == '#')
		return RAW_NOTHING;
	*wrong = "expected a time in ns";
	if (!text_dec(text_word(&rest), &out->time))
		return RAW_BAD;
	*wrong = "expected a map: m3, p77 or p77m3";
	if (!parse_map(text_word(&rest), out))
		return RAW_BAD;
	for (struct text word; (word = text_word(&rest)).len;) {
		*wrong = "expected a hexadecimal address";
		if (!text_hex(word, &at))
			return RAW_BAD;
		*wrong = NULL;
		if (!address_list_push(&out->addresses, at))
			return RAW_BAD;
	}
	*wrong = "expected addresses";
	return out->addresses.len ? RAW_STACK : RAW_BAD;
}
