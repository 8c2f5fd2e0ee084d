/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/samples/perf_data/perf_records.h"

/* A header without the bits of features, as perf wrote it before 2.6.33. */
#define HEADER_WITHOUT_FEATURES 72

static bool starts_with(struct bytes bytes, const char magic[PERF_MAGIC_SIZE + 1])
{
	return bytes.size >= PERF_MAGIC_SIZE && !memcmp(bytes.data, magic, PERF_MAGIC_SIZE);
}

static bool check_magic(struct bytes bytes, struct bc_error *err)
{
	if (starts_with(bytes, "PERFILE2"))
		return true;
	if (starts_with(bytes, "PERFFILE"))
		return bc_fail(err, BC_UNSUPPORTED,
			       "is perf.data of version 1 (perf before 2012)") ||
		       bc_hint(err, "record again with a newer perf");
	if (starts_with(bytes, "2ELIFREP") || starts_with(bytes, "ELIFFREP"))
		return bc_fail(err, BC_UNSUPPORTED,
			       "was recorded on a machine of the other byte order") ||
		       bc_hint(err, "convert what perf script prints on that machine");
	return bc_fail(err, BC_FORMAT, "is not perf.data, byte 0");
}

static struct perf_section cursor_section(struct perf_cursor *c)
{
	struct perf_section section = {.offset = cursor_u64(c)};

	section.size = cursor_u64(c);
	return section;
}

static bool fail_cut(struct bytes bytes, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "truncated: the header ends at byte %zu", bytes.size);
}

static bool parse_file_header(struct bytes bytes, struct perf_header *out, struct bc_error *err)
{
	struct perf_header header = {0};
	struct perf_cursor c = perf_cursor(bytes);

	cursor_take(&c, PERF_MAGIC_SIZE);
	header.size = cursor_u64(&c);
	header.attr_size = cursor_u64(&c);
	header.attrs = cursor_section(&c);
	header.data = cursor_section(&c);
	cursor_section(&c); /* event types, not used since 2012 */
	for (size_t i = 0; i < BC_COUNT(header.features); i++)
		header.features[i] = header.size >= PERF_FILE_HEADER_SIZE ? cursor_u64(&c) : 0;
	if (c.failed)
		return fail_cut(bytes, err);
	if (header.attr_size < PERF_ATTR_SMALLEST + sizeof(struct perf_section) ||
	    header.attr_size > UINT16_MAX)
		return bc_fail(err, BC_FORMAT, "events of %" PRIu64 " bytes, byte 16",
			       header.attr_size);
	if (header.data.offset < header.size || header.data.size > UINT64_MAX - header.data.offset)
		return bc_fail(err, BC_FORMAT, "the data cannot begin at %" PRIu64 ", byte 40",
			       header.data.offset);
	*out = header;
	return true;
}

bool perf_header_parse(struct bytes bytes, struct perf_header *out, struct bc_error *err)
{
	if (!check_magic(bytes, err))
		return false;
	if (bytes.size < PERF_PIPE_HEADER_SIZE)
		return fail_cut(bytes, err);
	uint64_t size = le64(bytes.data + PERF_MAGIC_SIZE);
	if (size == PERF_PIPE_HEADER_SIZE) {
		*out = (struct perf_header){.size = size, .pipe = true};
		return true;
	}
	if (size < HEADER_WITHOUT_FEATURES)
		return bc_fail(err, BC_FORMAT, "a header of %" PRIu64 " bytes, byte 8", size);
	return parse_file_header(bytes, out, err);
}

bool perf_header_has(const struct perf_header *header, unsigned feature)
{
	return header->features[feature / 64] >> feature % 64 & 1;
}

struct perf_section perf_header_feature_table(const struct perf_header *header)
{
	struct perf_section table = {.offset = header->data.offset + header->data.size};

	for (unsigned i = 0; i < PERF_FEATURES; i++)
		if (perf_header_has(header, i))
			table.size += sizeof(struct perf_section);
	/* perf writes the bits of features first and the features at the end of a recording. */
	if (!header->data.size)
		table.size = 0;
	return table;
}

/* One event of the attrs section; `bytes` is attr_size long. */
static bool parse_event(struct bytes bytes, uint64_t at, struct perf_attr *attr,
			struct perf_section *ids, struct bc_error *err)
{
	size_t ids_at = bytes.size - sizeof(*ids);
	struct perf_cursor c = perf_cursor(bytes_from(bytes, ids_at));

	if (!perf_attr_parse(bytes_first(bytes, ids_at), attr))
		return bc_fail(err, BC_FORMAT, "a damaged event, byte %" PRIu64, at);
	*ids = cursor_section(&c);
	return true;
}

/* *left: the bytes of ids that further events may have */
static bool read_event(const struct perf_header *header, uint64_t at,
		       struct perf_section_reader sections, struct perf_events *events,
		       uint64_t *left, struct bc_error *err)
{
	struct perf_section ids, section = {at, header->attr_size};
	struct perf_attr attr;
	struct bytes bytes;

	if (!sections.read(sections.ctx, section, &bytes, err) ||
	    !parse_event(bytes, at, &attr, &ids, err))
		return false;
	if (ids.size > *left)
		return bc_fail(err, BC_FORMAT,
			       "ids of events, byte %" PRIu64
			       ": many events have the same, together "
			       "more than the limit of %d times the file and %d MiB",
			       ids.offset, PERF_IDS_TIMES, (int)(PERF_IDS_ALWAYS >> 20));
	*left -= ids.size;
	return sections.read(sections.ctx, ids, &bytes, err) &&
	       perf_events_add(events, &attr, bytes, err);
}

bool perf_header_events(const struct perf_header *header, struct perf_section_reader sections,
			struct perf_events *events, struct bc_error *err)
{
	uint64_t count = header->attrs.size / header->attr_size, at = header->attrs.offset;
	uint64_t known = sections.size < UINT64_MAX / 16 ? sections.size : UINT64_MAX / 16;
	uint64_t left = known * PERF_IDS_TIMES + PERF_IDS_ALWAYS;

	if (at > UINT64_MAX - header->attrs.size)
		return bc_fail(err, BC_FORMAT, "no file has events at %" PRIu64 ", byte 24", at);
	for (uint64_t i = 0; i < count; i++, at += header->attr_size)
		if (!read_event(header, at, sections, events, &left, err))
			return false;
	return true;
}

void perf_file_fini(struct perf_file *file)
{
	free(file->start);
	free(file->section);
	free(file->tail);
	*file = (struct perf_file){0};
}

/* Read on until `start` has `size` bytes, or the file ends. */
static bool read_start(struct perf_file *file, size_t size, struct bc_error *err)
{
	size_t got;

	if (size <= file->start_size)
		return true;
	uint8_t *start = realloc(file->start, size);
	if (!start)
		return bc_fail_nomem(err);
	file->start = start;
	if (!stream_read(file->stream, start + file->start_size, size - file->start_size, &got,
			 err))
		return false;
	file->start_size += got;
	return true;
}

/* What was read from the stream so far is all there is in `start`. */
static void find_base(struct perf_file *file)
{
	int64_t here = stream_position(file->stream);

	file->seekable = here >= 0 && (uint64_t)here >= file->start_size;
	file->base = file->seekable ? (uint64_t)here - file->start_size : 0;
}

bool perf_file_init(struct perf_file *file, struct file_stream *stream, struct bytes head,
		    struct bc_error *err)
{
	*file = (struct perf_file){.stream = stream, .start_size = head.size};
	file->start = malloc(head.size ? head.size : 1);
	if (!file->start)
		return bc_fail_nomem(err);
	if (head.size)
		memcpy(file->start, head.data, head.size);
	if (!read_start(file, PERF_FILE_HEADER_SIZE, err))
		return false;
	find_base(file);
	return true;
}

bool perf_file_keep(struct perf_file *file, uint64_t size, struct bc_error *err)
{
	if (file->seekable)
		return true;
	if (size > PERF_SECTION_MOST)
		return bc_fail(err, BC_UNSUPPORTED,
			       "the data begins too late for a pipe, byte %" PRIu64, size);
	return read_start(file, (size_t)size, err);
}

/* Double the capacity, from 64 KiB on. */
static bool grow_tail(struct perf_file *file, size_t *capacity)
{
	size_t bigger = *capacity ? 2 * *capacity : (size_t)64 << 10;
	uint8_t *tail = realloc(file->tail, bigger);

	if (!tail)
		return false;
	file->tail = tail;
	*capacity = bigger;
	return true;
}

bool perf_file_keep_rest(struct perf_file *file, struct bc_error *err)
{
	size_t capacity = 0, got;

	if (file->seekable)
		return true;
	file->tail_at = file->at;
	while (file->tail_size == capacity && capacity < PERF_SECTION_MOST) {
		if (!grow_tail(file, &capacity))
			return bc_fail_nomem(err);
		if (!perf_file_read(file, file->tail + file->tail_size, capacity - file->tail_size,
				    &got, err))
			return false;
		file->tail_size += got;
	}
	return true;
}

bool perf_file_read_at(struct perf_file *file, uint64_t at, uint8_t *to, size_t size,
		       struct bc_error *err)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(file->stream->fd, to + done, size - done,
				    (off_t)(file->base + at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail_errno(err, "%s: cannot read byte %" PRIu64,
					     file->stream->name, at);
		if (!got)
			return bc_fail(
				err, BC_FORMAT,
				"truncated: a section of %zu bytes lies beyond the end, byte %" PRIu64,
				size, at);
		done += (size_t)got;
	}
	return true;
}

static bool read_section(void *ctx, struct perf_section section, struct bytes *out,
			 struct bc_error *err)
{
	struct perf_file *file = ctx;

	if (range_fits(section.offset, section.size, file->start_size)) {
		*out = (struct bytes){file->start + section.offset, (size_t)section.size};
		return true;
	}
	if (section.offset >= file->tail_at &&
	    range_fits(section.offset - file->tail_at, section.size, file->tail_size)) {
		*out = (struct bytes){file->tail + (section.offset - file->tail_at),
				      (size_t)section.size};
		return true;
	}
	if (!file->seekable)
		return bc_fail(err, BC_UNSUPPORTED,
			       "a section follows the data, which a pipe cannot give in time, "
			       "byte %" PRIu64,
			       section.offset);
	if (section.size > PERF_SECTION_MOST || section.offset > INT64_MAX / 2)
		return bc_fail(err, BC_FORMAT,
			       "a section of %" PRIu64 " bytes is out of reach, byte %" PRIu64,
			       section.size, section.offset);
	uint8_t *bytes = realloc(file->section, section.size ? (size_t)section.size : 1);
	if (!bytes)
		return bc_fail_nomem(err);
	file->section = bytes;
	*out = (struct bytes){bytes, (size_t)section.size};
	return perf_file_read_at(file, section.offset, bytes, (size_t)section.size, err);
}

uint64_t perf_file_size(const struct perf_file *file)
{
	struct stat st;
	uint64_t size = file->stream->size;

	if (!size && !fstat(file->stream->fd, &st) && S_ISREG(st.st_mode)) /* stdin */
		size = (uint64_t)st.st_size;
	return size > file->base ? size - file->base : 0;
}

struct perf_section_reader perf_file_sections(struct perf_file *file)
{
	uint64_t known = file->seekable ? file->stream->size : file->start_size;

	return (struct perf_section_reader){file, known, read_section};
}

/* The part that is in `start` already. */
static size_t read_kept(struct perf_file *file, uint8_t *to, size_t size)
{
	if (file->at >= file->start_size)
		return 0;
	size_t left = file->start_size - (size_t)file->at;
	size_t got = size < left ? size : left;
	if (to)
		memcpy(to, file->start + file->at, got);
	return got;
}

bool perf_file_read(struct perf_file *file, uint8_t *to, size_t size, size_t *out,
		    struct bc_error *err)
{
	size_t kept = read_kept(file, to, size), got = 0;

	if (kept < size && !(to ? stream_read(file->stream, to + kept, size - kept, &got, err) :
				  stream_skip(file->stream, size - kept, &got, err)))
		return false;
	file->at += kept + got;
	*out = kept + got;
	return true;
}

/* The largest window that is accepted, 128 MiB: zstd's own limit, and enough for the highest
 * level that perf offers. */
#define WINDOW_LOG_MAX 27

void perf_zstd_fini(struct perf_zstd *zstd)
{
	ZSTD_freeDStream(zstd->stream);
	*zstd = (struct perf_zstd){0};
}

static bool make_stream(struct perf_zstd *zstd, struct bc_error *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();

	if (!stream)
		return bc_fail_nomem(err);
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	zstd->stream = stream;
	return true;
}

bool perf_zstd_begin(struct perf_zstd *zstd, struct bytes payload, uint64_t ring_size,
		     struct bc_error *err)
{
	if (!zstd->stream && !make_stream(zstd, err))
		return false;
	zstd->input = payload;
	zstd->packed += payload.size;
	zstd->most = zstd->left = ring_size > PERF_ZSTD_MOST ? ring_size : PERF_ZSTD_MOST;
	return true;
}

bool perf_zstd_read(struct perf_zstd *zstd, uint8_t *to, size_t capacity, size_t *out,
		    struct bc_error *err)
{
	ZSTD_inBuffer in = {zstd->input.data, zstd->input.size, 0};
	ZSTD_outBuffer result = {to, capacity, 0};

	/* zstd can have more output when all input is taken. */
	do {
		size_t status = ZSTD_decompressStream(zstd->stream, &result, &in);
		if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
			return bc_fail_nomem(err);
		if (ZSTD_isError(status))
			return bc_fail(err, BC_FORMAT, "damaged zstd data (%s)",
				       ZSTD_getErrorName(status));
	} while (in.pos < in.size && result.pos < result.size);
	zstd->input = bytes_from(zstd->input, in.pos);
	if (result.pos > zstd->left)
		return bc_fail(err, BC_FORMAT, "a compressed record of more than %" PRIu64 " bytes",
			       zstd->most);
	zstd->left -= result.pos;
	zstd->unpacked += result.pos;
	if (zstd->unpacked > zstd->packed * PERF_ZSTD_TIMES + zstd->most)
		return bc_fail(
			err, BC_FORMAT,
			"compressed records that expand to more than the limit of %d times their "
			"bytes and %d MiB",
			PERF_ZSTD_TIMES, (int)(zstd->most >> 20));
	*out = result.pos;
	return true;
}

/* Where the next record of the file begins. */
static uint64_t here(const struct perf_stream *stream)
{
	return stream->file->at - perf_framer_left(&stream->outer);
}

static bool skip_to(struct perf_file *file, uint64_t begin, struct bc_error *err)
{
	while (file->at < begin) {
		uint64_t left = begin - file->at;
		size_t want = left < PERF_BLOCK_SIZE ? (size_t)left : PERF_BLOCK_SIZE, got;
		if (!perf_file_read(file, NULL, want, &got, err))
			return false;
		if (got < want)
			break;
	}
	return true;
}

bool perf_stream_init(struct perf_stream *stream, struct perf_file *file, struct perf_pool *pool,
		      uint64_t begin, uint64_t end, struct bc_error *err)
{
	*stream = (struct perf_stream){.file = file, .pool = pool, .end = end};
	return skip_to(file, begin, err);
}

void perf_stream_fini(struct perf_stream *stream)
{
	perf_framer_fini(&stream->outer, stream->pool);
	perf_framer_fini(&stream->inner, stream->pool);
	perf_zstd_fini(&stream->zstd);
}

static bool truncate_at(struct perf_stream *stream, uint64_t offset, struct bc_error *err)
{
	stream->truncated = true;
	stream->truncated_at = offset;
	err->code = BC_OK;
	return false;
}

/* Read more of the file.  Returns false at its end, with BC_OK. */
static bool fill(struct perf_stream *stream, struct bc_error *err)
{
	size_t capacity, got = 0; /* the analyzer does not see that perf_zstd_read() sets it */
	uint64_t left = stream->end > stream->file->at ? stream->end - stream->file->at : 0;

	err->code = BC_OK;
	if (stream->file_ended || !left)
		return false;
	uint8_t *to = perf_framer_room(&stream->outer, stream->pool, &capacity);
	if (!to)
		return bc_fail_nomem(err);
	size_t want = left < capacity ? (size_t)left : capacity;
	if (!perf_file_read(stream->file, to, want, &got, err))
		return false;
	perf_framer_add(&stream->outer, got);
	stream->file_ended = got < want;
	return got > 0;
}

/* What perf record says in the end, "[ perf record: Woken up 1 times to write data ]", is in the
 * file where both went to one pipe.  Its first bytes are no type of a record. */
#define MESSAGE_TYPE 0x6570205bu
#define MESSAGE_MOST 4096

static bool is_message(const struct perf_stream *stream, const struct perf_record *record)
{
	return stream->end == UINT64_MAX && record->type == MESSAGE_TYPE;
}

/* Called when the file has no more bytes: is its data complete? */
static bool end_here(struct perf_stream *stream, struct bc_error *err)
{
	bool end_known = stream->end != UINT64_MAX;

	if (stream->message && stream->file->at - stream->offset <= MESSAGE_MOST) {
		err->code = BC_OK;
		return false;
	}
	if (stream->skip || perf_framer_left(&stream->outer)) {
		if (end_known && stream->file->at >= stream->end)
			return bc_fail(err, BC_FORMAT,
				       "a record passes the end of the data, byte %" PRIu64,
				       stream->skip ? stream->offset : here(stream));
		return truncate_at(stream, stream->skip ? stream->offset : here(stream), err);
	}
	if (end_known && stream->file->at < stream->end)
		return truncate_at(stream, here(stream), err);
	if (perf_framer_left(&stream->inner))
		return truncate_at(stream, stream->offset, err);
	err->code = BC_OK;
	return false;
}

/* More than that is passed over in the file, not read. */
#define SKIP_LEAST (2 * PERF_BLOCK_SIZE)

/* Pass over what follows the last record, as far as it is not read yet.  *out: how much. */
static bool pass_over(struct perf_stream *stream, size_t *out, struct bc_error *err)
{
	uint64_t left = stream->end > stream->file->at ? stream->end - stream->file->at : 0;
	uint64_t want = stream->skip < left ? stream->skip : left;

	*out = 0;
	if (want < SKIP_LEAST || perf_framer_left(&stream->outer) || stream->file_ended)
		return true;
	if (!perf_file_read(stream->file, NULL, want < SIZE_MAX ? (size_t)want : SIZE_MAX, out,
			    err))
		return false;
	stream->file_ended = *out < want;
	return true;
}

/* Drop what follows the last record. */
static bool drop_extra(struct perf_stream *stream, struct bc_error *err)
{
	while (stream->skip) {
		size_t dropped = perf_framer_drop(&stream->outer, stream->skip);
		if (!dropped && !pass_over(stream, &dropped, err))
			return false;
		stream->skip -= dropped;
		stream->skipped += dropped;
		if (stream->skip && !dropped && !fill(stream, err))
			return err->code == BC_OK && end_here(stream, err);
	}
	return true;
}

bool perf_stream_payload(struct perf_stream *stream, struct bytes *out, struct bc_error *err)
{
	err->code = BC_OK;
	if (!stream->skip || (!perf_framer_left(&stream->outer) && !fill(stream, err)))
		return false;
	struct bytes all = {stream->outer.block->data + stream->outer.begin,
			    perf_framer_left(&stream->outer)};
	*out = bytes_first(all, stream->skip);
	perf_framer_drop(&stream->outer, out->size);
	stream->skip -= out->size;
	stream->skipped += out->size;
	return true;
}

static bool fail_size(uint64_t offset, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "a record of less than 8 bytes, byte %" PRIu64, offset);
}

/* The next record of the file itself. */
static bool next_outer(struct perf_stream *stream, struct perf_record *out, struct bc_error *err)
{
	uint64_t extra;

	if (!drop_extra(stream, err))
		return false;
	for (;;) {
		uint64_t offset = here(stream);
		enum perf_frame frame = perf_framer_next(&stream->outer, out, &extra);
		if (frame == PERF_FRAME_BAD)
			return fail_size(offset, err);
		if (frame == PERF_FRAME_WHOLE) {
			out->offset = stream->offset = offset;
			stream->skip = extra;
			break;
		}
		if (!fill(stream, err))
			return err->code == BC_OK && end_here(stream, err);
	}
	if (is_message(stream, out)) {
		stream->message = true;
		return drop_extra(stream, err) &&
		       (bc_fail(err, BC_FORMAT, "a message of perf between records, byte %" PRIu64,
				out->offset) ||
			bc_hint(err, "send messages of perf elsewhere: 2>perf.log"));
	}
	if (!extra && !perf_record_extra(out, &stream->skip))
		return bc_fail(err, BC_FORMAT, "a cut record, byte %" PRIu64, out->offset);
	return true;
}

static bool fail_at(uint64_t offset, struct bc_error *err)
{
	struct bc_error why = *err;

	return bc_fail(err, why.code, "%s, byte %" PRIu64, why.text, offset);
}

/* The next record of the decompressed ones; false with BC_OK if there are no more. */
static bool next_inner(struct perf_stream *stream, struct perf_record *out, struct bc_error *err)
{
	uint64_t extra;
	size_t capacity, got = 0; /* the analyzer does not see that perf_zstd_read() sets it */

	for (;;) {
		enum perf_frame frame = perf_framer_next(&stream->inner, out, &extra);
		if (frame == PERF_FRAME_BAD)
			return fail_size(stream->offset, err);
		if (frame == PERF_FRAME_WHOLE && extra)
			return bc_fail(err, BC_FORMAT, "an odd compressed record, byte %" PRIu64,
				       stream->offset);
		out->offset = stream->offset;
		if (frame == PERF_FRAME_WHOLE)
			return true;
		uint8_t *to = perf_framer_room(&stream->inner, stream->pool, &capacity);
		if (!to)
			return bc_fail_nomem(err);
		if (!perf_zstd_read(&stream->zstd, to, capacity, &got, err))
			return fail_at(stream->offset, err);
		perf_framer_add(&stream->inner, got);
		err->code = BC_OK;
		if (!got)
			return false;
	}
}

static bool is_compressed(const struct perf_record *record)
{
	return record->type == PERF_USER_COMPRESSED || record->type == PERF_USER_COMPRESSED2;
}

static bool begin_inflating(struct perf_stream *stream, const struct perf_record *record,
			    struct bc_error *err)
{
	struct bytes payload;

	if (!perf_record_compressed(record, &payload))
		return bc_fail(err, BC_FORMAT, "a cut compressed record, byte %" PRIu64,
			       record->offset);
	stream->inflating = true;
	return perf_zstd_begin(&stream->zstd, payload, stream->ring_size, err);
}

bool perf_stream_next(struct perf_stream *stream, struct perf_record *out, struct bc_error *err)
{
	for (;;) {
		if (stream->inflating) {
			if (next_inner(stream, out, err))
				return true;
			if (err->code != BC_OK)
				return false;
			stream->inflating = false;
		}
		if (!next_outer(stream, out, err))
			return false;
		if (!is_compressed(out))
			return true;
		if (!begin_inflating(stream, out, err))
			return false;
	}
}
