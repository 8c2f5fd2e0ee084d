/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Feature sections: what the recorder says about the machine, its command line
 * and its events.  In a pipe each is a record; their bytes are the same.
 *
 * Facts: tools/perf/Documentation/perf.data-file-format.txt; META_INFO is
 * simpleperf's (system/extras/simpleperf/record_file.h of Android).
 */
#ifndef EVENT_PERF_DATA_FEATURE_H
#define EVENT_PERF_DATA_FEATURE_H

#include "src/event/perf_data/build_ids.h"
#include "src/event/perf_data/events.h"
#include "src/event/recordings.h"

/* The features that are read.  All others are ignored. */
enum {
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OS_RELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_CPU_DESC = 8,
	PERF_FEATURE_CPU_ID = 9,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_META_INFO = 129,
};

/* What a recording says about itself.  Longer texts are cut. */
struct perf_info {
	struct recording_origin origin;
	char hostname[128];
	char version[64]; /* of perf */
	char arch[32];    /* as uname -m prints it */
	char cmdline[1024];
	uint64_t first_ns, last_ns; /* time of samples; 0: not known */
	uint32_t compression_level;
	uint32_t mmap_size; /* the most that one compressed record holds; 0: not known */
};

struct perf_features {
	struct perf_info info;
	struct perf_build_ids build_ids;
};

/* Is this feature read?  Some of those that are not are large. */
bool perf_feature_is_read(unsigned feature);

/* Read a feature; names of events go to `events`.  The bytes are the section's.
 *
 * BC_FORMAT  too short for what it says of itself
 * BC_NOMEM */
BC_MUST_USE bool perf_feature_parse(unsigned feature, struct bytes bytes,
				    struct perf_features *out, struct perf_events *events,
				    struct bc_error *err);

#endif
