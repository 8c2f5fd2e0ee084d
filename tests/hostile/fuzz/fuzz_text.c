/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Numbers, times and words in text compared with plain readers of the same, digit by digit,
 * in memory that ends where the text does; and addresses of 'batconv addr': what was
 * split off is what was there.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>

#include "src/base/text.h"
#include "src/address/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A number in base 10 or 16; false: none, or wider than 64 bits. */
static bool number(struct text t, unsigned base, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	unsigned __int128 value = 0;

	if (base == 16 && t.len > 2 && t.at[0] == '0' && (t.at[1] == 'x' || t.at[1] == 'X'))
		t = text_from(t, 2);
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i] >= 'A' && t.at[i] <= 'F' ? (char)(t.at[i] - 'A' + 'a') : t.at[i];
		const char *digit = c ? strchr(digits, c) : NULL;
		if (!digit || digit >= digits + base)
			return false;
		value = value * base + (unsigned)(digit - digits);
		if (value > UINT64_MAX)
			return false;
	}
	*out = (uint64_t)value;
	return t.len > 0;
}

static bool seconds(struct text t, uint64_t *out)
{
	size_t dot = 0;
	uint64_t whole, part;

	while (dot < t.len && t.at[dot] != '.')
		dot++;
	if (dot == t.len || t.len - dot - 1 > 9 || !number(text_first(t, dot), 10, &whole) ||
	    !number(text_from(t, dot + 1), 10, &part))
		return false;
	for (size_t i = t.len - dot - 1; i < 9; i++)
		part *= 10;
	*out = whole * 1000000000 + part;
	return whole < UINT64_MAX / 1000000000;
}

static void check_numbers(struct text t)
{
	uint64_t a = 1, b = 1;
	bool ok = text_hex(t, &a);

	assert(ok == number(t, 16, &b) && (ok ? a == b : a == 1));
	a = 1;
	ok = text_dec(t, &a);
	assert(ok == number(t, 10, &b) && (ok ? a == b : a == 1));
	ok = text_seconds(t, &a);
	if (ok != seconds(t, &b)) /* at the very end of what 64 bits of ns hold */
		assert(b > UINT64_MAX / 10 * 9);
	else
		assert(!ok || a == b);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Words are what is between blanks, and nothing is lost. */
static void check_words(struct text t)
{
	struct text rest = t, word = text_word(&rest), trimmed = text_trim(t);
	size_t at = 0;

	while (word.len) {
		while (is_blank(t.at[at]))
			at++;
		assert(word.at == t.at + at);
		for (size_t i = 0; i < word.len; i++)
			assert(!is_blank(word.at[i]));
		at += word.len;
		assert(at == t.len || is_blank(t.at[at]));
		check_numbers(word);
		word = text_word(&rest);
	}
	for (; at < t.len; at++)
		assert(is_blank(t.at[at]));
	assert(!trimmed.len ||
	       (!is_blank(trimmed.at[0]) && !is_blank(trimmed.at[trimmed.len - 1])));
}

static void check_query(struct text t)
{
	struct query q;

	for (int kind = ADDR_RUN; kind <= ADDR_INPUT; kind++) {
		const char *wrong = query_parse((enum addr_kind)kind, t, &q);
		assert(!wrong || *wrong);
		if (wrong || (kind != ADDR_FUNC && kind != ADDR_INPUT))
			continue;
		assert(q.function.at == t.at && q.function.len <= t.len && q.value <= UINT32_MAX);
		uint64_t value = 0;
		if (q.function.len < t.len)
			assert(t.at[q.function.len] == '+' &&
			       number(text_from(t, q.function.len + 1), 16, &value));
		assert(value == q.value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);

	assert(copy);
	memcpy(copy + 1, data, size);
	struct text rest = {copy + 1, size};
	while (rest.len) {
		size_t len = 0;
		while (len < rest.len && rest.at[len] != '\n')
			len++;
		assert(text_find(rest, '\n') == len);
		struct text line = text_first(rest, len);
		check_numbers(line);
		check_words(line);
		check_query(line);
		rest = text_from(rest, len + 1);
	}
	free(copy);
	return 0;
}
