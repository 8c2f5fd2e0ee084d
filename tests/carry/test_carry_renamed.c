/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of letters: each is an instruction of its own kind, capital ones have a name. */
#include "src/carry/renamed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

#define MOST_FUNCTIONS 16
#define MOST_LETTERS   64

static uint32_t functions_of(const char *const *texts, struct token tokens[][MOST_LETTERS],
			     struct token_span *out)
{
	uint32_t count = 0;

	for (; texts[count]; count++) {
		uint32_t length = (uint32_t)strlen(texts[count]);
		for (uint32_t i = 0; i < length; i++) {
			uint64_t letter = (unsigned char)texts[count][i];
			tokens[count][i] = (struct token){letter, 1000 + letter, 2000 + letter,
							  isupper((int)letter) != 0, false};
		}
		out[count] = (struct token_span){tokens[count], length};
	}
	return count;
}

/* The number in b of each function of a, or a dot. */
static void check(const char *const *a, const char *const *b, const char *expected)
{
	static struct token tokens[2][MOST_FUNCTIONS][MOST_LETTERS];
	struct token_span spans[2][MOST_FUNCTIONS];
	uint32_t partner[MOST_FUNCTIONS];
	uint32_t a_count = functions_of(a, tokens[0], spans[0]),
		 b_count = functions_of(b, tokens[1], spans[1]);

	assert_int_equal(strlen(expected), a_count);
	assert_true(renamed_find(spans[0], a_count, spans[1], b_count, partner));
	for (uint32_t i = 0; i < a_count; i++)
		assert_int_equal(partner[i] == RENAMED_NONE ? '.' : (int)('0' + partner[i]),
				 expected[i]);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void found(void **state)
{
	(void)state;
	check(LIST("abcdef"), LIST("ghijkl", "abcdef"), "1");
	check(LIST("abcdef", "ghijkl"), LIST("ghijkl", "abcdef"), "10");
	/* Changed, by names alone, and where another has only a little of it. */
	check(LIST("abcdefgh"), LIST("abcdexyz"), "0");
	check(LIST("Pa"), LIST("bQ", "cP"), "1");
	check(LIST("abcdefgh"), LIST("abcqrstu", "abcdefg"), "1");
}

static void not_found(void **state)
{
	(void)state;
	check(LIST("abcdef"), LIST("ghijkl"), ".");
	check(LIST("abcdef"), LIST(""), ".");
	check(LIST(""), LIST(""), ".");
	/* Too little in common; too short to say anything. */
	check(LIST("abcdefghijklmnop"), LIST("abcqrstuvwxyz012"), ".");
	check(LIST("ab"), LIST("ab"), ".");
	/* Two candidates that are alike, on either side. */
	check(LIST("abcdef"), LIST("abcdef", "abcdef"), ".");
	check(LIST("abcdef", "abcdef"), LIST("abcdef"), "..");
	/* What another function is more like. */
	check(LIST("abcdefgh", "abcdefxyz"), LIST("abcdefgh"), "0.");
}

/* What many functions have says nothing of them. */
static void common_code(void **state)
{
	(void)state;
	check(LIST("abcdef", "abcdef", "abcdef", "abcdef", "abcdef", "abcdef", "abcdef", "abcdef",
		   "abcdefX"),
	      LIST("abcdefX"), "........0");
}

/* Thousands that are alike, and none is any other's. */
static void many(void **state)
{
	enum { COUNT = 20000 };
	static struct token tokens[8];
	struct token_span *spans = calloc(COUNT, sizeof(*spans));
	uint32_t *partner = calloc(COUNT, sizeof(*partner));

	(void)state;
	assert_true(spans && partner);
	for (uint32_t i = 0; i < 8; i++)
		tokens[i] = (struct token){i, i, i, i == 5, false};
	for (uint32_t i = 0; i < COUNT; i++)
		spans[i] = (struct token_span){tokens, 8};
	assert_true(renamed_find(spans, COUNT, spans, COUNT, partner));
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(partner[i], RENAMED_NONE);
	free(spans);
	free(partner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(not_found),
		cmocka_unit_test(common_code),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
