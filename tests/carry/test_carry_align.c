/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alignments of letters: each is an instruction of its own kind, capital ones have a name. */
#include "src/carry/align.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

#define MOST 64

static struct token_span tokens_of(const char *letters, struct token *out)
{
	uint32_t count = (uint32_t)strlen(letters);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t letter = (unsigned char)letters[i];
		out[i] = (struct token){letter, 1000 + letter, 2000 + letter,
					isupper((int)letter) != 0, letters[i] == 'j'};
	}
	return (struct token_span){out, count};
}

/* The position in b of each letter of a: a number of one digit, or a dot. */
static void check(const char *a, const char *b, bool weak, const char *expected)
{
	struct token tokens[2][MOST];
	uint32_t to[MOST];
	uint64_t budget = 1 << 16;
	struct token_span spans[] = {tokens_of(a, tokens[0]), tokens_of(b, tokens[1])};

	assert_true(align(spans[0], spans[1], weak, &budget, to));
	for (size_t i = 0; i < strlen(a); i++)
		assert_int_equal(to[i] == ALIGN_NONE ? '.' : (int)('0' + to[i]), expected[i]);
}

static void letters(void **state)
{
	(void)state;
	check("abc", "abc", false, "012");
	check("", "abc", false, "");
	check("abc", "", false, "...");
	check("abcd", "abxcd", false, "0134");  /* one inserted */
	check("abxcd", "abcd", false, "01.23"); /* one taken out */
	/* A name says more than what is like it. */
	check("axFy", "Fxa", true, "..0.");
	/* A match alone in between is by chance, or may be. */
	check("abcdxpefgh", "abcdypzefgh", true, "0123.5789:");
	check("abcdxpefgh", "abcdypzefgh", false, "0123..789:");
}

/* Too large for the budget: what is in both once is an anchor, and nothing else is matched. */
static void anchors(void **state)
{
	struct token tokens[2][MOST];
	uint32_t to[MOST];
	uint64_t budget = 8;
	struct token_span a = tokens_of("xxabcdzzzefgyy", tokens[0]),
			  b = tokens_of("vvvabcdwefguuu", tokens[1]);

	(void)state;
	assert_true(align(a, b, false, &budget, to));
	for (uint32_t i = 2; i < 5; i++)
		assert_int_equal(to[i], i + 1);
	for (uint32_t i = 9; i < 12; i++)
		assert_int_equal(to[i], i - 1);
	assert_int_equal(to[0], ALIGN_NONE);
	assert_int_equal(to[7], ALIGN_NONE);
	assert_true(budget <= 8);
}

/* Within the budget all is weighed, so that what is in both once by chance is no anchor. */
static void chance(void **state)
{
	struct token tokens[2][MOST];
	uint32_t to[MOST];
	uint64_t budget = 11 * 11;
	struct token_span a = tokens_of("abcFGFGFGFG", tokens[0]),
			  b = tokens_of("FGFGFGFGabc", tokens[1]);

	(void)state;
	assert_true(align(a, b, false, &budget, to));
	for (uint32_t i = 0; i < 11; i++)
		assert_int_equal(to[i], i < 3 ? ALIGN_NONE : i - 3);
	assert_int_equal(budget, 0);
}

static void moved(void **state)
{
	struct token tokens[2][MOST];
	uint32_t to[MOST], from[MOST];
	struct token_span a = tokens_of("abcdexyzw", tokens[0]),
			  b = tokens_of("xyzwabcde", tokens[1]);

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		to[i] = from[i] = ALIGN_NONE;
	assert_true(align_moved(a, b, to, from));
	for (uint32_t i = 0; i < 9; i++) {
		assert_int_equal(to[i], (i + 4) % 9);
		assert_int_equal(from[to[i]], i);
	}
	/* What is there twice is no anchor. */
	a = tokens_of("abcabc", tokens[0]);
	b = tokens_of("abc", tokens[1]);
	for (uint32_t i = 0; i < 6; i++)
		to[i] = from[i] = ALIGN_NONE;
	assert_true(align_moved(a, b, to, from));
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(to[i], ALIGN_NONE);
}

/* One instruction over and over, which any alignment has too many positions for: it takes no more
 * than the budget. */
static void hostile(void **state)
{
	enum { COUNT = 200000 };
	struct token *same = calloc(COUNT, sizeof(*same));
	uint32_t *to = malloc(COUNT * sizeof(*to));
	uint64_t budget = UINT64_C(1) << 20;

	(void)state;
	assert_non_null(same);
	assert_non_null(to);
	same[0].exact = 1;
	same[COUNT - 2].exact = 2;
	assert_true(align((struct token_span){same, COUNT - 1},
			  (struct token_span){same + 1, COUNT - 1}, false, &budget, to));
	assert_true(budget <= UINT64_C(1) << 20);
	free(same);
	free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters), cmocka_unit_test(anchors), cmocka_unit_test(chance),
		cmocka_unit_test(moved),   cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
