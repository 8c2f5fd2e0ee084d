/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/hostile/fuzz/support/naive_bat.h"

#include <stdlib.h>

/* Reading past the end is remembered and gives 0. */
struct in {
	const uint8_t *data;
	size_t size, at;
	bool bad;
};

static uint8_t byte(struct in *in)
{
	if (in->at < in->size)
		return in->data[in->at++];
	in->bad = true;
	return 0;
}

static uint64_t fixed(struct in *in, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value += (uint64_t)byte(in) << 8 * i;
	return value;
}

/* Bit by bit.  Bits from the 64th on must be those of a number of 64 bits. */
static uint64_t leb(struct in *in, bool is_signed)
{
	bool bits[64] = {false}, more = true, last = false, lost[2] = {false, false};
	uint64_t value = 0;
	unsigned count = 0;

	while (more && !in->bad) {
		uint8_t b = byte(in);
		for (unsigned i = 0; i < 7; i++) {
			last = b >> i & 1;
			if (count < 64)
				bits[count++] = last;
			else
				lost[last] = true;
		}
		more = b & 0x80;
	}
	for (unsigned i = 0; i < 64; i++)
		if (i < count ? bits[i] : is_signed && last)
			value |= UINT64_C(1) << i;
	if (count == 64 && lost[is_signed && bits[63] ? 0 : 1])
		in->bad = true;
	return value;
}

static void add_fragment(struct naive_table *t, struct naive_fragment f)
{
	if (!naive_fragments_push(&t->all, f))
		abort();
}

static void add_entry(struct naive_fragment *f, struct naive_entry e)
{
	if (!naive_entries_push(&f->entries, e))
		abort();
}

static bool is_zero(const struct naive_fragment *f)
{
	return f->entries.len && !f->entries.at[0].output && !f->entries.at[0].input;
}

/* Layouts without hashes keep the first of entries that share an output offset. */
static bool is_repeated(const struct naive_fragment *f, uint32_t output)
{
	return f->entries.len && f->entries.at[f->entries.len - 1].output == output;
}

static bool decode_fixed(struct in *in, struct naive_table *t)
{
	uint64_t last = 0;
	uint32_t fragments = (uint32_t)fixed(in, 4);

	for (uint32_t i = 0; i < fragments && !in->bad; i++) {
		struct naive_fragment f = {.address = fixed(in, 8)};
		uint32_t entries = (uint32_t)fixed(in, 4), before = 0;
		bool ordered = !i || f.address > last;
		last = f.address;
		for (uint32_t j = 0; j < entries && !in->bad; j++) {
			uint32_t output = (uint32_t)fixed(in, 4), input = (uint32_t)fixed(in, 4);
			ordered &= output >= before;
			before = output;
			if (!is_repeated(&f, output))
				add_entry(&f,
					  (struct naive_entry){.output = output,
							       .input = input << 1 | input >> 31});
		}
		t->zero_starts += is_zero(&f);
		add_fragment(t, f);
		if (!ordered)
			return false;
	}
	uint32_t pairs = (uint32_t)fixed(in, 4);
	for (uint32_t i = 0; i < pairs && !in->bad; i++) {
		uint64_t cold = fixed(in, 8), hot = fixed(in, 8);
		struct naive_fragment *of = NULL;
		for (size_t j = 0; j < t->all.len; j++)
			if (t->all.at[j].address == cold)
				of = &t->all.at[j];
		if (!of || (i && cold <= last))
			return false;
		last = cold;
		of->cold = true;
		of->stored_hot = hot;
	}
	return true;
}

static void link_fixed(struct naive_table *t)
{
	for (size_t i = 0; i < t->all.len; i++) {
		t->all.at[i].parent = t->all.at[i].cold ? BAT_NO_PARENT : (uint32_t)i;
		for (size_t j = 0; j < t->all.len && t->all.at[i].cold; j++)
			if (!t->all.at[j].cold && t->all.at[j].address == t->all.at[i].stored_hot)
				t->all.at[i].parent = (uint32_t)j;
	}
}

struct running {
	uint64_t output, hot_index;
};

static bool decode_function(struct in *in, enum bat_layout layout, struct running *run,
			    struct naive_fragment *f)
{
	bool hashed = layout == BAT_LAYOUT_HASHED,
	     has_equal = hashed || (layout == BAT_LAYOUT_EQUAL && !f->cold);
	uint64_t skew = 0, secondary = 0, input = 0, index = 0, offset = 0;

	if (f->cold)
		f->stored_hot = run->hot_index += leb(in, false);
	if (f->cold && hashed)
		skew = leb(in, false);
	if (!f->cold && hashed) {
		f->hash = fixed(in, 8);
		f->blocks = (uint32_t)leb(in, false);
		secondary = leb(in, false);
	}
	uint64_t entries = leb(in, false), equal = has_equal ? leb(in, false) : 0;
	size_t mask = in->at;
	if (equal > entries)
		return false;
	for (uint64_t i = 0; i < equal && !in->bad; i += 8)
		byte(in);
	uint32_t before = 0;
	for (uint64_t i = 0; i < entries && !in->bad; i++) {
		struct naive_entry e = {
			.output = (uint32_t)((run->output += leb(in, false)) - f->address)};
		if (e.output < before)
			return false;
		before = e.output;
		if (i < equal)
			input = (e.output + skew) << 1 | (in->data[mask + i / 8] >> i % 8 & 1);
		else
			input += leb(in, true);
		e.input = (uint32_t)input;
		if (hashed && !(input & 1)) {
			e.hash = fixed(in, 8);
			e.index = (uint32_t)(index += leb(in, false));
		}
		if (hashed || !is_repeated(f, e.output))
			add_entry(f, e);
	}
	for (uint64_t i = 0; i < secondary && !in->bad; i++)
		if (!naive_numbers_push(&f->secondary, (uint32_t)(offset += leb(in, false))))
			abort();
	return true;
}

/* Hot functions, then cold ones, as stored.  *hot: how many. */
static bool decode_leb(struct in *in, enum bat_layout layout, struct naive_table *t, uint64_t *hot)
{
	struct running run = {0, 0};

	for (int cold = 0; cold < 2; cold++) {
		uint64_t count = leb(in, false), last = 0;
		for (uint64_t i = 0; i < count && !in->bad; i++) {
			struct naive_fragment f = {.cold = cold};
			f.address = run.output += leb(in, false);
			bool ok = (!i || f.address > last) && decode_function(in, layout, &run, &f);
			last = f.address;
			if (!cold)
				t->zero_starts += is_zero(&f);
			add_fragment(t, f);
			if (!ok)
				return false;
			/* A hot function; or what LLVM 19 and 18 wrote instead. */
			if (cold && !(f.stored_hot < *hot) &&
			    (!*hot || (layout == BAT_LAYOUT_HASHED ? f.stored_hot >= *hot + count :
								     f.stored_hot != i)))
				return false;
		}
		if (!cold)
			*hot = count;
	}
	return true;
}

static void link_leb(enum bat_layout layout, struct naive_table *t, uint64_t hot)
{
	struct naive_fragments stored = t->all;
	bool of_all = false;

	t->all = (struct naive_fragments){0};
	for (size_t i = hot; i < stored.len; i++)
		of_all |= layout == BAT_LAYOUT_HASHED && stored.at[i].stored_hot >= hot;
	/* Both parts ascend: take the lower of the two next ones. */
	for (size_t h = 0, c = hot; h < hot || c < stored.len;)
		add_fragment(
			t, stored.at[c == stored.len || (h < hot && stored.at[h].address <=
									    stored.at[c].address) ?
					     h++ :
					     c++]);
	for (size_t i = 0; i < t->all.len; i++) {
		struct naive_fragment *f = &t->all.at[i];
		f->parent = f->cold ? BAT_NO_PARENT : (uint32_t)i;
		if (!f->cold)
			continue;
		for (size_t j = 0, nth = 0; j < t->all.len; j++) {
			if (!t->all.at[j].cold && nth == f->stored_hot)
				f->parent = (uint32_t)j;
			nth += of_all || !t->all.at[j].cold;
		}
	}
	free(stored.at);
}

bool naive_decode(enum bat_layout layout, const uint8_t *data, size_t size, struct naive_table *out)
{
	struct in in = {data, size, 0, false};
	uint64_t hot = 0;
	bool ok;

	*out = (struct naive_table){0};
	if (layout == BAT_LAYOUT_FIXED)
		ok = decode_fixed(&in, out);
	else
		ok = decode_leb(&in, layout, out, &hot);
	if (!ok || in.bad || in.at != size)
		return false;
	if (layout == BAT_LAYOUT_FIXED)
		link_fixed(out);
	else
		link_leb(layout, out, hot);
	return true;
}

void naive_free(struct naive_table *table)
{
	for (size_t i = 0; i < table->all.len; i++) {
		naive_entries_free(&table->all.at[i].entries);
		naive_numbers_free(&table->all.at[i].secondary);
	}
	naive_fragments_free(&table->all);
}

/* The last stored entry at or before an offset: they do not decrease. */
static const struct naive_entry *entry_at(const struct naive_fragment *f, uint32_t offset)
{
	const struct naive_entry *found = NULL;

	for (size_t i = 0; i < f->entries.len; i++)
		if (f->entries.at[i].output <= offset)
			found = &f->entries.at[i];
	return found;
}

uint32_t naive_translate(const struct naive_fragment *f, uint32_t offset, bool is_source)
{
	const struct naive_entry *e = entry_at(f, offset);

	if (!e)
		return offset;
	return (e->input >> 1) + (is_source ? 0 : offset - e->output);
}

void naive_fallthroughs(const struct naive_fragment *f, uint32_t from, uint32_t to,
			struct naive_numbers *out)
{
	const struct naive_entry *e = entry_at(f, from), *end = entry_at(f, to), *block = NULL;

	if (from >= to || !e)
		return;
	for (const struct naive_entry *b = f->entries.at; b <= e; b++)
		if (!(b->input & 1))
			block = b;
	if (!block || block->output >= end->output)
		return;
	for (const struct naive_entry *b = block + 1; b <= end; b++) {
		if (b->input & 1)
			continue;
		if (!naive_numbers_push(out, block->input >> 1) ||
		    !naive_numbers_push(out, b->input >> 1))
			abort();
		block = b;
	}
}
