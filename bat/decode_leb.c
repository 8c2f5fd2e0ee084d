/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layouts delta, equal and hashed: a table of hot functions, then one of
 * cold fragments.  Nearly every number is a difference modulo 2^64 from the one
 * before it, so a step backwards is a ten-byte ULEB128.
 */
#include "bat/decode.h"

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
	uint64_t skew;       /* of the leading entries: input - output          */
	uint32_t count;
	uint32_t equal;      /* this many entries have no InputOffset, only ... */
	const uint8_t *mask; /* ... a bit each                                  */
};

static bool has_equal(const struct reader *r)
{
	return r->cold ? r->features->equal_cold : r->features->equal_hot;
}

static bool read_count(struct reader *r, const char *field, const char *items,
		       size_t item_size, uint32_t *out)
{
	struct bat_cursor *in = &r->p->in;
	const uint8_t *at = in->pos;
	uint64_t count;

	if (!cursor_uleb(in, field, &count) ||
	    !cursor_fits(in, at, field, items, count, item_size))
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
	if (!cursor_u64(in, "FuncHash", &f->hash) ||
	    !cursor_uleb(in, "NumBlocks", &blocks))
		return false;
	f->block_count = (uint32_t)blocks;
	return read_count(r, "NumSecEntryPoints", "entry points", 1,
			  &f->secondary_count);
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

static bool read_cold_header(struct reader *r, struct bat_fragment *f,
			     uint64_t *skew)
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
				       (unsigned long long)r->hot_index,
				       r->p->hot);
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
		return bat_cursor_fail(in, at, "EqualElems", BAT_CAUSE_RANGE,
				   "%llu of %u entries",
				   (unsigned long long)equal, s->count);
	s->equal = (uint32_t)equal;
	return cursor_bytes(in, (s->equal + (size_t)7) / 8, "BranchEntries",
			    &s->mask);
}

/* The hash and index of a block.  Branch entries have none. */
static bool read_block(struct reader *r, struct bat_entry entry,
		       struct bat_block *block)
{
	struct bat_cursor *in = &r->p->in;
	uint64_t delta;

	block->hash = 0;
	if (bat_entry_is_branch(entry))
		return true;
	if (!cursor_u64(in, "BBHash", &block->hash) ||
	    !cursor_uleb(in, "BBIdx", &delta))
		return false;
	block->index += (uint32_t)delta;
	return true;
}

static void add_block(struct bat_pass *p, struct bat_entry entry,
		      struct bat_block block)
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
		*input = (entry->output + s->skew) << 1 |
			 ((uint32_t)s->mask[j / 8] >> j % 8 & 1);
	else if (cursor_sleb(in, "InputOffset", &delta))
		*input += delta;
	else
		return false;
	entry->input = (uint32_t)*input;
	return true;
}

static bool read_entries(struct reader *r, struct bat_fragment *f,
			 const struct entry_encoding *s)
{
	struct bat_pass *p = r->p;
	struct bat_block block = { 0, 0 };
	struct bat_entry entry = { 0, 0 };
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
	struct bat_fragment f = { .address = r->output, .cold = r->cold };
	struct entry_encoding s = { .skew = 0 };

	if (!(r->cold ? read_cold_header(r, &f, &s.skew)
		      : read_hot_header(r, &f)) ||
	    !read_count(r, "NumEntries", "entries", 1, &s.count) ||
	    (has_equal(r) && !read_equal_elems(r, &s)) ||
	    !read_entries(r, &f, &s) || !read_secondary(r, &f))
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

	if (!read_count(r, "NumFuncs", "functions", function_size(r),
			&r->functions) ||
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

bool bat_read_leb(struct bat_pass *p, const struct bat_features *features)
{
	struct reader r = { .p = p, .features = features };

	if (!read_functions(&r))
		return false;
	p->hot = p->fragments;
	r.cold = true;
	return read_functions(&r) && pass_ends(p);
}
