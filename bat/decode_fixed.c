/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout fixed: a table of all fragments, then pairs that say which of them
 * are cold parts and of which function.
 */
#include "bat/decode.h"

enum {
	ENTRY_SIZE = 8,
	FRAGMENT_SIZE = 12, /* without its entries */
	PAIR_SIZE = 16,
};

/* BRANCHENTRY is the highest bit here; in a table it is the lowest. */
static uint32_t input_from_fixed(uint32_t stored)
{
	return stored << 1 | stored >> 31;
}

static bool read_count(struct bat_cursor *in, const char *field,
		       const char *items, size_t item_size, uint32_t *count)
{
	const uint8_t *at = in->pos;

	return cursor_u32(in, field, count) &&
	       cursor_fits(in, at, field, items, *count, item_size);
}

static bool read_entries(struct bat_pass *p, uint32_t count)
{
	struct bat_cursor *in = &p->in;
	struct bat_entry entry = { 0, 0 };

	if (!pass_reserve_entries(p, count))
		return false;
	for (uint32_t j = 0; j < count; j++) {
		const uint8_t *at = in->pos;
		uint32_t last = entry.output;
		uint32_t stored;

		if (!cursor_u32(in, "OutputOffset", &entry.output) ||
		    !pass_continues(p, at, last, entry.output) ||
		    !cursor_u32(in, "InputOffset", &stored))
			return false;
		if (j > 0 && entry.output == last)
			continue; /* of equal ones the first counts, as in BOLT */
		entry.input = input_from_fixed(stored);
		if (j == 0)
			p->zero_starts += entry_is_zero_start(entry);
		pass_add_entry(p, entry);
	}
	return true;
}

static bool read_fragments(struct bat_pass *p)
{
	struct bat_cursor *in = &p->in;
	uint64_t last = 0;
	uint32_t fragments;

	if (!read_count(in, "NumFragments", "fragments", FRAGMENT_SIZE,
			&fragments) ||
	    !pass_reserve_fragments(p, fragments))
		return false;
	for (uint32_t i = 0; i < fragments; i++) {
		const uint8_t *at = in->pos;
		struct bat_fragment f = { .first_entry = p->entries };
		uint32_t count;

		if (!cursor_u64(in, "OutputAddress", &f.address))
			return false;
		if (i > 0 &&
		    !pass_ascends(p, at, "OutputAddress", last, f.address))
			return false;
		if (!read_count(in, "NumEntries", "entries", ENTRY_SIZE,
				&count) ||
		    !read_entries(p, count))
			return false;
		f.entry_count = p->entries - f.first_entry;
		pass_add_fragment(p, &f);
		last = f.address;
	}
	return true;
}

/* The fragments once more, to be stepped through along with the pairs: both
 * ascend, and a pass without a table has none to search in. */
struct walk {
	const uint8_t *pos; /* of the fragment ... */
	uint32_t index;     /* ... of this number  */
};

/* Step to the fragment at `address`; false if there is none. */
static bool walk_to(struct walk *w, uint32_t fragments, uint64_t address)
{
	while (w->index < fragments && load_u64(w->pos) < address) {
		w->pos += FRAGMENT_SIZE + (size_t)load_u32(w->pos + 8) *
						  ENTRY_SIZE;
		w->index++;
	}
	return w->index < fragments && load_u64(w->pos) == address;
}

static void mark_cold(struct bat_pass *p, uint32_t index, uint64_t hot)
{
	struct bat_fragment *f;

	p->hot--;
	if (!p->table)
		return;
	f = &p->table->fragments[index];
	f->cold = true;
	f->stored_hot = hot;
}

static bool read_pairs(struct bat_pass *p)
{
	struct bat_cursor *in = &p->in;
	struct walk w = { .pos = in->begin + 4 };
	uint64_t last = 0;
	uint32_t count;

	if (!read_count(in, "NumCold", "pairs", PAIR_SIZE, &count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *at = in->pos;
		uint64_t cold, hot;

		if (!cursor_u64(in, "ColdAddress", &cold))
			return false;
		if (i > 0 && !pass_ascends(p, at, "ColdAddress", last, cold))
			return false;
		if (!walk_to(&w, p->fragments, cold))
			return bat_cursor_fail(in, at, "ColdAddress", BAT_CAUSE_RANGE,
					   "no fragment begins at 0x%llx",
					   (unsigned long long)cold);
		if (!cursor_u64(in, "HotAddress", &hot))
			return false;
		mark_cold(p, w.index, hot);
		last = cold;
	}
	return true;
}

bool bat_read_fixed(struct bat_pass *p)
{
	if (!read_fragments(p))
		return false;
	p->hot = p->fragments;
	return read_pairs(p) && pass_ends(p);
}
