/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/cmocka.h"
#include "tests/samples/test_samples_transcript.h"

/* The binary's build-id in these tests is 0b443b38. */
static const struct build_id own_id = {4, {0x0b, 0x44, 0x3b, 0x38}};

static bool run(struct transcript *t, const char *text)
{
	struct reader_options options = {.format = INPUT_PREAGG, .build_id = own_id};

	char lines[512];

	snprintf(lines, sizeof(lines), "%s\n", text);
	return transcript_bytes(t, lines, strlen(lines), &options);
}

#define M1 "ffffffffffffffff"
#define M2 "fffffffffffffffe"
#define M3 "fffffffffffffffd"

static const struct {
	const char *line, *told;
} readable[] = {
	{"E cycles:u:", "event 'cycles:u:'\n"},
	{" E  a name \r", "event 'a name'\n"},
	{"S 1a2b 12", "basic 1a2b 12\n"},
	{"T 10 20 30 4", "trace 10 20 30 4 0\n"},
	{"T 10 20 30 4 1", "trace 10 20 30 4 1\n"},
	{"R 10 20 30 4", "return 10 20 30 4 0\n"},
	{"R 10 20 30 4 2", "return 10 20 30 4 2\n"},
	{"B 10 20 4 1", "trace 10 20 " M1 " 4 1\n"},
	{"B 10 20 4", "trace 10 20 " M1 " 4 0\n"},
	{"B 10 20 4 # 3", "trace 10 20 " M1 " 4 0\n"},
	{"F 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"f 20 30 4", "trace " M2 " 20 30 4 0\n"},
	{"r 20 30 4", "return " M3 " 20 30 4 0\n"},
	/* constants where an address can be */
	{"T " M1 " 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"T 0x" M2 " 20 30 4", "trace " M2 " 20 30 4 0\n"},
	{"R " M3 " 20 30 4", "return " M3 " 20 30 4 0\n"},
	{"T 10 20 " M1 " 4", "trace 10 20 " M1 " 4 0\n"},
	{"T -1 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"T -2 20 30 4", "trace " M2 " 20 30 4 0\n"},
	{"R -3 20 30 4", "return " M3 " 20 30 4 0\n"},
	{"T 10 20 -1 4", "trace 10 20 " M1 " 4 0\n"},
	{"T 10 20 0b443b38:-1 4", "trace 10 20 " M1 " 4 0\n"},
	{"T 10 20 0b443b39:-1 4", "trace 10 20 " M1 " 4 0\n"},
	{"T 10 20 X:-1 4", "trace 10 20 " M1 " 4 0\n"},
	/* marks are in no file, whatever is before their colon: perf2bolt 22 to 24 have no record
	   of these lines, or that of F, f, r */
	{"T X:-1 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"T X:-2 20 30 4", "trace " M2 " 20 30 4 0\n"},
	{"T X:" M1 " 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"T X:" M3 " 20 30 4", "trace " M3 " 20 30 4 0\n"},
	{"T 0b443b39:" M1 " 20 30 4", "trace " M1 " 20 30 4 0\n"},
	{"R X:" M1 " 20 30 4", "return " M1 " 20 30 4 0\n"},
	{"T X:fffffffffffffffc 20 30 4", "trace 0 20 30 4 0\n"},
	{"T 0 20 30 4", "trace 0 20 30 4 0\n"},
	{"R 0 20 30 4", "return " M3 " 20 30 4 0\n"}, /* the same as r */
	{"R X:0 20 30 4", "return " M3 " 20 30 4 0\n"},
	{"T X:0 20 30 4", "trace 0 20 30 4 0\n"},
	{"T X:7f0012 20 30 4", "trace 0 20 30 4 0\n"},
	/* other ways to write an address */
	{"T 0x10 0X20 0xABcd 4", "trace 10 20 abcd 4 0\n"},
	{"T 0b443b38:10 0B443B38:0x20 0x0b443b38:30 4", "trace 10 20 30 4 0\n"},
	{"T 0b443b39:10 20 30 4", "trace 0 20 30 4 0\n"},
	{"T 10 20 0xdead:30 4", "trace 10 20 0 4 0\n"},
	{"B 10 X:20 4 0", "trace 10 0 " M1 " 4 0\n"},
	{"S dead:10 4", "basic 0 4\n"},
	/* blanks, comments, large and zero numbers */
	{"\tT\t10  20\t\t30 4\r", "trace 10 20 30 4 0\n"},
	{"T 10 20 30 0", "trace 10 20 30 0 0\n"},
	{"T 10 20 30 281474976710655", "trace 10 20 30 281474976710655 0\n"},
	{"T 10 20 30 4 # seen", "trace 10 20 30 4 0\n"},
	{"F 10 20 30 // seen", "trace " M1 " 10 20 30 0\n"},
	{"# T 10 20 30 4", ""},
	{"  // made by hand", ""},
	{" \t", ""},
};

static void every_readable_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(readable); i++) {
		struct transcript t;
		if (!run(&t, readable[i].line))
			fail_msg("%s: %s", readable[i].line, t.err.text);
		assert_string_equal(t.text, readable[i].told);
		assert_int_equal(t.report.lines, 1);
		assert_int_equal(t.report.ignored, !*readable[i].told);
		transcript_free(&t);
	}
}

static const struct {
	const char *line, *message;
} unreadable[] = {
	{"Q 1 2 3", "column 1: expected a record type, one of E S T R B F f r, not 'Q'"},
	{"TT 1 2 3 4", "column 1: expected a record type, one of E S T R B F f r, not 'TT'"},
	{"E  ", "column 4: expected an event name, but the line ends"},
	{"T 1 2 3", "column 8: expected a decimal count, but the line ends"},
	{"T 1 2 3 a", "column 9: expected a decimal count, not 'a'"},
	{"T 1 2 3 0x4", "column 9: expected a decimal count, not '0x4'"},
	{"T 1 2 3 -4", "column 9: expected a decimal count, not '-4'"},
	{"T 1 2 3 18446744073709551616",
	 "column 9: expected a decimal count, not '18446744073709551616'"},
	{"T 1 2 3 4 5 6", "column 13: expected the end of the line, not '6'"},
	{"F 1 2 3 4", "column 9: expected the end of the line, not '4'"},
	{"S 1 2 3", "column 7: expected the end of the line, not '3'"},
	{"B 1 2", "column 6: expected a decimal count, but the line ends"},
	{"B 1 2 # 4", "column 7: expected a decimal count, not '#'"},
	{"B 1 2 3 4 5", "column 11: expected the end of the line, not '5'"},
	{"T 1 2 -0 4", "column 7: expected a hexadecimal address, not '-0'"},
	{"T 1 2 -4 4", "column 7: expected a hexadecimal address, not '-4'"},
	{"T 1 2 -11 4", "column 7: expected a hexadecimal address, not '-11'"},
	{"T 1 2 - 4", "column 7: expected a hexadecimal address, not '-'"},
	{"T 1 g 3 4", "column 5: expected a hexadecimal address, not 'g'"},
	{"T 1 0x 3 4", "column 5: expected a hexadecimal address, not '0x'"},
	{"T 1 10000000000000000 3 4",
	 "column 5: expected a hexadecimal address, not '10000000000000000'"},
	{"T 1 X: 3 4", "column 7: expected a hexadecimal address, not '3'"},
	{"T 1 :2 3 4", "column 5: expected a build-id or X before the colon, not ':2'"},
	{"T 1 abc:2 3 4", "column 5: expected a build-id or X before the colon, not 'abc:2'"},
	{"T 1 ab:2:3 3 4", "column 8: expected a hexadecimal address, not '2:3'"},
};

static void every_unreadable_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(unreadable); i++) {
		struct transcript t;
		char text[256];
		snprintf(text, sizeof(text), "# first\nS 1 2\n%s\nS 3 4\n", unreadable[i].line);
		assert_false(run(&t, text));
		assert_int_equal(t.err.code, BC_FORMAT);
		snprintf(text, sizeof(text), "input: line 3, %s", unreadable[i].message);
		assert_string_equal(t.err.text, text);
		assert_string_equal(t.text, "basic 1 2\n");
		transcript_free(&t);
	}
}

static void the_last_line_has_an_end(void **state)
{
	struct transcript t;

	(void)state;
	assert_false(transcript_text(&t, "T 10 20 30 4\nT 10 20 30 12", INPUT_PREAGG));
	assert_string_equal(t.err.text,
			    "input: line 2, column 14: the file ends within the line: it was cut");
	transcript_free(&t);
}

static void without_own_build_id_every_one_is_outside(void **state)
{
	struct transcript t;

	(void)state;
	assert_true(transcript_text(&t, "T 0b443b38:10 20 30 4\n", INPUT_PREAGG));
	assert_string_equal(t.text, "trace 0 20 30 4 0\n");
	transcript_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_readable_line),
		cmocka_unit_test(every_unreadable_line),
		cmocka_unit_test(the_last_line_has_an_end),
		cmocka_unit_test(without_own_build_id_every_one_is_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
