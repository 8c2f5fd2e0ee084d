/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The header of perf.data and the events that it describes.
 *
 *   file                                  pipe
 *   "PERFILE2"                            "PERFILE2"
 *   u64 size = 104                        u64 size = 16
 *   u64 attr_size                         records; events and features are
 *   section attrs, data, event_types      records as well
 *   u64 features[4]      a bit each
 *
 * A section is {u64 offset, u64 size}.  attrs holds attr_size bytes per event:
 * the attr, then the section of its ids.  The feature sections' own table lies
 * right behind the data, one section per bit.
 *
 * Facts: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef EVENT_PERF_DATA_HEADER_H
#define EVENT_PERF_DATA_HEADER_H

#include "src/event/perf_data/events.h"

#define PERF_MAGIC_SIZE 8
#define PERF_PIPE_HEADER_SIZE 16
#define PERF_FILE_HEADER_SIZE 104
#define PERF_FEATURES 256

struct perf_section {
	uint64_t offset, size; /* in the file */
};

struct perf_header {
	uint64_t size; /* of the header: where a pipe's records begin */
	bool pipe;
	/* of files only: */
	uint64_t attr_size;
	struct perf_section attrs, data; /* data.size 0: the recorder was killed */
	uint64_t features[PERF_FEATURES / 64];
};

/* Read the header from the first bytes of a file, PERF_FILE_HEADER_SIZE or as
 * many as the file has.
 *
 * BC_UNSUPPORTED  version 1, or the other byte order
 * BC_FORMAT       not perf.data, or cut */
BC_MUST_USE bool perf_header_parse(struct bytes bytes, struct perf_header *out,
				   struct bc_error *err);

bool perf_header_has(const struct perf_header *header, unsigned feature);

/* Where the table of feature sections lies; empty if there is none. */
struct perf_section perf_header_feature_table(const struct perf_header *header);

/* Reads sections of the file, for the reader of the header.  read() fills `out` with bytes
 * that are valid until the next call. */
struct perf_section_reader {
	void *ctx;
	uint64_t size; /* of the file, as far as it is known */
	bool (*read)(void *ctx, struct perf_section section, struct bytes *out,
		     struct bc_error *err);
};

/* Many events can name the same ids: together they may have so many times the file's bytes, and
 * so many more. */
#define PERF_IDS_TIMES 8
#define PERF_IDS_ALWAYS (UINT64_C(1) << 20)

/* Read the events of a file's header.  BC_FORMAT, BC_NOMEM, or an error of
 * `sections`. */
BC_MUST_USE bool perf_header_events(const struct perf_header *header, struct perf_section_reader sections,
				    struct perf_events *events, struct bc_error *err);

#endif
