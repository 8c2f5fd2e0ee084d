/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of readers, and their report. */
#ifndef EVENT_OPTIONS_H
#define EVENT_OPTIONS_H

#include "src/base/build_id.h"
#include "src/base/parallel.h"
#include "src/base/unpack.h"
#include "src/event/perf_data/report.h"
#include "src/event/recordings.h"

enum input_format {
	INPUT_AUTO,
	INPUT_PREAGG,      /* pre-aggregated text */
	INPUT_PERF_SCRIPT, /* what perf script prints */
	INPUT_PERF_DATA,   /* perf.data */
};

/* "auto", "preagg", "perf-script", "perf-data". */
const char *input_format_name(enum input_format format);
bool input_format_parse(struct text name, enum input_format *out);

struct reader_options {
	enum input_format format;
	struct build_id build_id; /* of the binary: locations with this id are inside it */
	struct pool *pool;        /* to read text with; NULL: this thread alone */
	/* If the text of perf script ends within a line, use the lines before it and say so
	 * (reader_report.cut); without this option such a line is an error. */
	bool cut_will_do;
	struct recordings *recordings; /* those that were read before; NULL: none goes on */
	bool new_recording;            /* nor does this one, whatever it is */
	const char *expected; /* what to say of a file that is none of the formats; NULL: their names */
};

/* What a reader saw, for the summary. */
struct reader_report {
	enum input_format format; /* never INPUT_AUTO */
	bool timeless;            /* events came in stream order, no time stamps */
	uint64_t lines;           /* read, of text */
	uint64_t bytes;           /* of all of it, for maps; else not set */
	uint64_t ignored;         /* comments, blank lines, other records */
	bool cut;                 /* text ends within a line ... */
	uint64_t cut_line, cut_at; /* ... with this number, which begins at this byte */
	enum continuation continuation;
	enum packing packing;         /* it was compressed so */
	bool packed_cut;              /* what it was compressed to ends early ... */
	uint64_t packed_cut_at;       /* ... at this byte; what was whole was read */
	struct perf_data_report perf; /* INPUT_PERF_DATA only */
};

/* Is there something in the input that could not be read? */
bool reader_report_is_partial(const struct reader_report *report);

/* Is it text without a record, such as --format=preagg writes where nothing was kept? */
static inline bool reader_report_is_empty(const struct reader_report *report)
{
	return report->format == INPUT_PREAGG && report->lines == report->ignored;
}

#endif
