/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What must be known before records can be read: events, their names, build-ids.
 * A file has it in its header and behind its data, a pipe in records.
 */
#ifndef SAMPLES_PERF_DATA_SETUP_H
#define SAMPLES_PERF_DATA_SETUP_H

#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_file.h"
#include "src/samples/perf_data/perf_records.h"

struct perf_setup {
	struct perf_header header;
	struct perf_events events;
	struct perf_features features;
	bool settled;               /* the events, see perf_events_settle() */
	bool features_late;         /* they are behind the data of a pipe */
	uint64_t *damaged_features; /* counts them; borrowed */
};

void perf_setup_fini(struct perf_setup *setup);

/* Read the header of a file, and, if it is not a pipe's, the sections that it
 * points to.  Features are for convenience: those that are damaged are left out, and
 * those that a pipe has behind its data.  Errors as perf_header.h and perf_file.h. */
BC_MUST_USE bool perf_setup_file(struct perf_setup *setup, struct perf_file *file,
				 struct bc_error *err);

/* Read the features behind the data of a pipe, if there are any.  Call it at the end of the
 * data. */
BC_MUST_USE bool perf_setup_late(struct perf_setup *setup, struct perf_file *file,
				 struct bc_error *err);

/* Can build-ids come behind the mappings?  Yes if they are not in the header. */
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
