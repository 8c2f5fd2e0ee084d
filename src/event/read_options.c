/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/read_options.h"

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

bool input_format_parse(struct text name, enum input_format *out)
{
	for (size_t i = 0; i < BC_COUNT(names); i++)
		if (text_is(name, names[i])) {
			*out = (enum input_format)i;
			return true;
		}
	return false;
}

bool reader_report_is_partial(const struct reader_report *report)
{
	const struct perf_data_report *perf = &report->perf;

	return report->cut || report->packed_cut || perf->truncated || perf->unfinished || perf->damaged_features;
}
