/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The records of a perf.data file, one after the other.  A compressed record is
 * replaced by the records in it; trace data behind a record is skipped.  The file is
 * read in large pieces, of which a few are in memory at a time.
 */
#ifndef SAMPLES_PERF_DATA_STREAM_H
#define SAMPLES_PERF_DATA_STREAM_H

#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/samples/perf_data/perf_file.h"
#include "src/samples/perf_data/perf_records.h"

/*
 * Compressed records.  perf compresses what it took out of one ring buffer at a
 * time; the zstd frame goes on from record to record over the whole file, and
 * records inside can be cut where a compressed one ends.
 */

/* No compressed record may hold more, unless the file says that its ring
 * buffers are larger.  (64 KiB of zstd can stand for 2 GiB.) */
#define PERF_ZSTD_MOST (UINT64_C(256) << 20)

/* The most output of all records together: so many times their own bytes, and in addition the
 * most output of one record. */
#define PERF_ZSTD_TIMES 1024

struct perf_zstd {
	void *stream; /* ZSTD_DStream; made when it is first needed */
	struct bytes input;
	uint64_t most, left; /* output per record, and what this one still may give */
	uint64_t packed, unpacked; /* bytes of all records so far */
};

void perf_zstd_fini(struct perf_zstd *zstd);

/* Continue with the payload of the next record, which must be valid until perf_zstd_read() has
 * returned all output.  ring_size: as the file says it, or 0. */
BC_MUST_USE bool perf_zstd_begin(struct perf_zstd *zstd, struct bytes payload,
				 uint64_t ring_size, struct bc_error *err);

/* Decompress into `to`; `capacity` is not 0.  *out is 0 when the payload is used up.
 *
 * BC_FORMAT  not zstd, damaged, or more output than a record, or all together, may have */
BC_MUST_USE bool perf_zstd_read(struct perf_zstd *zstd, uint8_t *to, size_t capacity, size_t *out,
				struct bc_error *err);

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
	bool message;          /* what follows is what perf itself said */
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

/* The next bytes of what stands behind the record that was given out last: trace data, for example.  They stay until the
 * next call of a function of the stream.  What is not asked for is skipped.  Returns false when there are no more, with
 * BC_OK, and on errors: BC_IO, BC_NOMEM. */
BC_MUST_USE bool perf_stream_payload(struct perf_stream *stream, struct bytes *out, struct bc_error *err);

#endif
