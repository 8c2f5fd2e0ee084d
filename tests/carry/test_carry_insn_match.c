/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions are letters, and their lines digits. */
#include "src/carry/insn_match.h"

#include <string.h>

#include "tests/support/cmocka.h"

#define MOST 64

struct made {
	struct token tokens[MOST];
	uint32_t first[MOST + 1];
	struct source_line lines[MOST];
	struct match_side side;
};

/* lines: NULL: not known; 0: the instruction has none */
static void make(const char *letters, const char *lines, struct made *out)
{
	uint32_t count = (uint32_t)strlen(letters);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t letter = (unsigned char)letters[i];
		out->tokens[i] = (struct token){letter, 1000 + letter, 2000 + letter, false, false};
		out->first[i] = i;
		if (lines)
			out->lines[i] = (struct source_line){0, (uint32_t)(lines[i] - '0')};
	}
	out->first[count] = count;
	out->side = (struct match_side){out->tokens, count, lines ? out->first : NULL, out->lines};
}

static void check(const struct made *a, const struct made *b, const char *to, const char *ways)
{
	uint32_t found[MOST], from[MOST];
	unsigned char how[MOST];
	struct match match = {found, from, how};
	static const char letters[] = {[MATCH_NONE] = '.',
				       [MATCH_SAME] = 's',
				       [MATCH_LINES] = 'l',
				       [MATCH_ALIGNED] = 'a',
				       [MATCH_MOVED] = 'm'};

	assert_true(match_instructions(&a->side, &b->side, &match));
	for (uint32_t i = 0; i < a->side.count; i++) {
		assert_int_equal(found[i] == ALIGN_NONE ? '.' : (int)('0' + found[i]), to[i]);
		assert_int_equal(letters[how[i]], ways[i]);
		if (found[i] != ALIGN_NONE)
			assert_int_equal(from[found[i]], i);
	}
}

static void ways(void **state)
{
	static struct made a, b;

	(void)state;
	make("abcd", NULL, &a);
	make("abcd", NULL, &b);
	check(&a, &b, "0123", "ssss");
	/* Lines in another order, which an alignment cannot have. */
	make("pqrs", "1122", &a);
	make("rspq", "2211", &b);
	check(&a, &b, "2301", "llll");
	/* Without lines: the one part by order, the other where it went. */
	make("abcdefxyzw", NULL, &a);
	make("xyzwabcdef", NULL, &b);
	check(&a, &b,
	      "456789012"
	      "3",
	      "aaaaaammmm");
	/* Those without a line are found by their order, or not at all. */
	make("abcde", "10203", &a);
	make("abcdf", "10204", &b);
	check(&a, &b, "0123.", "lala.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ways)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
