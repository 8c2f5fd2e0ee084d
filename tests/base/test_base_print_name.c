/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What people are shown of a name.  Expectations by hand, from the tables of Unicode. */
#include "src/base/text.h"

#include <stdlib.h>

#include "src/base/error.h"
#include "tests/support/cmocka.h"

static const struct {
	const char *name, *printed, *message;
} rows[] = {
	{"", "", ""},
	{"main.cold/1(*2)", "main.cold/1(*2)", "main.cold/1(*2)"},
	{"a b\\c", "a b\\c", "a b\\c"},
	/* C0, DEL */
	{"\033[2Jx", "\\033[2Jx", "?[2Jx"},
	{"a\nb\r\tc\x7f", "a\\012b\\015\\011c\\177", "a?b??c?"},
	/* C1, as characters of UTF-8 and as bytes */
	{"\xc2\x9b"
	 "2J",
	 "\\302\\2332J", "??2J"},
	{"\x9b"
	 "2J",
	 "\\2332J", "?2J"},
	/* letters of all lengths; the first one after C1 */
	{"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	 "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	 "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
	/* no UTF-8: a byte alone, cut, too long, half of a pair, beyond the last */
	{"\xe9x", "\\351x", "?x"},
	{"x\xe2\x82", "x\\342\\202", "x??"},
	{"\xc0\xaf", "\\300\\257", "??"},
	{"\xed\xa0\x80", "\\355\\240\\200", "???"},
	{"\xf4\x90\x80\x80", "\\364\\220\\200\\200", "????"},
	/* direction, ends of lines: U+202E, U+2066, U+200F, U+061C, U+2028; next to them U+200D,
	   U+2030, U+2065 */
	{"a\xe2\x80\xae"
	 "b",
	 "a\\342\\200\\256b", "a???b"},
	{"\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8",
	 "\\342\\201\\246\\342\\200\\217\\330\\234\\342\\200\\250", "???????????"},
	{"\xe2\x80\x8d\xe2\x80\xb0\xe2\x81\xa5", "\xe2\x80\x8d\xe2\x80\xb0\xe2\x81\xa5",
	 "\xe2\x80\x8d\xe2\x80\xb0\xe2\x81\xa5"},
};

static void assert_printed(struct text name, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	print_name(name, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		assert_printed(text_of(rows[i].name), rows[i].printed);
	assert_printed((struct text){"a\0b", 3}, "a\\000b");
	assert_printed((struct text){NULL, 0}, "");
	assert_printed((struct text){"\xe2\x82\xac", 2},
		       "\\342\\202"); /* reads no further than it may */
}

static void messages(void **state)
{
	char line[64];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		snprintf(line, sizeof(line), "%s", rows[i].name);
		make_printable(line);
		assert_string_equal(line, rows[i].message);
	}
}

static void errors(void **state)
{
	struct bc_error err;

	(void)state;
	bc_fail(&err, BC_FORMAT, "%s: \xc2\x9b%d", "a\033\nb", 7);
	assert_string_equal(err.text, "a??b: ??7");
	bc_fail_prefix(&err, "\xe2\x80\xae");
	assert_string_equal(err.text, "???: a??b: ??7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(messages),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
