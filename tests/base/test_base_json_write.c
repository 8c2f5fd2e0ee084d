/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/json.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

static void assert_string(const char *value, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	struct json json = {.out = open_memstream(&text, &size)};

	json_string(&json, NULL, value);
	fclose(json.out);
	assert_string_equal(text, expected);
	free(text);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	assert_string("", "\"\"");
	assert_string("a\"b\\c", "\"a\\\"b\\\\c\"");
	assert_string("\n\x01\x1f", "\"\\u000a\\u0001\\u001f\"");
	/* What nobody is to see on a terminal: DEL, C1, marks of direction.  Letters stay. */
	assert_string("\x7f\xc2\x9b\xe2\x80\xae", "\"\\u007f\\u009b\\u202e\"");
	assert_string("\xc3\xa9\xe2\x82\xac", "\"\xc3\xa9\xe2\x82\xac\"");
}

/* Every shortest, longest and forbidden form at a boundary of UTF-8. */
static void what_is_no_utf8_is_replaced(void **state)
{
	static const struct {
		const char *bytes;
		int valid;
	} cases[] = {
		{"\xc2\xa0", 1},         {"\xdf\xbf", 1},
		{"\xe0\xa0\x80", 1},     {"\xed\x9f\xbf", 1},
		{"\xee\x80\x80", 1},     {"\xf0\x90\x80\x80", 1},
		{"\xf4\x8f\xbf\xbf", 1}, {"\x80", 0},
		{"\xc1\xbf", 0},         {"\xe0\x9f\xbf", 0},
		{"\xed\xa0\x80", 0},     {"\xf0\x8f\xbf\xbf", 0},
		{"\xf4\x90\x80\x80", 0}, {"\xf5\x80\x80\x80", 0},
		{"\xe2\x82", 0},         {"\xff", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[64] = "\"";
		for (size_t b = 0; !cases[i].valid && cases[i].bytes[b]; b++)
			strcat(expected, "\\ufffd");
		if (cases[i].valid)
			strcat(expected, cases[i].bytes);
		strcat(expected, "\"");
		assert_string(cases[i].bytes, expected);
	}
}

/* In a page nothing can end the element that data be in, and no name fills it. */
static void strings_of_a_page_are_safe_and_short(void **state)
{
	char *text = NULL, longest[500], expected[500];
	size_t size = 0;
	struct json json = {.out = open_memstream(&text, &size), .page = true};

	(void)state;
	memset(longest, 'x', sizeof(longest));
	json_open(&json, NULL, '[');
	json_string(&json, NULL, "</script><!--\xff");
	json_text(&json, NULL, (struct text){longest, sizeof(longest)});
	json_real(&json, NULL, 12.5);
	json_real(&json, NULL, 100);
	json_close(&json, ']');
	fclose(json.out);
	snprintf(expected, sizeof(expected),
		 "[\"\\u003c/script>\\u003c!--\\ufffd\",\"%.*s\\u2026\",12.5,100]",
		 (int)JSON_PAGE_STRING, longest);
	assert_string_equal(text, expected);
	free(text);
}

static void commas_stand_between_values(void **state)
{
	char *text = NULL;
	size_t size = 0;
	struct json json = {.out = open_memstream(&text, &size)};

	(void)state;
	json_open(&json, NULL, '{');
	json_open(&json, "a", '[');
	json_close(&json, ']');
	json_open(&json, "b", '[');
	json_number(&json, NULL, UINT64_MAX);
	json_open(&json, NULL, '{');
	json_bool(&json, "c", true);
	json_real(&json, "d", 0.5);
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	fclose(json.out);
	assert_string_equal(
		text, "{\"a\": [], \"b\": [18446744073709551615, {\"c\": true, \"d\": 0.5000}]}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(what_is_no_utf8_is_replaced),
		cmocka_unit_test(strings_of_a_page_are_safe_and_short),
		cmocka_unit_test(commas_stand_between_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
