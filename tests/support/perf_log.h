/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what the reader of perf.data delivers, one line for each event. */
#ifndef TESTS_SUPPORT_PERF_LOG_H
#define TESTS_SUPPORT_PERF_LOG_H

#include <stdio.h>

#include "src/samples/perf_data/perf_data.h"
#include "tests/support/build_perf.h"

/* For struct event_sink: `ctx` is the FILE that the lines go to. */
bool perf_log_event(void *ctx, const struct event *e, struct bc_error *err);

/* For struct flow_taker: `ctx` as above.  "FLOW lane pid tid time rules", then its branch outcomes:
 * T and N are branches that were taken and not; target, at, leave, stop, begin and an address;
 * lost. */
bool perf_log_flow(void *ctx, const struct trace_flow *flow, struct bc_error *err);

/* What reading gave. */
struct read_result {
	bool ok;
	char *log; /* the lines, to be freed */
	struct bc_error err;
	struct reader_report report;
};

/* Branch outcomes of traces are in the log, unless the input has a taker of its own. */
void perf_read_input(const struct perf_data_input *input, struct read_result *out);

/* Reads bytes as an input that is called x.data and is no regular file. */
void perf_read_bytes(struct bytes bytes, struct read_result *out);
void perf_read_built(const struct build_perf *b, struct read_result *out);

#endif
