/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delivers pre-aggregated profiles (preagg_line.h) as events.  Locations with a build-id other than the
 * binary's are outside: they become TRACE_EXTERNAL, whatever their position. */
#ifndef SAMPLES_PREAGG_READ_H
#define SAMPLES_PREAGG_READ_H

#include "src/base/lines.h"
#include "src/samples/line.h"
#include "src/samples/read_options.h"

/* True if a line can be of this format and is not blank or a comment. */
bool preagg_fits(const struct line *line);

/* A reader, see reader.h. */
BC_MUST_USE bool preagg_read(struct lines *lines, const struct reader_options *options,
			     const struct event_sink *sink, struct reader_report *report,
			     struct bc_error *err);

#endif
