/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The records of a perf.data file, one after the other.  A compressed record is
 * replaced by the records in it; trace data behind a record is skipped.  The file is
 * read in large pieces, of which a few are in memory at a time.
 */
#ifndef EVENT_PERF_DATA_STREAM_H
#define EVENT_PERF_DATA_STREAM_H

#include "src/event/perf_data/block.h"
#include "src/event/perf_data/file.h"
#include "src/event/perf_data/zstd.h"

struct perf_stream {
	struct perf_file *file; /* borrowed */
	struct perf_pool *pool; /* borrowed */
	uint64_t end;           /* offset of the data's end, or UINT64_MAX */
	uint64_t ring_size;     /* see perf_zstd_begin(); can be set at any time */
	struct perf_framer outer, inner;
	struct perf_zstd zstd;
	bool inflating;        /* the records of a compressed one are being read */
	bool file_ended;
	uint64_t skip;         /* bytes to drop before the next record */
	uint64_t offset;       /* of the record given out last */
	uint64_t skipped;      /* bytes of trace data and the like so far */
	bool truncated;        /* the file ended early ... */
	uint64_t truncated_at; /* ... and the first missing byte or record is here */
};

/* Read the records in [begin, end) of a file; end is UINT64_MAX if it is only
 * known by the end of the file. */
BC_MUST_USE bool perf_stream_init(struct perf_stream *stream, struct perf_file *file,
				  struct perf_pool *pool, uint64_t begin, uint64_t end,
				  struct bc_error *err);
void perf_stream_fini(struct perf_stream *stream);

/* The next record.  It stays until the next call, or for as long as its block is
 * held.  Returns false at the end (err->code is BC_OK then; see `truncated`) and
 * on errors:
 *
 * BC_FORMAT  a record whose size is below 8 or passes the end of the data, or
 *            damaged compression; the text has the offset
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool perf_stream_next(struct perf_stream *stream, struct perf_record *out,
				  struct bc_error *err);

#endif
