/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `batconv record --metrics=FILE` writes for a collector: OpenMetrics, which the textfile
 * collector of node_exporter reads.  The file is whole at any time. */
#ifndef CLI_RECORD_METRICS_H
#define CLI_RECORD_METRICS_H

#include "src/base/error.h"
#include "src/record/live.h"
#include "src/record/record_shards.h"

/* BC_IO, BC_NOMEM */
BC_MUST_USE bool record_metrics_write(const char *path, const struct recorder_stats *stats,
				      const struct record_shards *shards, struct bc_error *err);

#endif
