/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/header.h"

#include <inttypes.h>

#include "src/event/perf_data/cursor.h"

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
