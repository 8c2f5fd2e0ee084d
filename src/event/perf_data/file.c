/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool pread_whole(struct perf_file *file, uint8_t *to, uint64_t at, size_t size,
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
			return bc_fail(err, BC_FORMAT,
				       "a section of %zu bytes lies beyond the end, byte %" PRIu64,
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
			       "a section lies behind the data, which a pipe cannot give in time, "
			       "byte %" PRIu64, section.offset);
	if (section.size > PERF_SECTION_MOST || section.offset > INT64_MAX / 2)
		return bc_fail(err, BC_FORMAT, "a section of %" PRIu64 " bytes is out of reach, byte %" PRIu64,
			       section.size, section.offset);
	uint8_t *bytes = realloc(file->section, section.size ? (size_t)section.size : 1);
	if (!bytes)
		return bc_fail_nomem(err);
	file->section = bytes;
	*out = (struct bytes){bytes, (size_t)section.size};
	return pread_whole(file, bytes, section.offset, (size_t)section.size, err);
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

static bool skip(struct perf_file *file, size_t size, size_t *out, struct bc_error *err)
{
	uint8_t scratch[4096];

	*out = 0;
	while (*out < size) {
		size_t want = size - *out, got;
		want = want < sizeof(scratch) ? want : sizeof(scratch);
		if (!stream_read(file->stream, scratch, want, &got, err))
			return false;
		*out += got;
		if (got < want)
			break;
	}
	return true;
}

bool perf_file_read(struct perf_file *file, uint8_t *to, size_t size, size_t *out,
		    struct bc_error *err)
{
	size_t kept = read_kept(file, to, size), got = 0;

	if (kept < size && !(to ? stream_read(file->stream, to + kept, size - kept, &got, err)
				: skip(file, size - kept, &got, err)))
		return false;
	file->at += kept + got;
	*out = kept + got;
	return true;
}
