/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_cursor.h"

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
			       "is perf.data of version 1 (perf before 2012); record it again");
	if (starts_with(bytes, "2ELIFREP") || starts_with(bytes, "ELIFFREP"))
		return bc_fail(err, BC_UNSUPPORTED,
			       "was recorded on a machine of the other byte order; convert what "
			       "perf script prints there");
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
		header.features[i] =
			header.size >= PERF_FILE_HEADER_SIZE ? cursor_u64(&c) : 0;
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
static bool read_event(const struct perf_header *header, uint64_t at, struct perf_section_reader sections,
		       struct perf_events *events, uint64_t *left, struct bc_error *err)
{
	struct perf_section ids, section = {at, header->attr_size};
	struct perf_attr attr;
	struct bytes bytes;

	if (!sections.read(sections.ctx, section, &bytes, err) || !parse_event(bytes, at, &attr, &ids, err))
		return false;
	if (ids.size > *left)
		return bc_fail(err, BC_FORMAT, "ids of events, byte %" PRIu64 ": many events have the same, together "
			       "more than the limit of %d times the file and %d MiB",
			       ids.offset, PERF_IDS_TIMES, (int)(PERF_IDS_ALWAYS >> 20));
	*left -= ids.size;
	return sections.read(sections.ctx, ids, &bytes, err) && perf_events_add(events, &attr, bytes, err);
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

bool perf_file_read_at(struct perf_file *file, uint64_t at, uint8_t *to, size_t size, struct bc_error *err)
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

	if (kept < size && !(to ? stream_read(file->stream, to + kept, size - kept, &got, err)
				: stream_skip(file->stream, size - kept, &got, err)))
		return false;
	file->at += kept + got;
	*out = kept + got;
	return true;
}
