/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as the text of a response file.  A second reader, which copies byte after byte into a
 * new word, cuts the same words; text of UTF-16 becomes UTF-8 that is at most half as long again,
 * and has no byte that UTF-8 cannot have.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct second {
	const char *at, *end;
	char *word;
	size_t length;
};

/* One byte of a word, or what a backslash keeps. */
static void keep(struct second *s)
{
	if (*s->at == '\\' && s->at + 1 < s->end)
		s->at++;
	s->word[s->length++] = *s->at++;
}

/* False: there is no word any more. */
static bool next_word(struct second *s)
{
	s->length = 0;
	for (; s->at < s->end;) {
		if (memchr(" \t\r\n", *s->at, 4)) {
			s->at++;
			if (s->length)
				break;
		} else if (*s->at == '"' || *s->at == '\'') {
			char quote = *s->at++;
			while (s->at < s->end && *s->at != quote)
				keep(s);
			s->at += s->at < s->end;
		} else {
			keep(s);
		}
	}
	s->word[s->length] = '\0';
	return s->length;
}

static char *copy_of(const char *text, size_t size)
{
	char *copy = malloc(size + 1);

	assert(copy);
	memcpy(copy, text, size);
	return copy;
}

static void check_words(const char *text, size_t size)
{
	struct second s = {.at = text, .end = text + size, .word = malloc(size + 1)};
	char *copy = copy_of(text, size);
	struct argument_vec words = {0};
	size_t count = 0;

	assert(s.word && response_words(copy, size, WORDS_OF_LLVM, &words));
	for (; next_word(&s); count++)
		assert(count < words.len && !strcmp(words.at[count], s.word));
	assert(count == words.len);
	argument_vec_free(&words);
	free(copy);
	free(s.word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = copy_of((const char *)data, size);
	size_t length = size;
	struct bc_error err;

	if (!response_utf8(&text, &length, &err)) {
		assert(err.code == BC_FORMAT && size >= 2 && data[0] >= 0xfe);
		free(text);
		return 0;
	}
	assert(length <= size + size / 2);
	if (size >= 2 && data[0] >= 0xfe && data[1] == (data[0] ^ 1))
		for (size_t i = 0; i < length; i++)
			assert((uint8_t)text[i] < 0xf5 && (uint8_t)text[i] != 0xc0 &&
			       (uint8_t)text[i] != 0xc1);
	check_words(text, length);
	free(text);
	return 0;
}
