/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/setup.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#include "src/samples/perf_data/perf_cursor.h"

#define UPDATE_NAME 2 /* EVENT_UPDATE records: what is updated */

void perf_setup_fini(struct perf_setup *setup)
{
	perf_events_free(&setup->events);
	perf_build_ids_free(&setup->features.build_ids);
}

/* A feature that cannot be read is counted and left out. */
static bool forgive(struct perf_setup *setup, const struct bc_error *err)
{
	if (err->code != BC_FORMAT && err->code != BC_UNSUPPORTED)
		return false;
	++*setup->damaged_features;
	return true;
}

static bool read_feature(struct perf_setup *setup, unsigned feature, struct perf_section section,
			 struct perf_section_reader sections, struct bc_error *err)
{
	struct bytes bytes;

	return (sections.read(sections.ctx, section, &bytes, err) &&
		perf_feature_parse(feature, bytes, &setup->features, &setup->events, err)) ||
	       forgive(setup, err);
}

static bool read_features(struct perf_setup *setup, struct perf_section_reader sections,
			  struct bc_error *err)
{
	struct perf_section table = perf_header_feature_table(&setup->header), section;
	struct perf_section entry = {table.offset, sizeof(section)};
	struct bytes bytes;

	for (unsigned i = 0; table.size && i < PERF_FEATURES; i++) {
		if (!perf_header_has(&setup->header, i))
			continue;
		if (perf_feature_is_read(i)) {
			if (!sections.read(sections.ctx, entry, &bytes, err))
				return forgive(setup, err);
			section = (struct perf_section){le64(bytes.data), le64(bytes.data + 8)};
			if (!read_feature(setup, i, section, sections, err))
				return false;
		}
		entry.offset += sizeof(section);
	}
	return true;
}

/* Of a pipe only the bytes at the beginning can be read again: a small file is completely in
 * them. */
static bool has_features_at_hand(const struct perf_setup *setup, const struct perf_file *file)
{
	struct perf_section table = perf_header_feature_table(&setup->header);

	return file->seekable || range_fits(table.offset, table.size, file->start_size);
}

bool perf_setup_file(struct perf_setup *setup, struct perf_file *file, struct bc_error *err)
{
	struct bytes start = {file->start, file->start_size};
	struct perf_section_reader sections = perf_file_sections(file);

	if (!perf_header_parse(start, &setup->header, err))
		return false;
	if (setup->header.pipe)
		return true;
	setup->features_late = !has_features_at_hand(setup, file);
	return perf_file_keep(file, setup->header.data.offset, err) &&
	       perf_header_events(&setup->header, sections, &setup->events, err) &&
	       (setup->features_late || read_features(setup, sections, err));
}

bool perf_setup_ids_may_come(const struct perf_setup *setup)
{
	return setup->features_late || setup->header.pipe;
}

bool perf_setup_late(struct perf_setup *setup, struct perf_file *file, struct bc_error *err)
{
	return !setup->features_late ||
	       (perf_file_keep_rest(file, err) && read_features(setup, perf_file_sections(file), err));
}

static bool take_attr(struct perf_setup *setup, struct bytes body, struct bc_error *err)
{
	size_t size = perf_attr_size(body);
	struct perf_attr attr;

	if (!size || !perf_attr_parse(body, &attr))
		return bc_fail(err, BC_FORMAT, "a damaged event");
	setup->settled = false;
	return perf_events_add(&setup->events, &attr, bytes_from(body, size), err);
}

static bool take_feature(struct perf_setup *setup, struct bytes body, struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	uint64_t feature = cursor_u64(&c);

	if (c.failed || feature >= PERF_FEATURES)
		return true;
	return perf_feature_parse((unsigned)feature, c.rest, &setup->features, &setup->events,
				  err) ||
	       forgive(setup, err);
}

static bool take_update(struct perf_setup *setup, struct bytes body)
{
	struct perf_cursor c = perf_cursor(body);
	uint64_t what = cursor_u64(&c), id = cursor_u64(&c);

	if (!c.failed && what == UPDATE_NAME)
		perf_events_name_by_id(&setup->events, id, bytes_string(c.rest));
	return true;
}

static bool take(struct perf_setup *setup, const struct perf_record *record, struct bc_error *err)
{
	switch (record->type) {
	case PERF_USER_ATTR:
		return take_attr(setup, record->body, err);
	case PERF_USER_FEATURE:
		return take_feature(setup, record->body, err);
	case PERF_USER_EVENT_UPDATE:
		return take_update(setup, record->body);
	case PERF_USER_BUILD_ID:
		return perf_build_ids_add(&setup->features.build_ids, record->misc, record->body,
					  err) ||
		       forgive(setup, err);
	default:
		return true;
	}
}

bool perf_setup_record(struct perf_setup *setup, const struct perf_record *record,
		       struct bc_error *err)
{
	struct bc_error why = {0};

	if (take(setup, record, &why))
		return true;
	return bc_fail(err, why.code, "%s, byte %" PRIu64, why.text, record->offset);
}

bool perf_setup_settle(struct perf_setup *setup, struct bc_error *err)
{
	if (!setup->settled)
		setup->settled = perf_events_settle(&setup->events, err);
	return setup->settled;
}

static uint64_t all_sample_types(const struct perf_setup *setup)
{
	uint64_t types = 0;

	for (size_t i = 0; i < setup->events.all.len; i++)
		types |= setup->events.all.at[i].attr.sample_type;
	return types;
}

bool perf_setup_has_stacks(const struct perf_setup *setup)
{
	return all_sample_types(setup) & PERF_SAMPLE_BRANCH_STACK;
}

bool perf_setup_has_partial_stacks(const struct perf_setup *setup)
{
	for (size_t i = 0; i < setup->events.all.len; i++) {
		if (setup->events.all.at[i].partial_stacks)
			return true;
	}
	return false;
}

bool perf_setup_is_timeless(const struct perf_setup *setup)
{
	return !(all_sample_types(setup) & PERF_SAMPLE_TIME);
}
