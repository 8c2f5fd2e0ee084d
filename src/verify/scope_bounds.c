/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/scope_bounds.h"

#include "src/base/sort.h"
#include "src/verify/debug_entries.h"

static bool bound_less(const uint64_t *a, const uint64_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_bounds, uint64_t, bound_less)
DEFINE_SEARCH(bounds_before, uint64_t, uint64_t, *item < key)

/* What one unit has.  False: no memory, or too much work */
static bool read_unit(struct debug_reader *reader, const struct debug_unit *unit, struct entry_place_vec *places, struct address_range_vec *ranges,
		      struct scope_bounds *out)
{
	bool bad, ok = debug_list_entries(reader, unit, places);

	for (size_t i = 0; ok && i < places->len; i++) {
		ok = debug_ranges(reader, unit, places->at[i].at, ranges, &bad);
		for (size_t k = 0; ok && k < ranges->len; k++)
			ok = bound_vec_push(&out->at, ranges->at[k].start) && bound_vec_push(&out->at, ranges->at[k].end);
	}
	return ok;
}

/* Returns false where it cannot be read to its end. */
static bool read_all(struct debug_reader *reader, struct scope_bounds *out)
{
	BC_AUTO(entry_place_vec_free) struct entry_place_vec places = {0};
	BC_AUTO(address_range_vec_free) struct address_range_vec ranges = {0};
	struct debug_unit unit;
	int more;

	while ((more = debug_next_unit(reader, &unit)) > 0)
		if (!unit.empty && !unit.of_types && !read_unit(reader, &unit, &places, &ranges, out))
			return false;
	return !more;
}

bool scope_bounds_read(const struct image *image, struct scope_bounds *out)
{
	struct debug_reader *reader;
	struct bc_error err;

	*out = (struct scope_bounds){0};
	if (!image_section(image, ".debug_info"))
		return true;
	if (!debug_reader_open(image, false, &reader, &err)) {
		out->unread = true;
		return err.code != BC_NOMEM;
	}
	out->unread = !read_all(reader, out);
	debug_reader_close(reader);
	if (out->at.len)
		sort_bounds(out->at.at, out->at.len);
	return true;
}

void scope_bounds_free(struct scope_bounds *bounds)
{
	bound_vec_free(&bounds->at);
	*bounds = (struct scope_bounds){0};
}

bool scope_bounds_have(const struct scope_bounds *bounds, uint64_t address)
{
	size_t i = bounds_before(bounds->at.at, bounds->at.len, address);

	return bounds->unread || (i < bounds->at.len && bounds->at.at[i] == address);
}
