/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as an ELF file with debug information: it is refused with one line, or entries ascend
 * and are as deep as they can be, expressions are of operations that there are, and what is too
 * much is reported as a limit.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

#include "src/verify/debug_entries.h"
#include "src/verify/line_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct debug_reader *reader;
	struct entry_place_vec places;
	struct debug_value_vec values;
	struct address_range_vec ranges;
	struct debug_locations locations;
};

static bool read_entry(struct reading *r, const struct debug_unit *unit, uint64_t at)
{
	bool bad;

	if (!debug_values(r->reader, unit, at, &r->values) ||
	    !debug_ranges(r->reader, unit, at, &r->ranges, &bad))
		return false;
	for (size_t i = 0; i < r->values.len; i++) {
		const struct debug_value *value = &r->values.at[i];
		if (value->kind == VALUE_TEXT)
			assert(!memchr(value->bytes.data, 0, value->bytes.size) &&
			       !value->bytes.data[value->bytes.size]);
		if (value->kind != VALUE_EXPRESSION && value->kind != VALUE_LOCATIONS)
			continue;
		if (!debug_locations(r->reader, value, &r->locations, &bad))
			return false;
		for (size_t k = 0; k < r->locations.at.len; k++) {
			const struct debug_location *location = &r->locations.at.at[k];
			assert(location->first <= r->locations.operations.len &&
			       location->count <= r->locations.operations.len - location->first);
		}
	}
	return true;
}

static bool read_units(struct reading *r)
{
	struct unit_arange_vec aranges = {0};
	struct debug_unit unit;
	bool ok = true, bad;
	unsigned tag;

	while (ok && debug_next_unit(r->reader, &unit) > 0) {
		ok = debug_list_entries(r->reader, &unit, &r->places);
		for (size_t i = 0; ok && i < r->places.len; i++) {
			const struct entry_place *place = &r->places.at[i];
			assert(i ? place->at > place[-1].at && place->depth &&
					       place->depth <= place[-1].depth + 1 :
				   place->at == unit.at && !place->depth);
			(void)debug_entry_name(r->reader, unit.of_types, place->at, &tag);
			ok = read_entry(r, &unit, place->at);
		}
	}
	ok = ok && debug_unit_ranges(r->reader, &aranges, &bad);
	unit_arange_vec_free(&aranges);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading r = {0};
	struct strings paths = {0};
	struct line_rows rows;
	struct image image;
	struct bc_error err;

	if (size > 1 << 16 || !image_open((struct bytes){data, size}, &image, &err))
		return 0;
	/* As in `verify`: what libdw reads of it was counted. */
	if (!line_rows_read(&image, &paths, &rows, &err) ||
	    !debug_reader_open(&image, true, &r.reader, &err)) {
		assert(err.code == BC_FORMAT || err.code == BC_UNSUPPORTED);
		assert(*err.text && !strchr(err.text, '\n'));
	} else if (!read_units(&r)) {
		assert(!work_check(image.work, &err) && err.code == BC_FORMAT);
	}
	debug_reader_close(r.reader);
	line_rows_free(&rows);
	entry_place_vec_free(&r.places);
	debug_value_vec_free(&r.values);
	address_range_vec_free(&r.ranges);
	debug_locations_free(&r.locations);
	image_close(&image);
	strings_free(&paths);
	return 0;
}
