/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognition of formats, and what holds for every text, however damaged. */
#include "tests/support/cmocka.h"
#include "src/base/lines.h"
#include "tests/samples/test_samples_transcript.h"

static const struct {
	const char *text;
	enum input_format format; /* INPUT_AUTO: not recognized */
} recognized[] = {
	{"B 1 2 3\n", INPUT_PREAGG},
	{"T 10 20 -1 4\n", INPUT_PREAGG},
	{"T 10 20 30 4\n", INPUT_PREAGG},
	{"# x\n\n// y\nE cycles\nS 10 2\n", INPUT_PREAGG},
	{"T X:0 10 20 1", INPUT_PREAGG},
	{"T 10 20 30 4\nQ\nF 1 2 3\n", INPUT_PREAGG}, /* with an error to report */
	{"7 404010\n", INPUT_PERF_SCRIPT},
	{"7 0x10/0x20/P/-/-/0\n", INPUT_PERF_SCRIPT},
	{"# perf\n7 PERF_RECORD_COMM: a:7/7\n", INPUT_PERF_SCRIPT},
	{"               T 10 1.5: 9 cycles: 20\n", INPUT_PERF_SCRIPT},
	{"S 10 2\n7 404010\n7 404010\n", INPUT_PERF_SCRIPT},
	{"7 p5 400010 400020\n8 m3 400010\n",
	 INPUT_AUTO}, /* raw stacks, and no comm of two words */
	{"7 p5m3 400010 400020\n", INPUT_AUTO},
	{"hello world\n", INPUT_AUTO},
	{"\x7f"
	 "ELF\n",
	 INPUT_AUTO},
	{"# only a comment\n", INPUT_PREAGG}, /* of no records */
	{"", INPUT_PREAGG},
};

static void formats_are_recognized(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(recognized); i++) {
		struct transcript t;
		bool ok = transcript_text(&t, recognized[i].text, INPUT_AUTO);
		assert_int_equal(t.report.format, recognized[i].format);
		if (recognized[i].format == INPUT_AUTO) {
			assert_false(ok);
			assert_int_equal(t.err.code, BC_FORMAT);
		}
		transcript_free(&t);
	}
}

static void perf_data_is_recognized_before_anything_else(void **state)
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

static void messages_of_what_is_not_recognized(void **state)
{
	struct transcript t;

	(void)state;
	assert_false(transcript_text(&t, "", INPUT_PERF_SCRIPT));
	assert_string_equal(t.err.text, "input: is empty");
	transcript_free(&t);
	assert_false(transcript_text(&t, "# x\n hello\n", INPUT_AUTO));
	assert_string_equal(t.err.text, "input: line 2, column 2: expected perf.data, text of perf "
					"script or pre-aggregated records, not 'hello'");
	transcript_free(&t);
}

/* As perf 6.1 prints a record, and older ones without the file; after a comment, and without the
 * bytes. */
static void dumps_are_named(void **state)
{
	/* clang-format off */
	static const char *const dumps[] = {
		"\n0x490@a b.data [0x40]: event: 9\n.\n. ... raw event: size 64 bytes\n",
		"0x490 [0x40]: event: 9\n",
		"# cmdline : perf\n#\n0x490@- [0x40]: event: 9\n",
		". ... raw event: size 64 bytes\n",
		"7 404010\n\n0x490@d [0x40]: event: 9\n", /* a sample between two dumps */
		"0 0x108 [0x50]: PERF_RECORD_ID_INDEX nr: 2\n ... id: 24806  idx: 0  cpu: 0  tid: 22143\n",
		"1 14697900391567 0x490 [0x40]: PERF_RECORD_SAMPLE(IP, 0x2): 22143/22143: 0x7f period: 5 addr: 0\n",
		"-1 0x158 [0x50]: PERF_RECORD_MMAP -1/0: [0x81(0x12) @ 0x81]: x [kernel.kallsyms]_text\n",
	};
	/* clang-format on */
	static const char *const others[] = {
		"7 PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0 fe:00 1 2]: r-xp /bin/x\n7 404010\n",
		"a [0x40]: 7 1.5: 9 cycles: 20\n",
		"7 404010\n",
		"0x10 7 event: 20\n",
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(dumps); i++)
		for (int forced = 0; forced < 2; forced++) {
			struct transcript t;
			assert_false(transcript_text(&t, dumps[i],
						     forced ? INPUT_PERF_SCRIPT : INPUT_AUTO));
			if (t.err.code != BC_UNSUPPORTED || !strstr(t.err.text, "perf script -D"))
				fail_msg("%s: %s", dumps[i], t.err.text);
			transcript_free(&t);
		}
	for (size_t i = 0; i < BC_COUNT(others); i++) {
		struct transcript t;
		if (!transcript_text(&t, others[i], INPUT_AUTO))
			assert_null(strstr(t.err.text, "perf script -D"));
		transcript_free(&t);
	}
}

static bool refuse(void *ctx, const struct event *event, struct bc_error *err)
{
	unsigned *ends = ctx;

	*ends += event->kind == EVENT_END;
	return event->kind != EVENT_ADDRESSES || bc_fail(err, BC_MISMATCH, "the sink had enough");
}

static void the_sink_can_stop_a_reader(void **state)
{
	FILE *file = tmpfile();
	unsigned ends = 0;
	const struct event_sink sink = {&ends, refuse};
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
	assert_int_equal(ends, 1);
	assert_int_equal(report.lines, 2); /* they are read in blocks */
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

/* A reader says yes, or says why not in one line with the position. */
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

/* A text of many blocks, in which lines, records of several lines and call chains cross
 * from one to the next. */
static char *long_text(enum input_format format, size_t *size)
{
	char *text;
	FILE *out = open_memstream(&text, size);

	if (format == INPUT_PREAGG) {
		for (unsigned i = 0; i < 90000; i++)
			if (i % 100)
				fprintf(out, "T %x %x %x %u %u\n", i, 7 * i, 7 * i + i % 64,
					i % 9 + 1, i % 2);
			else
				fprintf(out, "S %x %u # an address\n", i, i);
	} else {
		fputs("7 PERF_RECORD_MMAP2 7/7: [0x1000(0xeb000) @ 0xb000 <0b443b38>]: r-xp /a\n",
		      out);
		for (unsigned i = 0; i < 9000; i++) {
			fprintf(out, "a 7 [003] U %u.5: 9 cycles:u: \n\t    40%04x f (/b)\n", i, i);
			for (unsigned n = 0; n < i % 33; n++)
				fprintf(out, " 0x%x/0x%llx/%c/-/-/%u/%s", 0x5000 + n * i,
					0xffff55cf4ac5b9faull >> i % 60, "PM-"[n % 3], i,
					n % 4 ? "" : "COND");
			fputs(i % 33 ? "\n" : "\n\n", out);
		}
	}
	fputs(format == INPUT_PREAGG ? "T 1 2 3 4 5\n" : "7 404010",
	      out); /* one needs no newline */
	fclose(out);
	return text;
}

/* What is read does not depend on who reads it. */
static void threads_read_the_same(void **state)
{
	static const unsigned threads[] = {1, 2, 3, 8};

	(void)state;
	for (enum input_format format = INPUT_PREAGG; format <= INPUT_PERF_SCRIPT; format++) {
		struct reader_options options = {.format = format};
		struct transcript alone, together;
		size_t size;
		char *text = long_text(format, &size);
		assert_true(size > 3 * LINES_LONGEST / 2);
		assert_true(transcript_bytes(&alone, text, size, &options));
		for (size_t i = 0; i < BC_COUNT(threads); i++) {
			options.pool = pool_start(threads[i]);
			assert_non_null(options.pool);
			assert_true(transcript_bytes(&together, text, size, &options));
			assert_int_equal(together.report.lines, alone.report.lines);
			assert_int_equal(together.report.ignored, alone.report.ignored);
			assert_int_equal(together.size, alone.size);
			assert_memory_equal(together.text, alone.text, alone.size);
			pool_stop(options.pool);
			transcript_free(&together);
		}
		transcript_free(&alone);
		free(text);
	}
}

/* The first bad line is reported, with its number, whatever was read after it, and all
 * before it is delivered. */
static void the_first_bad_line_is_told(void **state)
{
	(void)state;
	for (enum input_format format = INPUT_PREAGG; format <= INPUT_PERF_SCRIPT; format++) {
		struct reader_options options = {.format = format, .pool = pool_start(3)};
		struct transcript t;
		size_t size;
		char *text = long_text(format, &size), message[64];
		unsigned line = 1;
		assert_non_null(options.pool);
		/* Two bad lines; in samples a stack each, for the threads to find. */
		for (size_t i = size / 2; i < size; i += size / 3) {
			char *bad = format == INPUT_PREAGG ? strstr(text + i, " ") :
							     strstr(text + i, "/0x");
			memcpy(bad, "/-", 2);
		}
		const char *first = strstr(text, format == INPUT_PREAGG ? "/-" : "/-x");
		for (const char *c = text; c < first; c++)
			line += *c == '\n';
		assert_false(transcript_bytes(&t, text, size, &options));
		snprintf(message, sizeof(message), "input: line %u, column ", line);
		assert_memory_equal(t.err.text, message, strlen(message));
		transcript_free(&t);
		pool_stop(options.pool);
		free(text);
	}
}

static void a_line_too_long_is_told_by_number(void **state)
{
	struct reader_options options = {.format = INPUT_PREAGG, .pool = pool_start(2)};
	size_t before = 100000 * 6, size = before + LINES_LONGEST + 10;
	char *text = malloc(size);
	struct transcript t;

	(void)state;
	assert_non_null(text);
	assert_non_null(options.pool);
	for (size_t i = 0; i < before; i += 6)
		memcpy(text + i, "S 1 2\n", 6);
	memset(text + before, '1', size - before);
	assert_false(transcript_bytes(&t, text, size, &options));
	assert_string_equal(t.err.text,
			    "input: line 100001, byte 600000: longer than 1048576 bytes");
	assert_int_equal(t.report.lines, 100000);
	transcript_free(&t);
	pool_stop(options.pool);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_recognized),
		cmocka_unit_test(perf_data_is_recognized_before_anything_else),
		cmocka_unit_test(messages_of_what_is_not_recognized),
		cmocka_unit_test(dumps_are_named),
		cmocka_unit_test(the_sink_can_stop_a_reader),
		cmocka_unit_test(threads_read_the_same),
		cmocka_unit_test(the_first_bad_line_is_told),
		cmocka_unit_test(a_line_too_long_is_told_by_number),
		cmocka_unit_test(every_truncation_is_clean),
		cmocka_unit_test(every_corrupt_byte_is_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
