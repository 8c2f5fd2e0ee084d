/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/figure_table.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

struct part {
	uint32_t small;
	bool known;
};

struct product {
	uint64_t count, whole;
	double share;
	bool plain, has_extra;
	uint64_t extra;
	const char *path;
	char word[8];
	struct text name;
	struct build_id id;
	const struct part *part;
};

FIGURE_READER(twice, struct product, figure_number(2 * it->count))

static void write_list(struct json *json, const struct figure_row *row, const void *at)
{
	json_open(json, row->key, '[');
	json_number(json, NULL, ((const struct product *)at)->count);
	json_close(json, ']');
}

static void print_list(const struct figure_row *row, const void *at, FILE *out)
{
	fprintf(out, "%s of %u\n", (const char *)row->with,
		(unsigned)((const struct product *)at)->count);
}

static const struct figure_row part_rows[] = {
	{"small", "{} small one{:s}", VALUE(struct part, small)},
	{"known", NULL, VALUE(struct part, known)},
	{0},
};

static const struct figure_row rows[] = {
	FORMAT_ROWS("made"),
	{"count", "{:5} of {whole}, {count/whole:.1} %; {share:g} {share:7.2}\n",
	 VALUE(struct product, count)},
	FIGURES(struct product, , whole, share, plain),
	{"twice", .read = twice},
	{"extra", "extra {}\n", VALUE(struct product, extra), IF(struct product, has_extra)},
	{"object", BEGIN, IF(struct product, has_extra)},
	{"inner", BEGIN},
	{"count", "inner {count}\n", VALUE(struct product, extra)},
	{END},
	{END},
	{"some", "some {}\n", VALUE(struct product, extra), .any = true},
	FIGURES(struct product, , path, word, name, id),
	{"hex", "at {}\n", VALUE_BY(struct product, whole, figure_of_hex)},
	{"part", .rows = part_rows, THROUGH(struct product, part)},
	{"inline", BEGIN, THROUGH(struct product, part)},
	{.rows = part_rows, THROUGH(struct product, part)},
	{END},
	{.text = ".\n"},
	{"list", .write = write_list, .print = print_list, .with = "list"},
	{0},
};

static void check(const struct product *product, bool all, const char *json, const char *text)
{
	char *written, *printed;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	figures_json_document(rows, product, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(written, json);
	free(written);
	out = open_memstream(&printed, &size);
	figures_text(rows, product, all, "> ", out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, text);
	free(printed);
}

static void test_rows_as_json_and_text(void **state)
{
	const struct part part = {1, true};
	const struct product product = {.count = 3,
					.whole = 24,
					.share = 0.25,
					.plain = true,
					.has_extra = true,
					.extra = 7,
					.path = "a\"b",
					.word = "w",
					.name = {"name!", 4},
					.id = {2, {0xab, 1}},
					.part = &part};

	(void)state;
	check(&product, false,
	      "{\"format\": \"made\", \"version\": 1, \"count\": 3, \"whole\": 24, \"share\": 0.2500, \"plain\": true, \"twice\": 6, "
	      "\"extra\": 7, \"object\": {\"inner\": {\"count\": 7}}, \"some\": 7, \"path\": \"a\\\"b\", \"word\": \"w\", "
	      "\"name\": \"name\", \"id\": \"ab01\", \"hex\": \"0x18\", \"part\": {\"small\": 1, \"known\": true}, "
	      "\"inline\": {\"small\": 1, \"known\": true}, \"list\": [3]}\n",
	      ">     3 of 24, 12.5 %; 0.25    0.25\n> extra 7\n> inner 7\n> some 7\n> at 0x18\n> 1 small one1 small one.\nlist of 3\n");
}

static void test_rows_that_are_left_out(void **state)
{
	const struct product product = {0};
	const char *json =
		"{\"format\": \"made\", \"version\": 1, \"count\": 0, \"whole\": 0, \"share\": 0.0000, \"plain\": false, "
		"\"twice\": 0, \"some\": 0, \"path\": \"\", \"word\": \"\", \"name\": \"\", \"id\": \"\", \"hex\": \"0x0\", "
		"\"list\": [0]}\n";

	(void)state;
	check(&product, false, json, ">     0 of 0, 0.0 %; 0    0.00\n> at 0x0\n> .\nlist of 0\n");
	check(&product, true, json,
	      ">     0 of 0, 0.0 %; 0    0.00\n> some 0\n> at 0x0\n> .\nlist of 0\n");
}

static void test_a_page_cuts_texts_but_for_whole_ones(void **state)
{
	struct texts {
		char sentence[400], none[8];
		struct text empty;
	} of = {0};
	const struct figure_row long_rows[] = {
		{"cut", .read = figure_of_chars},
		{"whole", .read = figure_of_whole},
		{"none", .at = offsetof(struct texts, none), .read = figure_of_some_whole},
		{"empty", .at = offsetof(struct texts, empty), .read = figure_of_some},
		{0},
	};
	char *written;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	(void)state;
	memset(of.sentence, 'x', sizeof(of.sentence) - 1);
	figures_json_object(long_rows, &of, &(struct json){.out = out, .page = true}, NULL);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(size, strlen("{\"cut\":\"\\u2026\",\"whole\":\"\"}") + 300 + 399);
	assert_null(strstr(written, "none"));
	free(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_as_json_and_text),
		cmocka_unit_test(test_rows_that_are_left_out),
		cmocka_unit_test(test_a_page_cuts_texts_but_for_whole_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
