/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a recording says of itself, in the features of perf.data or in records: where it was made,
 * and of which recording it is a part, build-ids, and what must be known before records can be read
 * (struct perf_setup).
 */
#ifndef SAMPLES_PERF_DATA_PERF_FEATURES_H
#define SAMPLES_PERF_DATA_PERF_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/attr.h"
#include "src/base/build_id.h"
#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/samples/perf_data/perf_events.h"
#include "src/samples/perf_data/perf_file.h"
#include "src/samples/perf_data/perf_records.h"

/*
 * Which inputs are parts of one recording.  perf record --switch-output begins a new file now and
 * then, and only the first one shows what the processes have mapped that began before.
 *
 * perf.data has no number of its recording.  Parts of one show the same of machine, system,
 * processor and command line, and their times do not go back.
 */

enum origin_fact {
	ORIGIN_HOST,
	ORIGIN_RELEASE,
	ORIGIN_PROCESSOR,
	ORIGIN_PROCESSOR_ID,
	ORIGIN_COMMAND,
	ORIGIN_FACTS,
};

/* Where and by what something was recorded. */
struct recording_origin {
	uint64_t facts[ORIGIN_FACTS]; /* a hash of each; 0: it is not reported */
};

/* Zeroed: no recording came before. */
struct recordings {
	struct recording_origin origin; /* of the last one */
	uint64_t last_ns;               /* of its events; 0: nothing continues from it */
};

enum continuation {
	CONTINUATION_NONE,
	CONTINUATION_OF_LAST,   /* it continues where the input before it ended */
	CONTINUATION_GOES_BACK, /* it is of the same origin, and begins before that ended */
};

void recording_origin_tell(struct recording_origin *origin, enum origin_fact fact,
			   struct bytes bytes);

/* `first_ns` is the time of its first event. */
enum continuation recordings_judge(const struct recordings *before,
				   const struct recording_origin *origin, uint64_t first_ns);

/*
 * The build-id table of perf.data: the build-ids of files, which the recorder read
 * when the recording ended.
 */

/* What perf calls the kernel; in its mapping a symbol is after it. */
#define PERF_KERNEL_NAME "[kernel.kallsyms]"

struct perf_build_id {
	char *path; /* owned; no other entry has it */
	struct build_id id;
	bool ambiguous; /* the path also represents another build-id */
};
DEFINE_VEC(perf_build_id_vec, struct perf_build_id);

struct perf_build_ids {
	struct perf_build_id_vec all;
	struct map by_path; /* indices of them; empty after perf_build_ids_sort() */
};

void perf_build_ids_free(struct perf_build_ids *table);

/* Add the entry of a build-id record: its misc word and what follows the 8
 * bytes of its header.  Those of modules and guests are left out, and the kernel is
 * PERF_KERNEL_NAME.
 *
 * BC_FORMAT  too short or without a name
 * BC_NOMEM */
BC_MUST_USE bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc, struct bytes body,
				    struct bc_error *err);

/* Sort the entries by path.  After that nothing can be looked up or added. */
void perf_build_ids_sort(struct perf_build_ids *table);

/* The build-id of a file, or of the kernel by any name of its mapping, or NULL if it is not in the
 * table or has several. */
const struct build_id *perf_build_ids_find(const struct perf_build_ids *table, struct text path);

/*
 * Feature sections: what the recorder says about the machine, its command line
 * and its events.  In a pipe each is a record; their bytes are the same.
 *
 * Facts: tools/perf/Documentation/perf.data-file-format.txt; META_INFO is
 * simpleperf's (system/extras/simpleperf/record_file.h of Android).
 */

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
	char version[64];    /* of perf */
	char simpleperf[64]; /* its version, where simpleperf recorded */
	char arch[32];       /* as uname -m prints it */
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
BC_MUST_USE bool perf_feature_parse(unsigned feature, struct bytes bytes, struct perf_features *out,
				    struct perf_events *events, struct bc_error *err);

/*
 * What must be known before records can be read: events, their names, build-ids.
 * A file has it in its header and after its data, a pipe in records.
 */

struct perf_setup {
	struct perf_header header;
	struct perf_events events;
	struct perf_features features;
	bool settled;               /* the events, see perf_events_settle() */
	bool features_late;         /* they are after the data of a pipe */
	uint64_t *damaged_features; /* counts them; borrowed */
};

void perf_setup_fini(struct perf_setup *setup);

/* Read the header of a file, and, if it is not a pipe's, the sections that it
 * points to.  Features are for convenience: those that are damaged are left out, and
 * those that a pipe has after its data.  Errors as perf_header.h and perf_file.h. */
BC_MUST_USE bool perf_setup_file(struct perf_setup *setup, struct perf_file *file,
				 struct bc_error *err);

/* Read the features after the data of a pipe, if there are any.  Call it at the end of the
 * data. */
BC_MUST_USE bool perf_setup_late(struct perf_setup *setup, struct perf_file *file,
				 struct bc_error *err);

/* Can build-ids come after the mappings?  Yes if they are not in the header. */
bool perf_setup_ids_may_come(const struct perf_setup *setup);

/* Read one of the records in which a pipe has these things; others are ignored.
 * BC_FORMAT (the text has the offset), BC_NOMEM. */
BC_MUST_USE bool perf_setup_record(struct perf_setup *setup, const struct perf_record *record,
				   struct bc_error *err);

/* Call before the events are used; see perf_events_settle(). */
BC_MUST_USE bool perf_setup_settle(struct perf_setup *setup, struct bc_error *err);

/* Does an event record branch stacks?  Does one record stacks without all taken branches?
 * Does no event record times? */
bool perf_setup_has_stacks(const struct perf_setup *setup);
bool perf_setup_has_partial_stacks(const struct perf_setup *setup);
bool perf_setup_is_timeless(const struct perf_setup *setup);

#endif
