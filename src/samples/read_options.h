/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of readers, and their report. */
#ifndef SAMPLES_READ_OPTIONS_H
#define SAMPLES_READ_OPTIONS_H

#include "src/base/build_id.h"
#include "src/base/parallel.h"
#include "src/base/unpack.h"
#include "src/samples/aux/trace_flow.h"
#include "src/samples/perf_data/perf_features.h"

/* What a perf.data file is and what was in it. */

#define PERF_COUNTED_TYPES 96

/* For hardware traces: what there was, what was read, and what was lost. */
struct perf_trace_report {
	bool found;       /* there are AUX or AUXTRACE records */
	uint32_t kind;    /* enum perf_trace_kind, of the first AUXTRACE_INFO; 0: there is none */
	bool ete;         /* ... PERF_TRACE_ARM_ETM: the first unit is an ETE */
	uint64_t buffers; /* AUXTRACE records: chunks of traces ... */
	uint64_t bytes;   /* ... and how many bytes they have, as they say; without what the end of
			     the file cuts off */
	uint64_t snapshots, truncated, partial, collisions; /* AUX records with that flag */

	/* For Arm SPE: */
	uint64_t operations;   /* sampled ones that were read ... */
	uint64_t branches;     /* ... and of them branches, each of which is a sample */
	uint64_t unattributed; /* of these, those of a processor on which nobody knows which process
				 ran; they are of no process */
	uint64_t gaps;         /* positions where bytes are missing; of all kinds */
	uint64_t damaged;      /* records of operations that were left out: truncated or damaged */
	uint64_t bad_bytes;    /* that are no packet */
	uint64_t unknown_packets; /* of kinds that are not known: skipped; both of all kinds */

	/* For kinds that show the path through the code (aux/trace_flow.h), if somebody took what
	 * they say: */
	bool decoded;
	const char *refused;  /* why it was not; NULL: it was, or nobody asked */
	uint64_t queues;      /* processors and threads that wrote traces */
	uint64_t conditional; /* branches that were taken or not ... */
	uint64_t indirect;    /* ... and where they led to, where the code does not show */
	uint64_t dropped;     /* branches that were left out, as the path there was not known */
	uint64_t overflows;   /* positions where the processor says that it lost something */
	uint64_t late; /* branch outcomes that came after their process had begun to run another
			  program: left out */
};

struct perf_data_report {
	struct perf_info info; /* empty for a file that came through a pipe */
	bool pipe;
	bool has_stacks; /* an event records branch stacks */
	/* ... that leave branches out (-j any_call, --call-graph lbr): two entries
	 * in a row are not two branches in a row. */
	bool has_partial_stacks;
	uint64_t records[PERF_COUNTED_TYPES]; /* by type */
	uint64_t other_records;               /* of higher types */
	uint64_t unknown_records;             /* of these, of types that are not known: skipped */
	uint32_t unknown_type;                /* of the first of them ... */
	uint64_t unknown_at;                  /* ... and where it is */
	uint64_t skipped_bytes;               /* trace data and the like */

	/* Samples: delivered + late + of_guests + of_unknown_events
	 * = records[PERF_RECORD_SAMPLE] + trace.branches. */
	uint64_t delivered;
	uint64_t first_ns, last_ns; /* earliest and latest time of these; 0: none known */
	uint64_t late;      /* came after a process event that was later; of traces: after another
			       program of the process */
	uint64_t of_guests; /* of virtual machines */
	uint64_t of_unknown_events; /* with an id that no event has */

	uint64_t late_events;               /* process events delivered after later samples */
	uint64_t lost_events, lost_samples; /* by the kernel, as it says */
	uint64_t damaged_features;
	uint64_t trace_records;                /* AUX and AUXTRACE */
	uint64_t traced_samples, traced_bytes; /* samples that have a chunk of a trace themselves,
						  which is not read */
	struct perf_trace_report trace;

	bool unfinished;       /* the recorder was killed before it wrote the header */
	bool truncated;        /* the file ends early ... */
	uint64_t truncated_at; /* ... in the record that begins here */
};

/* All that were read. */
static inline uint64_t perf_data_records(const struct perf_data_report *report)
{
	uint64_t count = report->other_records;

	for (size_t i = 0; i < PERF_COUNTED_TYPES; i++)
		count += report->records[i];
	return count;
}

/* Was it made by `perf stat record`, which keeps counts of events instead of samples?  By
 * PERF_RECORD_STAT_CONFIG and PERF_RECORD_STAT, perf.data-file-format.txt. */
static inline bool perf_data_is_of_counters(const struct perf_data_report *report)
{
	return !report->delivered && (report->records[75] || report->records[76]);
}

/* Was nothing sampled, and no trace recorded?  PERF_RECORD_SAMPLE is type 9. */
static inline bool perf_data_has_no_samples(const struct perf_data_report *report)
{
	return !report->records[9] && !report->trace_records;
}

/* ... nothing sampled, but a trace recorded? */
static inline bool perf_data_has_only_traces(const struct perf_data_report *report)
{
	return !report->records[9] && report->trace_records;
}

/* What wrote the traces, by perf's numbers; there are others. */
enum perf_trace_kind {
	PERF_TRACE_INTEL_PT = 1,
	PERF_TRACE_ARM_ETM = 3,
	PERF_TRACE_ARM_SPE = 4,
};

/* "Arm SPE"; of a kind that is none of these: "of another kind". */
const char *perf_trace_name(const struct perf_trace_report *trace);

/* The argument of perf script's --itrace that makes branch stacks of traces that are not read here;
 * NULL: there are none. */
const char *perf_trace_itrace(const struct perf_trace_report *trace);

enum input_format {
	INPUT_AUTO,
	INPUT_PREAGG,      /* pre-aggregated text */
	INPUT_PERF_SCRIPT, /* what perf script prints */
	INPUT_PERF_DATA,   /* perf.data */
};

/* "auto", "preagg", "perf-script", "perf-data". */
const char *input_format_name(enum input_format format);

/* Who knows what code the samples are to be of.  Asked before the first record of a shard of
 * pre-aggregated ones is read; `code` is the identity that the shard has.  False: they are not
 * taken. */
struct code_owner {
	void *ctx;
	bool (*owns)(void *ctx, const struct build_id *code, const char *file,
		     struct bc_error *err); /* NULL: any code will do */
};

struct reader_options {
	enum input_format format;
	struct build_id build_id; /* of the binary: locations with this id are inside it */
	struct code_owner owner;
	struct pool *pool; /* to read text with; NULL: this thread alone */
	/* If the text of perf script ends within a line, use the lines before it and say so
	 * (reader_report.cut); without this option such a line is an error. */
	bool cut_will_do;
	struct recordings *recordings; /* those that were read before; NULL: none continues */
	bool new_recording;            /* nor does this one, whatever it is */
	const struct flow_taker *
		flow; /* NULL: traces other than those of Arm SPE are not read, and reported only */
	const char *
		expected; /* what to say of a file that is none of the formats; NULL: their names */
};

/* What a reader saw, for the summary. */
struct reader_report {
	enum input_format format;  /* never INPUT_AUTO */
	bool timeless;             /* events came in stream order, no time stamps */
	uint64_t lines;            /* read, of text */
	uint64_t bytes;            /* of all of it, for maps; else not set */
	uint64_t ignored;          /* comments, blank lines, other records */
	bool cut;                  /* text ends within a line ... */
	uint64_t cut_line, cut_at; /* ... with this number, which begins at this byte */
	enum continuation continuation;
	enum packing packing;         /* it was compressed so */
	bool packed_cut;              /* what it was compressed to ends early ... */
	uint64_t packed_cut_at;       /* ... at this byte; what was whole was read */
	struct perf_data_report perf; /* INPUT_PERF_DATA only */
};

/* Is there something in the input that could not be read? */
bool reader_report_is_partial(const struct reader_report *report);

/* Did it end before its end was read? */
bool reader_report_is_truncated(const struct reader_report *report);

/* Is it text without a record, such as --format=preagg writes where nothing was kept? */
static inline bool reader_report_is_empty(const struct reader_report *report)
{
	return report->format == INPUT_PREAGG && report->lines == report->ignored;
}

#endif
