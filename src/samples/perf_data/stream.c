/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/stream.h"

#include <inttypes.h>
#include <zstd.h>
#include <zstd_errors.h>

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
		return bc_fail(err, BC_FORMAT, "compressed records that stand for more than the limit of %d times their "
			       "bytes and %d MiB", PERF_ZSTD_TIMES, (int)(zstd->most >> 20));
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

/* What perf record says in the end, "[ perf record: Woken up 1 times to write data ]", is in the file where both
 * went to one pipe.  Its first bytes are no type of a record. */
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
	if (!perf_file_read(stream->file, NULL, want < SIZE_MAX ? (size_t)want : SIZE_MAX, out, err))
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
	struct bytes all = {stream->outer.block->data + stream->outer.begin, perf_framer_left(&stream->outer)};
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
		       bc_fail(err, BC_FORMAT, "a message of perf between records, byte %" PRIu64 ": send it elsewhere (2>perf.log)", out->offset);
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
