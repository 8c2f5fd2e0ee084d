/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reader of perf.data: files, pipes, and the directories of
 * perf record --threads.
 *
 * Events and samples are delivered in the order of their time as far as the
 * recording allows it (deliver.h); records without a time are delivered at once, as
 * perf does.  sample.event is the name with its colon, as perf script
 * prints it.
 */
#ifndef SAMPLES_PERF_DATA_PERF_DATA_H
#define SAMPLES_PERF_DATA_PERF_DATA_H

#include "src/base/file.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/read_options.h"

struct perf_data_input {
	struct file_stream *stream; /* perf.data, or `data` of a directory */
	struct bytes head;          /* its first bytes, if they were read already */
	struct file_stream *more;   /* data.0 ... of a directory: records only */
	size_t more_count;
	struct recordings *recordings; /* read before; becomes this one.  NULL: nothing continues */
	const struct flow_taker *flow; /* of read_options.h */
};

/* Read to the end into `sink`.
 *
 * BC_FORMAT       not perf.data, or damaged; the text has file and offset
 * BC_UNSUPPORTED  version 1, other byte order, events that cannot be distinguished
 * BC_IO, BC_NOMEM
 * or what the sink said */
BC_MUST_USE bool perf_data_read(const struct perf_data_input *input, const struct event_sink *sink,
				struct reader_report *report, struct bc_error *err);

#endif
