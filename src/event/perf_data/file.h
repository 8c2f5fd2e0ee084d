/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes of a perf.data file: from front to back in large reads, and, where
 * the file allows it, single sections out of order (the features lie behind the
 * data).
 */
#ifndef EVENT_PERF_DATA_FILE_H
#define EVENT_PERF_DATA_FILE_H

#include "src/base/file.h"
#include "src/event/perf_data/header.h"

/* The largest section that is read as a whole, and how far into a pipe the data
 * may begin.  A build-id table of 100,000 files has 15 MB. */
#define PERF_SECTION_MOST (UINT64_C(64) << 20)

struct perf_file {
	struct file_stream *stream; /* borrowed */
	uint8_t *start;             /* the file's first bytes */
	size_t start_size;
	uint64_t at;      /* offset of the byte that perf_file_read() reads next */
	bool seekable;
	uint64_t base;    /* where the file begins in the descriptor            */
	uint8_t *section; /* the bytes of the last section */
	/* What is behind the data of a pipe, once it was read. */
	uint8_t *tail;
	uint64_t tail_at;
	size_t tail_size;
};

/* head: the first bytes of the file if they were taken from the stream already.
 * They are copied.  BC_IO, BC_NOMEM. */
BC_MUST_USE bool perf_file_init(struct perf_file *file, struct file_stream *stream,
				struct bytes head, struct bc_error *err);
void perf_file_fini(struct perf_file *file);

/* Make sure that [0, size) can be read as sections.  A seekable file always can.
 *
 * BC_UNSUPPORTED  of a pipe, more than PERF_SECTION_MOST
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool perf_file_keep(struct perf_file *file, uint64_t size, struct bc_error *err);

/* Make sure that the rest of the file can be read as sections; of a pipe, the next
 * PERF_SECTION_MOST bytes.  BC_IO, BC_NOMEM. */
BC_MUST_USE bool perf_file_keep_rest(struct perf_file *file, struct bc_error *err);

/* Reads sections of the file (ctx is the file).
 *
 * BC_FORMAT       a section that is too large or beyond the end of the file
 * BC_UNSUPPORTED  it is a pipe and the section was not kept
 * BC_IO, BC_NOMEM */
struct perf_section_reader perf_file_sections(struct perf_file *file);

/* Read on from where the last call ended, first from offset 0; short only at the
 * end of the file.  to: NULL to skip. */
BC_MUST_USE bool perf_file_read(struct perf_file *file, uint8_t *to, size_t size, size_t *out,
				struct bc_error *err);

#endif
