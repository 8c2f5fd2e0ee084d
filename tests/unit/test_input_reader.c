/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognition of formats, and what holds for every text, however damaged. */
#include "tests/support/cmocka.h"
#include "tests/unit/test_input_transcript.h"

static const struct {
	const char *text;
	enum input_format format; /* INPUT_AUTO: not recognised */
} recognised[] = {
	{"T 10 20 30 4\n", INPUT_PREAGG},
	{"# x\n\n// y\nE cycles\nS 10 2\n", INPUT_PREAGG},
	{"T X:0 10 20 1", INPUT_PREAGG},
	{"T 10 20 30 4\nQ\nF 1 2 3\n", INPUT_PREAGG}, /* with an error to tell */
	{"7 404010\n", INPUT_PERF_SCRIPT},
	{"7 0x10/0x20/P/-/-/0\n", INPUT_PERF_SCRIPT},
	{"# perf\n7 PERF_RECORD_COMM: a:7/7\n", INPUT_PERF_SCRIPT},
	{"               T 10 1.5: 9 cycles: 20\n", INPUT_PERF_SCRIPT},
	{"S 10 2\n7 404010\n7 404010\n", INPUT_PERF_SCRIPT},
	{"hello world\n", INPUT_AUTO},
	{"\x7f" "ELF\n", INPUT_AUTO},
	{"# only a comment\n", INPUT_AUTO},
};

static void formats_are_recognised(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(recognised); i++) {
		struct transcript t;
		bool ok = transcript_text(&t, recognised[i].text, INPUT_AUTO);
		assert_int_equal(t.report.format, recognised[i].format);
		if (recognised[i].format == INPUT_AUTO) {
			assert_false(ok);
			assert_int_equal(t.err.code, BC_FORMAT);
		}
		transcript_free(&t);
	}
}

static void perf_data_is_recognised_before_anything_else(void **state)
{
	static const char *const magics[] = {"PERFILE2", "PERFFILE"};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(magics); i++) {
		struct transcript t;
		assert_false(transcript_text(&t, magics[i], INPUT_PREAGG));
		assert_int_equal(t.report.format, INPUT_PERF_DATA);
		assert_non_null(strstr(t.err.text, "input"));
		transcript_free(&t);
	}
}

static void messages_of_what_is_not_recognised(void **state)
{
	struct transcript t;

	(void)state;
	assert_false(transcript_text(&t, "", INPUT_AUTO));
	assert_string_equal(t.err.text, "input: is empty");
	transcript_free(&t);
	assert_false(transcript_text(&t, "# x\n hello\n", INPUT_AUTO));
	assert_string_equal(t.err.text, "input: line 2, column 2: expected perf.data, text of perf "
					"script or pre-aggregated records, not 'hello'");
	transcript_free(&t);
}

static void names_of_formats(void **state)
{
	enum input_format format;

	(void)state;
	for (int i = INPUT_AUTO; i <= INPUT_PERF_DATA; i++) {
		assert_true(input_format_parse(text_of(input_format_name((enum input_format)i)), &format));
		assert_int_equal(format, i);
	}
	assert_false(input_format_parse(text_of("perf"), &format));
}

static bool refuse(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	(void)ctx, (void)at, (void)count;
	return bc_fail(err, BC_MISMATCH, "the sink had enough");
}

static void the_sink_can_stop_a_reader(void **state)
{
	FILE *file = tmpfile();
	struct sample_sink sink = {.basic = refuse};
	struct reader_options options = {.format = INPUT_AUTO};
	struct reader_report report;
	struct bc_error err = {0};

	(void)state;
	assert_non_null(file);
	fputs("S 1 2\nS 3 4\n", file);
	rewind(file);
	struct file_stream stream = {.name = "input", .fd = fileno(file)};
	assert_false(reader_run(&stream, &options, &sink, &report, &err));
	assert_string_equal(err.text, "the sink had enough");
	assert_int_equal(report.lines, 1);
	fclose(file);
}

static const char samples_text[] =
	"# ========\n"
	"          sq.b19     7  2752.330001: PERF_RECORD_MMAP2 7/7: [0x56508320b000(0xeb000) @ 0xb000 "
	"<0b443b38>]: r-xp /srv/a b (deleted)\n"
	"7 PERF_RECORD_COMM exec: sq.b19:7/7\n"
	"7 PERF_RECORD_FORK(9:9):(7:8)\n"
	"7/8  404010 0x10(/b c)/0x20(/b)/M/-/-/0/  0x30/0x40/P/-/-/0/COND\n"
	"a 7 [003] U 1.5: 9 cycles:u: \n"
	"\t    404010 f (/b)\n"
	" 0x50/0x60/-/-/-/0\n"
	"\n"
	"7 PERF_RECORD_EXIT(7:7):(7:7)\n";

static const char records_text[] = "E cycles:u:\n"
				   "T X:0 0b443b38:b000 0xb00e 12 1 # x\n"
				   "r b3c0 ffffffffffffffff 1\n"
				   "B 1 2 3 4\n"
				   "S 10 2\n";

/* The number that follows a key in a message, or 0. */
static uint64_t number_after(const char *message, const char *key)
{
	const char *found = strstr(message, key);
	struct text rest = text_of(found ? found + strlen(key) : "");
	uint64_t value = 0;
	size_t len = 0;

	while (len < rest.len && rest.at[len] >= '0' && rest.at[len] <= '9')
		len++;
	return text_dec(text_first(rest, len), &value) ? value : 0;
}

/* A reader says yes, or says why not in one line with the place. */
static void assert_clean(const char *bytes, size_t size, enum input_format format)
{
	struct reader_options options = {.format = format, .build_id = {2, {0x0b, 0x44}}};
	struct transcript t;

	if (!transcript_bytes(&t, bytes, size, &options) && size) {
		assert_true(t.err.code == BC_FORMAT || t.err.code == BC_UNSUPPORTED);
		assert_null(strchr(t.err.text, '\n'));
		uint64_t line = number_after(t.err.text, "input: line ");
		uint64_t column = number_after(t.err.text, ", column ");
		if (line < 1 || line > 11 || column < 1 || column > 200)
			fail_msg("no place: %s", t.err.text);
	}
	transcript_free(&t);
}

static void every_truncation_is_clean(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(samples_text); size++)
		assert_clean(samples_text, size, INPUT_PERF_SCRIPT);
	for (size_t size = 0; size < sizeof(records_text); size++)
		assert_clean(records_text, size, INPUT_PREAGG);
}

static void corrupt_each_byte(const char *text, size_t size, enum input_format format)
{
	static const char bytes[] = {'\0', '\n', ' ', '\t', '/', ':', '(', ')', '0',
				     'f',  'x',  '-', '#',  '<', ']', 'P', 'M', '\xff'};
	char copy[1024];

	assert_true(size <= sizeof(copy));
	for (size_t at = 0; at < size; at++)
		for (size_t i = 0; i < sizeof(bytes); i++) {
			memcpy(copy, text, size);
			copy[at] = bytes[i];
			assert_clean(copy, size, format);
		}
}

static void every_corrupt_byte_is_clean(void **state)
{
	(void)state;
	corrupt_each_byte(samples_text, sizeof(samples_text) - 1, INPUT_PERF_SCRIPT);
	corrupt_each_byte(records_text, sizeof(records_text) - 1, INPUT_PREAGG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_recognised),
		cmocka_unit_test(perf_data_is_recognised_before_anything_else),
		cmocka_unit_test(messages_of_what_is_not_recognised),
		cmocka_unit_test(names_of_formats),
		cmocka_unit_test(the_sink_can_stop_a_reader),
		cmocka_unit_test(every_truncation_is_clean),
		cmocka_unit_test(every_corrupt_byte_is_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
