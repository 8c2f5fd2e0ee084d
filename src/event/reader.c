/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/reader.h"

#include <inttypes.h>

#include "src/event/line.h"
#include "src/event/perf_data/perf_data.h"
#include "src/event/perf_script/dump.h"
#include "src/event/perf_script/parse.h"
#include "src/event/perf_script/perf_text.h"
#include "src/event/perf_script/read.h"
#include "src/event/preagg.h"

/* The most lines that the format is recognised by; comments do not count. */
#define LOOK_LINES 64

typedef bool read_fn(struct lines *lines, const struct reader_options *options,
		     const struct event_sink *sink, struct reader_report *report,
		     struct bc_error *err);

static read_fn perf_data_lines;

/* Text formats are recognised by their lines.  A line that fits two formats counts for the
 * first one in this table: `T 1 2 3 4` could be a sample of a program called T. */
static const struct format {
	enum input_format format;
	bool (*fits)(const struct line *line); /* NULL: not text */
	read_fn *read;
} formats[] = {
	{INPUT_PREAGG, preagg_fits, preagg_read},
	{INPUT_PERF_SCRIPT, perf_script_fits, perf_script_read},
	{INPUT_PERF_DATA, NULL, perf_data_lines},
};

/* Binary formats are recognised by this many bytes at the beginning. */
#define MAGIC_MOST 16

static const struct magic {
	const char *bytes;
	enum input_format format;
} magics[] = {
	{"PERFILE2", INPUT_PERF_DATA},
	{"2ELIFREP", INPUT_PERF_DATA}, /* of the other byte order */
	{"PERFFILE", INPUT_PERF_DATA},
	{"SIMPLEPERF", INPUT_PERF_DATA},
	{PERF_TEXT_MAGIC, INPUT_PERF_SCRIPT},
};

static const struct format *format_of(enum input_format format)
{
	for (size_t i = 0; i < BC_COUNT(formats); i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

static bool perf_data_lines(struct lines *lines, const struct reader_options *options,
			    const struct event_sink *sink, struct reader_report *report,
			    struct bc_error *err)
{
	struct perf_data_input input = {.stream = lines->stream, .recordings = options->recordings};
	struct text head;

	/* Of a pipe, the sections behind the data can be used for the data only if they were
	 * read already. */
	size_t most = stream_position(lines->stream) < 0 ? LINES_LONGEST : 0;

	if (!lines_peek(lines, most, &head, err))
		return false;
	input.head = (struct bytes){(const uint8_t *)head.at, head.len};
	return perf_data_read(&input, sink, report, err);
}

/* The next line of the text that was peeked at.  Unless the text is complete, its last line may
 * be cut and is left out. */
static bool next_peeked(struct text *rest, bool complete, struct line *out)
{
	size_t len = text_find(*rest, '\n');

	if (!rest->len || (len == rest->len && !complete))
		return false;
	out->text = text_first(*rest, len);
	out->number++;
	*rest = text_from(*rest, len + 1);
	return true;
}

/* The format that most of the first lines fit.  Prose has lines that look like samples: where the
 * first one is none, neither may most of them be. */
static const struct format *recognise_text(struct text start, bool complete, struct line *first)
{
	struct line line = *first;
	size_t votes[BC_COUNT(formats)] = {0}, looked = 0, best = 0;
	bool first_fits = false;

	while (looked < LOOK_LINES && next_peeked(&start, complete, &line)) {
		struct text text = text_trim(line.text);
		if (!text.len || text_starts(text, "#") || text_starts(text, "//"))
			continue;
		if (!looked++)
			*first = line;
		if (line_is_raw_stack(text))
			continue;
		for (size_t i = 0; i < BC_COUNT(formats); i++)
			if (formats[i].fits && formats[i].fits(&line)) {
				votes[i]++;
				first_fits |= looked == 1;
				break;
			}
	}
	for (size_t i = 1; i < BC_COUNT(formats); i++)
		if (votes[i] > votes[best])
			best = i;
	return votes[best] && (first_fits || 2 * votes[best] > looked) ? &formats[best] : NULL;
}

/* Some lines of a dump (perf script -D) look like samples. */
static bool check_dump(struct text start, bool complete, const char *file, struct bc_error *err)
{
	struct line line = {.file = file};

	for (size_t i = 0; i < LOOK_LINES && next_peeked(&start, complete, &line); i++)
		if (perf_dump_fits(line.text))
			return bc_fail(err, BC_UNSUPPORTED, "%s: line %" PRIu64 ": " PERF_DUMP_WHY, file, line.number);
	return true;
}

/* Of nothing at all, what --format=preagg writes where it kept nothing. */
static bool can_be_preagg(const struct reader_options *options)
{
	return options->format == INPUT_AUTO || options->format == INPUT_PREAGG;
}

static bool recognise(struct lines *lines, const struct reader_options *options,
		      const struct format **out, struct bc_error *err)
{
	struct line first = {.file = lines->stream->name};
	struct text start;

	if (!lines_peek(lines, MAGIC_MOST, &start, err))
		return false;
	if (!start.len && !can_be_preagg(options))
		return bc_fail(err, BC_FORMAT, "%s: is empty", first.file);
	for (size_t i = 0; i < BC_COUNT(magics); i++)
		if (text_starts(start, magics[i].bytes)) {
			*out = format_of(magics[i].format);
			return true;
		}
	if (text_starts(start, "\177ELF"))
		return bc_fail(err, BC_FORMAT, "%s: is a binary (ELF), no samples: `batconv inspect` shows what it is",
			       first.file);
	if (!lines_peek(lines, LINES_LONGEST, &start, err) ||
	    !check_dump(start, lines->at_end, first.file, err))
		return false;
	*out = format_of(options->format);
	if (!*out)
		*out = recognise_text(start, lines->at_end, &first);
	if (!*out && !first.number && lines->at_end)
		*out = format_of(INPUT_PREAGG);
	if (*out)
		return true;
	if (!first.number)
		return bc_fail(err, BC_FORMAT, "%s: has no samples, only comments or one endless line",
			       first.file);
	return line_fail(err, BC_FORMAT, &first, text_trim(first.text).at,
			 options->expected ? options->expected
					   : "expected perf.data, text of perf script or pre-aggregated records");
}

bool reader_run(struct file_stream *stream, const struct reader_options *options,
		const struct event_sink *sink, struct reader_report *report,
		struct bc_error *err)
{
	BC_AUTO(lines_fini) struct lines lines = {0};
	const struct format *format;

	*report = (struct reader_report){0};
	err->code = BC_OK;
	if (!lines_init(&lines, stream, err) || !recognise(&lines, options, &format, err))
		return false;
	report->format = format->format;
	if (format->fits && options->recordings)
		*options->recordings = (struct recordings){0}; /* text says not where it is from */
	return format->read(&lines, options, sink, report, err);
}
