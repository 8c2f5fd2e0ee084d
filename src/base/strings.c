/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/strings.h"

#include <stdlib.h>

#define STRINGS_MOST (UINT32_C(1) << 31)

void strings_free(struct strings *strings)
{
	for (uint32_t i = 1; i < strings->len; i++)
		free((char *)(uintptr_t)strings->at[i].at);
	free(strings->at);
	map_free(&strings->numbers);
	*strings = (struct strings){0};
}

static uint64_t hash(uint64_t seed, struct text text)
{
	return hash_end(hash_bytes(seed, text.at, text.len));
}

static bool matches(const struct text *strings, uint32_t number, struct text text)
{
	return text_equal(strings[number], text);
}
DEFINE_MAP(numbers, const struct text *, struct text, hash, matches);

static bool grow_texts(struct strings *strings)
{
	uint32_t cap = strings->cap ? 2 * strings->cap : 64;
	struct text *at = realloc(strings->at, cap * sizeof(*at));

	if (!at)
		return false;
	strings->at = at;
	strings->cap = cap;
	if (!strings->len)
		strings->at[strings->len++] = (struct text){"", 0};
	return true;
}

bool strings_find(const struct strings *strings, struct text text, uint32_t *out)
{
	*out = 0;
	return !text.len || numbers_find(&strings->numbers, strings->at, text, out);
}

static bool add(struct strings *strings, struct text text, uint32_t *out)
{
	if (!map_reserve(&strings->numbers, 1) ||
	    (strings->len == strings->cap &&
	     (strings->cap >= STRINGS_MOST / 2 || !grow_texts(strings))))
		return false;
	char *copy = malloc(text.len + 1);
	if (!copy)
		return false;
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	*out = strings->len;
	strings->at[strings->len++] = (struct text){copy, text.len};
	numbers_put(&strings->numbers, text, *out);
	return true; // cppcheck-suppress memleak ; copy is in strings->at
}

bool strings_intern(struct strings *strings, struct text text, uint32_t *out)
{
	return strings_find(strings, text, out) || add(strings, text, out);
}

void strings_truncate(struct strings *strings, uint32_t len)
{
	len = len ? len : 1; /* the empty string stays */
	if (len >= strings->len)
		return;
	for (uint32_t i = len; i < strings->len; i++)
		free((char *)(uintptr_t)strings->at[i].at);
	strings->len = len;
	map_clear(&strings->numbers);
	for (uint32_t i = 1; i < len; i++)
		numbers_put(&strings->numbers, strings->at[i], i);
}

struct text strings_at(const struct strings *strings, uint32_t number)
{
	return number && number < strings->len ? strings->at[number] : (struct text){"", 0};
}
