/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/strings.h"

#include <stdlib.h>

#include "src/base/count_table.h"

#define STRINGS_MOST (UINT32_C(1) << 31)

void strings_free(struct strings *strings)
{
	for (uint32_t i = 1; i < strings->len; i++)
		free((char *)(uintptr_t)strings->at[i].at);
	free(strings->at);
	free(strings->slots);
	*strings = (struct strings){0};
}

static uint64_t hash(struct text text)
{
	uint64_t h = text.len;

	for (size_t i = 0; i < text.len; i++)
		h = count_mix(h, (unsigned char)text.at[i]);
	return h ^ h >> 32;
}

/* The slot that holds the string's number, or the free one where it belongs. */
static uint32_t *probe(const struct strings *strings, struct text text)
{
	uint32_t mask = strings->slot_count - 1;

	for (uint32_t i = (uint32_t)hash(text) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &strings->slots[i];
		if (!*slot || text_equal(strings->at[*slot], text))
			return slot;
	}
}

static bool grow_slots(struct strings *strings)
{
	struct strings bigger = *strings;

	bigger.slot_count = strings->slot_count ? 2 * strings->slot_count : 64;
	bigger.slots = calloc(bigger.slot_count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (uint32_t i = 1; i < strings->len; i++)
		*probe(&bigger, strings->at[i]) = i;
	free(strings->slots);
	*strings = bigger;
	return true;
}

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

bool strings_intern(struct strings *strings, struct text text, uint32_t *out)
{
	if (!text.len) {
		*out = 0;
		return true;
	}
	if (strings->len + 1 >= strings->slot_count / 4 * 3 && !grow_slots(strings))
		return false;
	uint32_t *slot = probe(strings, text);
	if (!*slot) {
		if (strings->len == strings->cap &&
		    (strings->cap >= STRINGS_MOST / 2 || !grow_texts(strings)))
			return false;
		char *copy = malloc(text.len + 1);
		if (!copy)
			return false;
		memcpy(copy, text.at, text.len);
		copy[text.len] = '\0';
		strings->at[strings->len] = (struct text){copy, text.len};
		*slot = strings->len++;
	} // cppcheck-suppress memleak ; copy is in strings->at
	*out = *slot;
	return true;
}

/* Slots are not freed one by one: what was put behind a full one would not be found again. */
void strings_truncate(struct strings *strings, uint32_t len)
{
	len = len ? len : 1; /* the empty string stays */
	if (len >= strings->len)
		return;
	for (uint32_t i = len; i < strings->len; i++)
		free((char *)(uintptr_t)strings->at[i].at);
	strings->len = len;
	memset(strings->slots, 0, strings->slot_count * sizeof(*strings->slots));
	for (uint32_t i = 1; i < len; i++)
		*probe(strings, strings->at[i]) = i;
}

struct text strings_at(const struct strings *strings, uint32_t number)
{
	return number && number < strings->len ? strings->at[number] : (struct text){"", 0};
}
