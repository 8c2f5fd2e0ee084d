/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What RFC 8259 allows and we ask for is read; all else is refused, with the byte that
 * was to be read next.  The expectations are the RFC's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "tests/support/cmocka.h"

enum ask { ASK_TEXT, ASK_WHOLE, ASK_HEX, ASK_NULL, ASK_BOOLEAN, ASK_SKIP };

struct document {
	FILE *file;
	struct file_stream stream;
	struct bc_error err;
	struct json_reader reader;
};

static struct document *document_of(const char *text, size_t size)
{
	struct document *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	d->file = tmpfile();
	assert_non_null(d->file);
	assert_int_equal(fwrite(text, 1, size, d->file), size);
	rewind(d->file);
	d->stream = (struct file_stream){.name = "input", .fd = fileno(d->file)};
	json_reader_init(&d->reader, &d->stream, &d->err);
	return d;
}

static void document_free(struct document *d)
{
	fclose(d->file);
	free(d);
}

/* The value as text, or NULL and an error. */
static const char *answer(struct document *d, enum ask ask)
{
	static char told[JSON_TEXT];
	struct text text = {"", 0};
	uint64_t number = 0;
	bool flag = false, ok = false;

	switch (ask) {
	case ASK_TEXT: ok = json_text_value(&d->reader, &text); break;
	case ASK_WHOLE: ok = json_whole(&d->reader, 1000, &number); break;
	case ASK_HEX: ok = json_hex_value(&d->reader, NULL, &number); break;
	case ASK_NULL: ok = json_hex_value(&d->reader, &flag, &number); break;
	case ASK_BOOLEAN: ok = json_boolean(&d->reader, &flag); break;
	case ASK_SKIP: ok = json_skip(&d->reader); break;
	}
	if (ask == ASK_TEXT)
		snprintf(told, sizeof(told), "%.*s", (int)text.len, text.at);
	else if (flag)
		snprintf(told, sizeof(told), "true");
	else
		snprintf(told, sizeof(told), "%llu", (unsigned long long)number);
	return ok && json_finish(&d->reader) ? told : NULL;
}

static void what_is_read(void **state)
{
	static const struct {
		enum ask ask;
		const char *text, *value;
	} rows[] = {
		{ASK_TEXT, " \"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\" ", "a\"\\/\b\f\n\r\tz"},
		{ASK_TEXT, "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		 "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{ASK_TEXT, "\"\"", ""},
		{ASK_WHOLE, "0", "0"},
		{ASK_WHOLE, "\t\r\n1000", "1000"},
		{ASK_HEX, "\"0xffffffffffffffff\"", "18446744073709551615"},
		{ASK_NULL, "null", "true"},
		{ASK_NULL, "\"0x10\"", "16"},
		{ASK_BOOLEAN, "true", "true"},
		{ASK_BOOLEAN, "false", "0"},
		{ASK_SKIP, "-1.5e+3", "0"},
		{ASK_SKIP, "{\"a\":[1,{\"b\":null},[]],\"c\":{},\"d\":\"\\u0000\"}", "0"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct document *d = document_of(rows[i].text, strlen(rows[i].text));
		const char *got = answer(d, rows[i].ask);
		if (!got)
			fail_msg("%s: %s", rows[i].text, d->err.text);
		assert_string_equal(got, rows[i].value);
		document_free(d);
	}
}

static void what_is_refused(void **state)
{
	static const struct {
		enum ask ask;
		const char *text, *why;
	} rows[] = {
		{ASK_TEXT, "\"\\u00g0\"", "input: JSON, byte 5: \\u needs four hexadecimal digits"},
		{ASK_TEXT, "\"\\u00", "input: JSON, byte 5: \\u needs four hexadecimal digits"},
		{ASK_TEXT, "\"\\udc00\"", "input: JSON, byte 7: half a surrogate pair"},
		{ASK_TEXT, "\"\\ud800x\"", "input: JSON, byte 8: half a surrogate pair"},
		{ASK_TEXT, "\"\\ud800\\u0041\"", "input: JSON, byte 13: half a surrogate pair"},
		{ASK_TEXT, "\"\\ud800\\u\"",
		 "input: JSON, byte 9: \\u needs four hexadecimal digits"},
		{ASK_TEXT, " \"\\x\"", "input: JSON, byte 4: no such escape"},
		{ASK_TEXT, "\"a", "input: JSON, byte 2: the file ends in a string"},
		{ASK_TEXT, "\"a\nb\"", "input: JSON, byte 3: a control character in a string"},
		{ASK_TEXT, "7", "input: JSON, byte 0: '\"' expected"},
		{ASK_TEXT, "", "input: JSON, byte 0: the file ends where '\"' is expected"},
		{ASK_TEXT, "\"a\" 1", "input: JSON, byte 4: something follows the value"},
		{ASK_WHOLE, "1001", "input: JSON, byte 4: 1001 is more than 1000"},
		{ASK_WHOLE, "99999999999999999999999",
		 "input: JSON, byte 23: a whole number expected"},
		{ASK_WHOLE, "-1", "input: JSON, byte 2: a whole number expected"},
		{ASK_WHOLE, "1.5", "input: JSON, byte 3: a whole number expected"},
		{ASK_WHOLE, "012", "input: JSON, byte 3: a whole number expected"},
		{ASK_HEX, "null", "input: JSON, byte 0: '\"' expected"},
		{ASK_HEX, "\"1f\"", "input: JSON, byte 4: a number as \"0x1f\" expected"},
		{ASK_HEX, "\"0x\"", "input: JSON, byte 4: a number as \"0x1f\" expected"},
		{ASK_HEX, "\"0x10000000000000000\"",
		 "input: JSON, byte 21: a number as \"0x1f\" expected"},
		{ASK_BOOLEAN, "0", "input: JSON, byte 0: true or false expected"},
		{ASK_SKIP, "+", "input: JSON, byte 1: no number"},
		{ASK_SKIP, "nul", "input: JSON, byte 3: a value expected"},
		{ASK_SKIP, "[1,", "input: JSON, byte 3: a value expected"},
		{ASK_SKIP, "{\"a\" 1}", "input: JSON, byte 5: ':' expected"},
		{ASK_SKIP, "{1}", "input: JSON, byte 1: '\"' expected"},
		{ASK_SKIP, "[1 2]", "input: JSON, byte 3: ',' expected"},
		{ASK_SKIP, "{\"a\":1]", "input: JSON, byte 6: ',' expected"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct document *d = document_of(rows[i].text, strlen(rows[i].text));
		if (answer(d, rows[i].ask))
			fail_msg("%s was taken", rows[i].text);
		if (strcmp(d->err.text, rows[i].why))
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].text, d->err.text, rows[i].why);
		document_free(d);
	}
}

static void limits(void **state)
{
	char text[JSON_TEXT + 64];

	(void)state;
	/* 64 brackets can be skipped, 65 not. */
	for (size_t depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		struct document *d = document_of(text, 2 * depth);
		assert_int_equal(answer(d, ASK_SKIP) != NULL, depth == JSON_DEPTH);
		if (depth > JSON_DEPTH)
			assert_string_equal(d->err.text,
					    "input: JSON, byte 64: more than 64 brackets deep");
		document_free(d);
	}
	/* A string that is asked for has a longest length; one that is skipped has none. */
	memset(text, 'a', sizeof(text));
	text[0] = text[sizeof(text) - 1] = '"';
	struct document *d = document_of(text, sizeof(text));
	assert_null(answer(d, ASK_TEXT));
	assert_string_equal(d->err.text,
			    "input: JSON, byte 4098: a string of more than 4096 bytes");
	document_free(d);
}

static void the_first_failure_stays(void **state)
{
	struct document *d = document_of("[1,x]", 5);
	struct text key;
	uint64_t number;
	bool more;

	(void)state;
	assert_true(json_enter(&d->reader, '['));
	assert_true(json_element(&d->reader, &more) && more);
	assert_true(json_whole(&d->reader, 9, &number));
	assert_int_equal(number, 1);
	assert_true(json_element(&d->reader, &more) && more);
	assert_false(json_whole(&d->reader, 9, &number));
	assert_string_equal(d->err.text, "input: JSON, byte 3: a whole number expected");
	assert_false(json_enter(&d->reader, '{'));
	assert_false(json_member(&d->reader, &key));
	assert_false(json_element(&d->reader, &more));
	assert_false(json_boolean(&d->reader, &more));
	assert_false(json_skip(&d->reader));
	assert_false(json_finish(&d->reader));
	assert_string_equal(d->err.text, "input: JSON, byte 3: a whole number expected");
	document_free(d);
}

/* A file that cannot be read is no damaged JSON. */
static void a_read_that_fails(void **state)
{
	struct document *d = document_of("", 0);
	struct text text;

	(void)state;
	d->stream.fd = -1;
	assert_false(json_text_value(&d->reader, &text));
	assert_int_equal(d->err.code, BC_IO);
	document_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(limits),
		cmocka_unit_test(the_first_failure_stays),
		cmocka_unit_test(a_read_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
