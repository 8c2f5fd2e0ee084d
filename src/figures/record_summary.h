/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `batconv record` shows while it runs and at its end. */
#ifndef FIGURES_RECORD_SUMMARY_H
#define FIGURES_RECORD_SUMMARY_H

#include <stdio.h>

#include "src/code/pair.h"
#include "src/figures/enough.h"
#include "src/record/live.h"
#include "src/record/record_shards.h"
#include "src/record/shares.h"

/* The line that shows how far a recording is. */
struct record_view {
	bool on; /* a line that changes, on stderr */
	bool shown;
	uint64_t samples, at, cpu; /* when it was shown last */
};

/* asked: a line that stays, whatever the mode. */
void record_progress(struct record_view *view, const struct live_recording *live, bool asked);
void record_view_clear(struct record_view *view);

struct record_result {
	struct recorder_stats stats;
	const struct record_shards *shards;
	const struct shares *users;
	const struct opened_rings *rings;  /* NULL: replayed */
	const struct live_recording *live; /* likewise */
	const char *profile;               /* that was written from the counts, or NULL */
	const char *input;                 /* what that was made with, given or found; NULL: none */
	const struct found_input *found;   /* how it was looked for; NULL: there is no profile */
	int command_code;                  /* -1: there was no command, or it runs still */
	bool command_stopped;              /* by this program */
	const char *ran;                   /* what has most samples of what was not asked for, or
					      NULL */
	const struct enough *enough;       /* --until; NULL: not asked for */
	bool unwritten;                    /* not all could be written */
	bool seeks_input;  /* the next command names the input binary where its build-id finds it */
	bool only_command; /* no binary was asked for by name: the one of a file is the command */
};

/* whole: the summary, not only what a user must know. */
void record_summary(const struct record_result *result, bool whole, bool verbose, FILE *out);

/* One JSON object, format "batconv-record". */
void record_json(const struct record_result *result, FILE *out);

/* Nothing was recorded or written: an error that says why, and a hint. */
void record_explain(const struct record_result *result, const int *pids, size_t count, FILE *out);

/* Writes what the textfile collector of node_exporter reads, the text format of Prometheus.  Not
 * OpenMetrics, which has counters as NAME and their values as NAME_total: to that collector these
 * are values without a type.  The file is whole at any time.  BC_IO, BC_NOMEM */
BC_MUST_USE bool record_metrics_write(const char *path, const struct recorder_stats *stats,
				      const struct record_shards *shards,
				      const struct shares *users, struct bc_error *err);

#endif
