/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a perf.data file is and what was in it. */
#ifndef EVENT_PERF_DATA_REPORT_H
#define EVENT_PERF_DATA_REPORT_H

#include "src/event/perf_data/feature.h"

#define PERF_COUNTED_TYPES 96

struct perf_data_report {
	struct perf_info info; /* empty for a file that came through a pipe */
	bool pipe;
	bool has_stacks;       /* an event records branch stacks */
	/* ... that leave branches out (-j any_call, --call-graph lbr): two entries
	 * in a row are not two branches in a row. */
	bool has_partial_stacks;
	uint64_t records[PERF_COUNTED_TYPES]; /* by type */
	uint64_t other_records;               /* of higher types */
	uint64_t unknown_records; /* of these, of types that are not known: skipped */
	uint32_t unknown_type;    /* of the first of them ... */
	uint64_t unknown_at;      /* ... and where it is */
	uint64_t skipped_bytes;               /* trace data and the like */

	/* Samples: delivered + late + of_guests + of_unknown_events
	 * = records[PERF_RECORD_SAMPLE]. */
	uint64_t delivered;
	uint64_t first_ns, last_ns; /* earliest and latest time of these; 0: none known */
	uint64_t late;              /* came after a process event that was later */
	uint64_t of_guests;         /* of virtual machines */
	uint64_t of_unknown_events; /* with an id that no event has */

	uint64_t late_events;  /* process events delivered after later samples */
	uint64_t lost_events, lost_samples; /* by the kernel, as it says */
	uint64_t damaged_features;
	uint64_t trace_records; /* AUX and AUXTRACE: see perf_trace_advice() */
	uint32_t trace_kind;    /* enum perf_trace_kind, of the first AUXTRACE_INFO; 0: there is none */

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

/* Was it made by `perf stat record`, which keeps counts of events in place of samples?  By PERF_RECORD_STAT_CONFIG and
 * PERF_RECORD_STAT, perf.data-file-format.txt. */
static inline bool perf_data_is_of_counters(const struct perf_data_report *report)
{
	return !report->delivered && (report->records[75] || report->records[76]);
}

/* What wrote the traces, by perf's numbers; there are others. */
enum perf_trace_kind {
	PERF_TRACE_INTEL_PT = 1,
	PERF_TRACE_ARM_ETM = 3,
	PERF_TRACE_ARM_SPE = 4,
};

/* What to tell about trace_records. */
const char *perf_trace_advice(const struct perf_data_report *report);

#endif
