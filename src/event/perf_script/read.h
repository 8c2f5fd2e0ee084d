/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader of what perf script prints: a text of its own, or the parts of a PERFTEXT. */
#ifndef EVENT_PERF_SCRIPT_READ_H
#define EVENT_PERF_SCRIPT_READ_H

#include "src/base/lines.h"
#include "src/event/event.h"
#include "src/event/options.h"

/* A reader, see reader.h. */
BC_MUST_USE bool perf_script_read(struct lines *lines, const struct reader_options *options,
				  const struct event_sink *sink, struct reader_report *report,
				  struct bc_error *err);

#endif
