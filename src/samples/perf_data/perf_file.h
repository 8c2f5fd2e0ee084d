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
 * right after the data, one section per bit.
 *
 * Facts: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef SAMPLES_PERF_DATA_PERF_FILE_H
#define SAMPLES_PERF_DATA_PERF_FILE_H

#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/samples/perf_data/perf_events.h"
#include "src/samples/perf_data/perf_records.h"

#define PERF_MAGIC_SIZE       8
#define PERF_PIPE_HEADER_SIZE 16
#define PERF_FILE_HEADER_SIZE 104
#define PERF_FEATURES         256

struct perf_section {
	uint64_t offset, size; /* in the file */
};

struct perf_header {
	uint64_t size; /* of the header: where a pipe's records begin */
	bool pipe;
	/* of files only: */
	uint64_t attr_size;
	struct perf_section attrs, data; /* data.size 0: the recorder was killed */
	uint64_t features[PERF_FEATURES /
			  64]; /* of which this one says that there are hardware traces: */
#define PERF_FEATURE_AUXTRACE 18
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
#define PERF_IDS_TIMES  8
#define PERF_IDS_ALWAYS (UINT64_C(1) << 20)

/* Read the events of a file's header.  BC_FORMAT, BC_NOMEM, or an error of
 * `sections`. */
BC_MUST_USE bool perf_header_events(const struct perf_header *header,
				    struct perf_section_reader sections, struct perf_events *events,
				    struct bc_error *err);

/*
 * The bytes of a perf.data file: from front to back in large reads, and, where
 * the file allows it, single sections out of order (the features lie after the
 * data).
 */

/* The largest section that is read as a whole, and how far into a pipe the data
 * may begin.  A build-id table of 100,000 files has 15 MB. */
#define PERF_SECTION_MOST (UINT64_C(64) << 20)

struct perf_file {
	struct file_stream *stream; /* borrowed */
	uint8_t *start;             /* the file's first bytes */
	size_t start_size;
	uint64_t at; /* offset of the byte that perf_file_read() reads next */
	bool seekable;
	uint64_t base;    /* where the file begins in the descriptor            */
	uint8_t *section; /* the bytes of the last section */
	/* What is after the data of a pipe, once it was read. */
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

/* Bytes of a seekable file, in any order.  BC_IO; BC_FORMAT: they lie beyond the end. */
BC_MUST_USE bool perf_file_read_at(struct perf_file *file, uint64_t at, uint8_t *to, size_t size,
				   struct bc_error *err);

/* The size of a seekable file; 0: not known. */
uint64_t perf_file_size(const struct perf_file *file);

/* Read on from where the last call ended, first from offset 0; short only at the
 * end of the file.  to: NULL to skip. */
BC_MUST_USE bool perf_file_read(struct perf_file *file, uint8_t *to, size_t size, size_t *out,
				struct bc_error *err);

/*
 * The records of a perf.data file, one after the other.  A compressed record is
 * replaced by the records in it; trace data after a record is skipped.  The file is
 * read in large chunks, of which a few are in memory at a time.
 */

/*
 * Compressed records.  perf compresses what it read from one ring buffer at a
 * time; the zstd frame continues from record to record over the whole file, and
 * records inside can be cut where a compressed one ends.
 */

/* No compressed record may hold more, unless the file says that its ring
 * buffers are larger.  (64 KiB of zstd can represent 2 GiB.) */
#define PERF_ZSTD_MOST (UINT64_C(256) << 20)

/* The most output of all records together: so many times their own bytes, and in addition the
 * most output of one record. */
#define PERF_ZSTD_TIMES 1024

struct perf_zstd {
	void *stream; /* ZSTD_DStream; made when it is first needed */
	struct bytes input;
	uint64_t most, left;       /* output per record, and what this one still may give */
	uint64_t packed, unpacked; /* bytes of all records so far */
};

void perf_zstd_fini(struct perf_zstd *zstd);

/* Continue with the payload of the next record, which must be valid until perf_zstd_read() has
 * returned all output.  ring_size: as the file says it, or 0. */
BC_MUST_USE bool perf_zstd_begin(struct perf_zstd *zstd, struct bytes payload, uint64_t ring_size,
				 struct bc_error *err);

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
	bool inflating; /* the records of a compressed one are being read */
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

/* The next bytes of what is after the record that was given out last: trace data, for example.
 * They stay until the next call of a function of the stream.  What is not asked for is skipped.
 * Returns false when there are no more, with BC_OK, and on errors: BC_IO, BC_NOMEM. */
BC_MUST_USE bool perf_stream_payload(struct perf_stream *stream, struct bytes *out,
				     struct bc_error *err);

#endif
