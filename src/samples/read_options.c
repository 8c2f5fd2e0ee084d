/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/read_options.h"

static const char *const names[] = {
	[INPUT_AUTO] = "auto",
	[INPUT_PREAGG] = "preagg",
	[INPUT_PERF_SCRIPT] = "perf-script",
	[INPUT_PERF_DATA] = "perf-data",
};

const char *input_format_name(enum input_format format)
{
	return names[format];
}

bool reader_report_is_truncated(const struct reader_report *report)
{
	return report->cut || report->packed_cut || report->perf.truncated;
}

bool reader_report_is_partial(const struct reader_report *report)
{
	return reader_report_is_truncated(report) || report->perf.unfinished ||
	       report->perf.damaged_features;
}

const char *perf_trace_name(const struct perf_trace_report *trace)
{
	switch (trace->kind) {
	case PERF_TRACE_INTEL_PT: return "Intel PT";
	case PERF_TRACE_ARM_ETM: return trace->ete ? "Arm ETE" : "Arm ETM";
	case PERF_TRACE_ARM_SPE: return "Arm SPE";
	default: return "of another kind";
	}
}

const char *perf_trace_itrace(const struct perf_trace_report *trace)
{
	return trace->found && !trace->decoded && trace->kind != PERF_TRACE_ARM_SPE ? "i10usl" :
										      NULL;
}
