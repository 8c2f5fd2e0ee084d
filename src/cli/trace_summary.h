/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording has of traces of the processor, and what of them is missing. */
#ifndef CLI_TRACE_SUMMARY_H
#define CLI_TRACE_SUMMARY_H

#include "src/cli/say.h"
#include "src/samples/read_options.h"
#include "src/figures/figure_table.h"

/* Of a struct perf_trace_report: an object `trace`, if there is one. */
extern const struct figure_row trace_rows[];

/* "1881344 bytes of Arm SPE in 2 pieces: 48285 operations, of which 48285 are branches".  Call it if trace->found. */
void trace_tell(const struct perf_trace_report *trace, char *line, size_t size);

/* Of what was lost and of what is not read here. */
void warn_of_trace(const char *path, const struct perf_trace_report *trace, const struct warnings *to);

#endif
