/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/text.h"

#include "src/base/attr.h"

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	bool ok;
	uint64_t value;
} hex[] =
	{
		{"0", true, 0},
		{"7f1F", true, 0x7f1f},
		{"0x10", true, 0x10},
		{"0X10", true, 0x10},
		{"ffffffffffffffff", true, UINT64_MAX},
		{"0000000000000000000001", true, 1},
		{"10000000000000000", false, 0},
		{"", false, 0},
		{"0x", false, 0},
		{"x1", false, 0},
		{"-1", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"1g", false, 0},
		{"0x0x1", false, 0},
},
  dec[] = {
	  {"0", true, 0},
	  {"18446744073709551615", true, UINT64_MAX},
	  {"18446744073709551616", false, 0},
	  {"99999999999999999999", false, 0},
	  {"007", true, 7},
	  {"", false, 0},
	  {"-1", false, 0},
	  {"1a", false, 0},
	  {"0x1", false, 0},
	  {"1.0", false, 0},
};

static void numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hex); i++) {
		uint64_t value = 0;
		assert_int_equal(text_hex(text_of(hex[i].text), &value), hex[i].ok);
		assert_int_equal(value, hex[i].value);
	}
	for (size_t i = 0; i < COUNT(dec); i++) {
		uint64_t value = 0;
		assert_int_equal(text_dec(text_of(dec[i].text), &value), dec[i].ok);
		assert_int_equal(value, dec[i].value);
	}
}

static void words(void **state)
{
	struct text rest = text_of(" \ta  bc\r d\t");

	(void)state;
	assert_true(text_is(text_word(&rest), "a"));
	assert_true(text_is(text_word(&rest), "bc"));
	assert_true(text_is(text_word(&rest), "d"));
	assert_int_equal(text_word(&rest).len, 0);
	assert_int_equal(text_word(&rest).len, 0);
}

static void trimming(void **state)
{
	(void)state;
	assert_true(text_is(text_trim(text_of(" \t a b \r")), "a b"));
	assert_true(text_is(text_trim(text_of(" \t\r")), ""));
	assert_true(text_is(text_trim(text_of("")), ""));
}

static void parts(void **state)
{
	struct text t = text_of("abcabc");

	(void)state;
	assert_int_equal(text_find(t, 'c'), 2);
	assert_int_equal(text_find(t, 'x'), 6);
	assert_int_equal(text_find(text_from(t, 6), 'a'), 0);
	assert_true(text_is(text_from(t, 4), "bc"));
	assert_int_equal(text_from(t, 7).len, 0);
	assert_true(text_is(text_first(t, 2), "ab"));
	assert_true(text_is(text_first(t, 99), "abcabc"));
	assert_true(text_starts(t, "abca") && text_ends(t, "cabc"));
	assert_false(text_starts(t, "b") || text_ends(t, "b"));
	assert_false(text_starts(t, "abcabcd") || text_ends(t, "zabcabc"));
	assert_true(text_equal(text_from(t, 3), text_first(t, 3)));
	assert_false(text_equal(t, text_first(t, 3)));
	assert_true(text_equal((struct text){0}, text_of("")));
}

static void basenames(void **state)
{
	(void)state;
	assert_true(text_is(text_basename(text_of("/a/b c")), "b c"));
	assert_true(text_is(text_basename(text_of("b")), "b"));
	assert_true(text_is(text_basename(text_of("/a/")), ""));
	assert_true(text_is(text_basename(text_of("")), ""));
}

/* Random texts, mostly blank, of several chunks, against one line after the other. */
static void blank_lines(void **state)
{
	static const char bytes[] = "\n\n\n\n \t\r";
	struct prng prng = {1};
	char text[400];
	uint64_t lines;

	(void)state;
	assert_int_equal(text_blank_lines((struct text){0}, &lines), 0);
	assert_int_equal(lines, 0);
	for (unsigned round = 0; round < 5000; round++) {
		size_t size = prng_below(&prng, sizeof(text)), end = 0, count = 0;
		for (size_t i = 0; i < size; i++)
			text[i] = bytes[prng_below(&prng, sizeof(bytes) - 1)];
		if (size && round % 2)
			text[prng_below(&prng, size)] = 'x';
		for (struct text rest = {text, size}, line;
		     text_find(rest, '\n') < rest.len && text_line(&rest, &line) &&
		     !text_trim(line).len;
		     count++)
			end += line.len + 1;
		assert_int_equal(text_blank_lines((struct text){text, size}, &lines), end);
		assert_int_equal(lines, count);
	}
}

static void order_of_texts(void **state)
{
	static const char *const sorted[] = {"", "a", "aa", "ab", "b", "\x80"};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(sorted); i++)
		for (size_t k = 0; k < BC_COUNT(sorted); k++) {
			int order = text_compare(text_of(sorted[i]), text_of(sorted[k]));
			assert_true(i < k ? order < 0 : i > k ? order > 0 : !order);
		}
	assert_true(text_compare((struct text){0}, text_of("a")) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),        cmocka_unit_test(words),
		cmocka_unit_test(trimming),       cmocka_unit_test(parts),
		cmocka_unit_test(basenames),      cmocka_unit_test(blank_lines),
		cmocka_unit_test(order_of_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
