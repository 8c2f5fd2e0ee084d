/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/decode.h"

#include <stdlib.h>
#include <string.h>

/* ---- the arrays of a table while it is decoded ---- */

/* The array resized to `capacity` items, at least one, so that NULL always means
 * out of memory: then the old array is still there. */
static void *resized(void *array, size_t capacity, size_t item_size)
{
	capacity += !capacity;
	return capacity > SIZE_MAX / item_size ? NULL : realloc(array, capacity * item_size);
}

/* Twice the capacity, or more if more is needed.  All counts of a descriptor fit in
 * 32 bits together, as no item takes less than a byte. */
static uint32_t next_capacity(uint32_t capacity, uint32_t used, uint32_t more)
{
	uint32_t doubled = capacity > UINT32_MAX / 2 ? UINT32_MAX : 2 * capacity;

	return used + more > doubled ? used + more : doubled;
}

/* Resize the arrays of the table.  The caller sets the new capacity. */
static bool resize_fragments(struct bat_table *t, uint32_t capacity)
{
	void *array = resized(t->fragments, capacity, sizeof(*t->fragments));

	t->fragments = array ? array : t->fragments;
	return array;
}

static bool resize_entries(struct bat_table *t, uint32_t capacity, bool with_blocks)
{
	void *entries = resized(t->entries, capacity, sizeof(*t->entries));
	void *blocks = NULL;

	t->entries = entries ? entries : t->entries;
	if (with_blocks)
		blocks = resized(t->blocks, capacity, sizeof(*t->blocks));
	t->blocks = blocks ? blocks : t->blocks;
	return entries && (blocks || !with_blocks);
}

static bool resize_secondary(struct bat_table *t, uint32_t capacity)
{
	void *array = resized(t->secondary, capacity, sizeof(*t->secondary));

	t->secondary = array ? array : t->secondary;
	return array;
}

static bool grow_fragments(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.fragments, p->fragments, count);

	if (!resize_fragments(p->table, capacity))
		return bat_fail_nomem(p->in.err);
	p->capacity.fragments = capacity;
	return true;
}

static bool grow_entries(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.entries, p->entries, count);

	if (!resize_entries(p->table, capacity, p->with_blocks))
		return bat_fail_nomem(p->in.err);
	p->capacity.entries = capacity;
	return true;
}

static bool grow_secondary(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.secondary, p->secondary, count);

	if (!resize_secondary(p->table, capacity))
		return bat_fail_nomem(p->in.err);
	p->capacity.secondary = capacity;
	return true;
}

/* Make sure that the table has capacity for `count` more items.  The caller has
 * checked that as many can be in the bytes left.  BAT_ERROR_NOMEM */
BAT_MUST_USE static inline bool pass_reserve_fragments(struct bat_pass *p, uint32_t count)
{
	return !p->table || count <= p->capacity.fragments - p->fragments ||
	       grow_fragments(p, count);
}

BAT_MUST_USE static inline bool pass_reserve_entries(struct bat_pass *p, uint32_t count)
{
	return !p->table || count <= p->capacity.entries - p->entries || grow_entries(p, count);
}

BAT_MUST_USE static inline bool pass_reserve_secondary(struct bat_pass *p, uint32_t count)
{
	return !p->table || count <= p->capacity.secondary - p->secondary ||
	       grow_secondary(p, count);
}

bool bat_pass_finish(struct bat_pass *p)
{
	struct bat_table *t = p->table;

	t->fragment_count = p->fragments;
	t->hot_count = p->hot;
	t->entry_count = p->entries;
	t->unhashed_count = p->unhashed;
	t->secondary_count = p->secondary;
	return (resize_fragments(t, p->fragments) &&
		resize_entries(t, p->entries, p->with_blocks) &&
		resize_secondary(t, p->secondary)) ||
	       bat_fail_nomem(p->in.err);
}

static inline void pass_add_entry(struct bat_pass *p, struct bat_entry entry)
{
	if (p->table)
		p->table->entries[p->entries] = entry;
	p->entries++;
}

static inline void pass_add_fragment(struct bat_pass *p, const struct bat_fragment *fragment)
{
	if (p->table)
		p->table->fragments[p->fragments] = *fragment;
	p->fragments++;
}

static inline bool entry_is_zero_start(struct bat_entry entry)
{
	return entry.output == 0 && entry.input == 0;
}

/* Fails if bytes are left over the table. */
BAT_MUST_USE static inline bool pass_ends(const struct bat_pass *p)
{
	if (p->in.pos == p->in.end)
		return true;
	return bat_cursor_fail(&p->in, p->in.pos, "end", BAT_CAUSE_LEFT, "%zu bytes are left over",
			       cursor_left(&p->in));
}

/* Is `address` allowed after `last` of the same table? */
BAT_MUST_USE static inline bool pass_ascends(const struct bat_pass *p, const uint8_t *at,
					     const char *field, uint64_t last, uint64_t address)
{
	if (address > last)
		return true;
	return bat_cursor_fail(&p->in, at, field, BAT_CAUSE_ORDER,
			       "0x%llx does not ascend from 0x%llx", (unsigned long long)address,
			       (unsigned long long)last);
}

/* The same for the OutputOffsets of a fragment, which may repeat. */
BAT_MUST_USE static inline bool pass_continues(const struct bat_pass *p, const uint8_t *at,
					       uint32_t last, uint32_t output)
{
	if (output >= last)
		return true;
	return bat_cursor_fail(&p->in, at, "OutputOffset", BAT_CAUSE_ORDER,
			       "0x%x decreases from 0x%x", output, last);
}

/* ---- the layout fixed ---- */

/*
 * The layout fixed: a table of all fragments, then pairs that say which of them
 * are cold parts and of which function.
 */

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

static bool read_fixed_count(struct bat_cursor *in, const char *field, const char *items,
			     size_t item_size, uint32_t *count)
{
	const uint8_t *at = in->pos;

	return cursor_u32(in, field, count) && cursor_fits(in, at, field, items, *count, item_size);
}

static bool read_fixed_entries(struct bat_pass *p, uint32_t count)
{
	struct bat_cursor *in = &p->in;
	struct bat_entry entry = {0, 0};

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

	if (!read_fixed_count(in, "NumFragments", "fragments", FRAGMENT_SIZE, &fragments) ||
	    !pass_reserve_fragments(p, fragments))
		return false;
	for (uint32_t i = 0; i < fragments; i++) {
		const uint8_t *at = in->pos;
		struct bat_fragment f = {.first_entry = p->entries};
		uint32_t count;

		if (!cursor_u64(in, "OutputAddress", &f.address))
			return false;
		if (i > 0 && !pass_ascends(p, at, "OutputAddress", last, f.address))
			return false;
		if (!read_fixed_count(in, "NumEntries", "entries", ENTRY_SIZE, &count) ||
		    !read_fixed_entries(p, count))
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
		w->pos += FRAGMENT_SIZE + (size_t)load_u32(w->pos + 8) * ENTRY_SIZE;
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
	struct walk w = {.pos = in->begin + 4};
	uint64_t last = 0;
	uint32_t count;

	if (!read_fixed_count(in, "NumCold", "pairs", PAIR_SIZE, &count))
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

static bool read_fixed(struct bat_pass *p)
{
	if (!read_fragments(p))
		return false;
	p->hot = p->fragments;
	return read_pairs(p) && pass_ends(p);
}

/* ---- the layouts delta, equal and hashed ---- */

/*
 * The layouts delta, equal and hashed: a table of hot functions, then one of
 * cold fragments.  Nearly every number is a difference modulo 2^64 from the one
 * before it, so a step backwards is a ten-byte ULEB128.
 */

struct reader {
	struct bat_pass *p;
	const struct bat_features *features;
	bool cold;          /* which of the two tables                          */
	uint32_t functions; /* in it                                            */
	uint64_t output;    /* the address that the next difference is added to              */
	uint64_t hot_index; /* the one read last                                */
};

/* How the entries of one function are stored. */
struct entry_encoding {
	uint64_t skew; /* of the leading entries: input - output          */
	uint32_t count;
	uint32_t equal;      /* this many entries have no InputOffset, only ... */
	const uint8_t *mask; /* ... a bit each                                  */
};

static bool has_equal(const struct reader *r)
{
	return r->cold ? r->features->equal_cold : r->features->equal_hot;
}

static bool read_count(struct reader *r, const char *field, const char *items, size_t item_size,
		       uint32_t *out)
{
	struct bat_cursor *in = &r->p->in;
	const uint8_t *at = in->pos;
	uint64_t count;

	if (!cursor_uleb(in, field, &count) || !cursor_fits(in, at, field, items, count, item_size))
		return false;
	*out = (uint32_t)count; /* a descriptor is smaller than 4 GiB */
	return true;
}

static bool read_hot_header(struct reader *r, struct bat_fragment *f)
{
	struct bat_cursor *in = &r->p->in;
	uint64_t blocks;

	if (!r->features->hashed)
		return true;
	if (!cursor_u64(in, "FuncHash", &f->hash) || !cursor_uleb(in, "NumBlocks", &blocks))
		return false;
	f->block_count = (uint32_t)blocks;
	return read_count(r, "NumSecEntryPoints", "entry points", 1, &f->secondary_count);
}

/* A HotIndex should be an index of the hot table, but what older releases wrote
 * must be readable, too: LLVM 18 stored the cold fragment's own ordinal, LLVM 19 an
 * index into hot and cold fragments together. */
static bool is_hot_index(const struct reader *r)
{
	uint64_t hot = r->p->hot;

	if (r->hot_index < hot)
		return true;
	if (!hot)
		return false;
	if (r->features->hashed)
		return r->hot_index < hot + r->functions;
	return r->hot_index == r->p->fragments - hot;
}

static bool read_cold_header(struct reader *r, struct bat_fragment *f, uint64_t *skew)
{
	struct bat_cursor *in = &r->p->in;
	const uint8_t *at = in->pos;
	uint64_t delta;

	if (!cursor_uleb(in, "HotIndex", &delta))
		return false;
	r->hot_index += delta;
	if (!is_hot_index(r))
		return bat_cursor_fail(in, at, "HotIndex", BAT_CAUSE_RANGE,
				       "%llu is not below the %u hot functions",
				       (unsigned long long)r->hot_index, r->p->hot);
	f->stored_hot = r->hot_index;
	return !r->features->hashed || cursor_uleb(in, "ColdInputSkew", skew);
}

static bool read_equal_elems(struct reader *r, struct entry_encoding *s)
{
	struct bat_cursor *in = &r->p->in;
	const uint8_t *at = in->pos;
	uint64_t equal;

	if (!cursor_uleb(in, "EqualElems", &equal))
		return false;
	if (equal > s->count)
		return bat_cursor_fail(in, at, "EqualElems", BAT_CAUSE_RANGE, "%llu of %u entries",
				       (unsigned long long)equal, s->count);
	s->equal = (uint32_t)equal;
	return cursor_bytes(in, (s->equal + (size_t)7) / 8, "BranchEntries", &s->mask);
}

/* The hash and index of a block.  Branch entries have none. */
static bool read_block(struct reader *r, struct bat_entry entry, struct bat_block *block)
{
	struct bat_cursor *in = &r->p->in;
	uint64_t delta;

	block->hash = 0;
	if (bat_entry_is_branch(entry))
		return true;
	if (!cursor_u64(in, "BBHash", &block->hash) || !cursor_uleb(in, "BBIdx", &delta))
		return false;
	block->index += (uint32_t)delta;
	return true;
}

static void add_block(struct bat_pass *p, struct bat_entry entry, struct bat_block block)
{
	if (bat_entry_is_branch(entry))
		block.index = 0;
	else
		p->unhashed += !block.hash;
	if (p->table && p->with_blocks)
		p->table->blocks[p->entries] = block;
}

/* Read OutputOffset and InputOffset of entry j. */
static bool read_entry(struct reader *r, const struct bat_fragment *f,
		       const struct entry_encoding *s, uint32_t j, uint64_t *input,
		       struct bat_entry *entry)
{
	struct bat_cursor *in = &r->p->in;
	const uint8_t *at = in->pos;
	uint32_t last = entry->output;
	uint64_t delta;

	if (!cursor_uleb(in, "OutputOffset", &delta))
		return false;
	r->output += delta;
	entry->output = (uint32_t)(r->output - f->address);
	if (!pass_continues(r->p, at, last, entry->output))
		return false;

	if (j < s->equal)
		*input = (entry->output + s->skew) << 1 | ((uint32_t)s->mask[j / 8] >> j % 8 & 1);
	else if (cursor_sleb(in, "InputOffset", &delta))
		*input += delta;
	else
		return false;
	entry->input = (uint32_t)*input;
	return true;
}

static bool read_entries(struct reader *r, struct bat_fragment *f, const struct entry_encoding *s)
{
	struct bat_pass *p = r->p;
	struct bat_block block = {0, 0};
	struct bat_entry entry = {0, 0};
	uint64_t input = 0;

	if (!pass_reserve_entries(p, s->count))
		return false;
	f->first_entry = p->entries;
	for (uint32_t j = 0; j < s->count; j++) {
		uint32_t last = entry.output;

		if (!read_entry(r, f, s, j, &input, &entry))
			return false;
		if (r->features->hashed) {
			if (!read_block(r, entry, &block))
				return false;
			add_block(p, entry, block);
		} else if (j > 0 && entry.output == last) {
			continue; /* of equal ones the first counts, as in BOLT */
		}
		if (j == 0 && !r->cold)
			p->zero_starts += entry_is_zero_start(entry);
		pass_add_entry(p, entry);
	}
	f->entry_count = p->entries - f->first_entry;
	return true;
}

static bool read_secondary(struct reader *r, struct bat_fragment *f)
{
	struct bat_pass *p = r->p;
	uint64_t offset = 0;
	uint64_t delta;

	if (!pass_reserve_secondary(p, f->secondary_count))
		return false;
	f->first_secondary = p->secondary;
	for (uint32_t i = 0; i < f->secondary_count; i++) {
		if (!cursor_uleb(&p->in, "SecEntryPoint", &delta))
			return false;
		offset += delta;
		if (p->table)
			p->table->secondary[p->secondary] = (uint32_t)offset;
		p->secondary++;
	}
	return true;
}

static bool read_function(struct reader *r)
{
	struct bat_fragment f = {.address = r->output, .cold = r->cold};
	struct entry_encoding s = {.skew = 0};

	if (!(r->cold ? read_cold_header(r, &f, &s.skew) : read_hot_header(r, &f)) ||
	    !read_count(r, "NumEntries", "entries", 1, &s.count) ||
	    (has_equal(r) && !read_equal_elems(r, &s)) || !read_entries(r, &f, &s) ||
	    !read_secondary(r, &f))
		return false;
	pass_add_fragment(r->p, &f);
	return true;
}

/* The fewest bytes that a function takes. */
static size_t function_size(const struct reader *r)
{
	size_t size = r->cold ? 3 : 2; /* Address, NumEntries, HotIndex */

	if (has_equal(r))
		size++;
	if (r->features->hashed)
		size += r->cold ? 1 : 10; /* skew; hash and two counts */
	return size;
}

static bool read_functions(struct reader *r)
{
	struct bat_cursor *in = &r->p->in;
	uint64_t last = 0;
	uint64_t delta;

	if (!read_count(r, "NumFuncs", "functions", function_size(r), &r->functions) ||
	    !pass_reserve_fragments(r->p, r->functions))
		return false;
	for (uint32_t i = 0; i < r->functions; i++) {
		const uint8_t *at = in->pos;

		if (!cursor_uleb(in, "Address", &delta))
			return false;
		r->output += delta;
		if (i > 0 && !pass_ascends(r->p, at, "Address", last, r->output))
			return false;
		last = r->output;
		if (!read_function(r))
			return false;
	}
	return true;
}

static bool read_leb(struct bat_pass *p, const struct bat_features *features)
{
	struct reader r = {.p = p, .features = features};

	if (!read_functions(&r))
		return false;
	p->hot = p->fragments;
	r.cold = true;
	return read_functions(&r) && pass_ends(p);
}

bool bat_read(struct bat_pass *p, const struct bat_features *features)
{
	return features->fixed ? read_fixed(p) : read_leb(p, features);
}

/* ---- the order of a table, and parents ---- */

/*
 * The last step of decoding: from the order of the section to the order of a
 * table, and from what the section says about parents to indices.
 */

/* How many of `count` fragments by ascending address lie below `address`. */
static uint32_t count_below(const struct bat_fragment *fragments, uint32_t count, uint64_t address)
{
	uint32_t low = 0;

	while (low < count) {
		uint32_t middle = low + (count - low) / 2;

		if (fragments[middle].address < address)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Merge the hot fragments, at the front of `all`, with `cold` ones, from the
 * back so that nothing is overwritten. */
static void merge(struct bat_fragment *all, uint32_t hot_count, const struct bat_fragment *cold,
		  uint32_t cold_count)
{
	while (cold_count) {
		struct bat_fragment *last = &all[hot_count + cold_count - 1];

		if (hot_count && all[hot_count - 1].address > cold[cold_count - 1].address)
			*last = all[--hot_count];
		else
			*last = cold[--cold_count];
	}
}

/* Does HotIndex count hot and cold fragments together?  LLVM 19 wrote it so,
 * which shows if it leaves the hot table. */
static bool counts_all(const struct bat_table *t)
{
	if (!bat_layout_features(t->layout)->hashed)
		return false;
	for (uint32_t i = t->hot_count; i < t->fragment_count; i++)
		if (t->fragments[i].stored_hot >= t->hot_count)
			return true;
	return false;
}

/* Set the parents of `cold`, before the hot fragments are merged with it.  A
 * HotIndex counts hot fragments, a parent counts all. */
static void link_hot_index(const struct bat_table *t, struct bat_fragment *cold, uint32_t count)
{
	bool all = counts_all(t);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t index = cold[i].stored_hot;

		cold[i].parent = BAT_NO_PARENT;
		if (all)
			cold[i].parent = (uint32_t)index;
		else if (index < t->hot_count)
			cold[i].parent = (uint32_t)index +
					 count_below(cold, count, t->fragments[index].address);
	}
}

static bool link_leb(struct bat_table *t, struct bat_error *err)
{
	uint32_t count = t->fragment_count - t->hot_count;
	struct bat_fragment *cold;

	if (!count)
		return true;
	cold = malloc(count * sizeof(*cold));
	if (!cold)
		return bat_fail_nomem(err);
	memcpy(cold, t->fragments + t->hot_count, count * sizeof(*cold));
	link_hot_index(t, cold, count);
	merge(t->fragments, t->hot_count, cold, count);
	free(cold);
	return true;
}

static uint32_t find_hot(const struct bat_table *t, uint64_t address)
{
	const struct bat_fragment *f = bat_find_exact(t, address);

	if (!f || f->cold)
		return BAT_NO_PARENT;
	return (uint32_t)(f - t->fragments);
}

static void link_fixed(struct bat_table *t)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];

		if (f->cold)
			f->parent = find_hot(t, f->stored_hot);
	}
}

bool bat_link(struct bat_table *t, struct bat_error *err)
{
	if (bat_layout_features(t->layout)->fixed)
		link_fixed(t);
	else if (!link_leb(t, err))
		return false;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];

		if (!f->cold)
			f->parent = i;
		else if (f->parent != BAT_NO_PARENT && t->fragments[f->parent].cold)
			f->parent = BAT_NO_PARENT;
	}
	return true;
}
