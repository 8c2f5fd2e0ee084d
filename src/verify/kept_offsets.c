/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/kept_offsets.h"

#include <stdlib.h>

#include "src/base/sort.h"
#include "src/elf/notes.h"
#include "src/verify/debug_entries.h"

static bool bound_less(const uint64_t *a, const uint64_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_bounds, uint64_t, bound_less)
DEFINE_SEARCH(bounds_before, uint64_t, uint64_t, *item < key)

/* What one unit has.  False: no memory, or too much work */
static bool read_unit(struct debug_reader *reader, const struct debug_unit *unit,
		      struct entry_place_vec *places, struct address_range_vec *ranges,
		      struct scope_bounds *out)
{
	bool bad, ok = debug_list_entries(reader, unit, places);

	for (size_t i = 0; ok && i < places->len; i++) {
		ok = debug_ranges(reader, unit, places->at[i].at, ranges, &bad);
		for (size_t k = 0; ok && k < ranges->len; k++)
			ok = bound_vec_push(&out->at, ranges->at[k].start) &&
			     bound_vec_push(&out->at, ranges->at[k].end);
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
		if (!unit.empty && !unit.of_types &&
		    !read_unit(reader, &unit, &places, &ranges, out))
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

#define PROBE_TYPE 3
enum { PROBE_PC = 0, PROBE_BASE = 8, PROBE_SIZE = 24 }; /* and the semaphore's address */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool next_probe(struct bytes *rest, struct note *note)
{
	while (note_next(rest, 4, note))
		if (note->type == PROBE_TYPE && text_is(note->owner, "stapsdt") &&
		    note->desc.size >= PROBE_SIZE)
			return true;
	return false;
}

static size_t count_probes(struct bytes notes)
{
	struct note note;
	size_t count = 0;

	while (next_probe(&notes, &note))
		count++;
	return count;
}

bool probes_read(const struct image *image, struct probes *out)
{
	const struct section *section = image_section(image, ".note.stapsdt");
	const struct section *base = image_section(image, ".stapsdt.base");
	struct bytes notes =
		section ? image_section_bytes(image, section) : (struct bytes){NULL, 0};
	struct probes probes = {malloc((count_probes(notes) + 1) * sizeof(*probes.at)), 0};
	struct note note;

	*out = probes;
	if (!probes.at)
		return false;
	while (next_probe(&notes, &note)) {
		/* prelink moves a program, but not the addresses in these notes. */
		uint64_t moved = base ? base->addr - le64(note.desc.data + PROBE_BASE) : 0;
		probes.at[probes.count++] = le64(note.desc.data + PROBE_PC) + moved;
	}
	qsort(probes.at, probes.count, sizeof(*probes.at), by_value);
	*out = probes;
	return true;
}

void probes_free(struct probes *probes)
{
	free(probes->at);
	*probes = (struct probes){0};
}

bool probes_has(const struct probes *probes, uint64_t at)
{
	return probes->count &&
	       bsearch(&at, probes->at, probes->count, sizeof(*probes->at), by_value);
}
