/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damage to stored fields. */
#include "tests/support/mutate_find.h"

static bool desc_cut(const struct world *w, struct buffer *desc)
{
	const struct bat_field *pairs = world_field(w, "NumCold", 0, NULL);

	/* If the count stayed, the layout `fixed` would report that the count is too large. */
	desc->size = pairs ? pairs->byte + 2 : desc->size - 1;
	return true;
}

static bool desc_left_over(const struct world *w, struct buffer *desc)
{
	(void)w;
	buffer_replace(desc, desc->size, 0, "\0\0\0\0", 4);
	return true;
}

static bool in_middle(const struct world *w, const struct bat_field *f)
{
	return f->byte > w->subject.desc.size / 2;
}

static bool replace_field(const struct world *w, struct buffer *desc, const char *name,
			  const void *with, size_t size)
{
	const struct bat_field *f = world_field(w, name, 0, in_middle);

	if (f)
		buffer_replace(desc, f->byte, f->size, with, size);
	return f;
}

static bool desc_wide(const struct world *w, struct buffer *desc)
{
	return w->subject.bat.layout != BAT_LAYOUT_FIXED &&
	       replace_field(w, desc, "OutputOffset", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
			     10);
}

static bool desc_wide_input(const struct world *w, struct buffer *desc)
{
	return w->subject.bat.layout != BAT_LAYOUT_FIXED &&
	       replace_field(w, desc, "InputOffset", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f",
			     11);
}

static bool desc_many_entries(const struct world *w, struct buffer *desc)
{
	bool fixed = w->subject.bat.layout == BAT_LAYOUT_FIXED;

	return replace_field(w, desc, "NumEntries", "\xff\xff\xff\x7f", fixed ? 4 : 4);
}

static bool desc_many_cold(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumCold", "\xff\xff\xff\x7f", 4);
}

static bool desc_many_functions(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumFuncs", "\xff\xff\xff\x7f", 4);
}

static bool desc_many_secondary(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "NumSecEntryPoints", "\xff\xff\xff\x7f", 4);
}

static bool before_entries(const struct world *w, const struct bat_field *f)
{
	/* NumEntries is right before EqualElems. */
	return in_middle(w, f) && f[-1].value < 0x7f;
}

static bool desc_equal_elems(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "EqualElems", 0, before_entries);

	if (f)
		desc->data[f->byte] = (uint8_t)(f[-1].value + 1);
	return f;
}

static bool desc_hot_index(const struct world *w, struct buffer *desc)
{
	return replace_field(w, desc, "HotIndex", "\xff\xff\x7f", 3);
}

static bool desc_cold_address(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "ColdAddress", 0, in_middle);

	if (f)
		desc->data[f->byte]++;
	return f;
}

static size_t put_uleb(uint8_t *out, uint64_t value)
{
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		out[size++] = (uint8_t)(value | 0x80);
	out[size++] = (uint8_t)value;
	return size;
}

/* Puts a fragment at the address of the one before it. */
static bool same_address(const struct world *w, struct buffer *desc, bool cold)
{
	bool fixed = w->subject.bat.layout == BAT_LAYOUT_FIXED;
	const struct bat_field *last = NULL;
	uint8_t bytes[10];

	for (size_t i = 0; i < w->field_count; i++) {
		const struct bat_field *f = &w->fields[i];
		if (f->cold != cold || strcmp(f->name, fixed ? "OutputAddress" : "Address"))
			continue;
		bool early = !last || (!cold && !in_middle(w, f));
		if (!early && fixed) {
			memcpy(desc->data + f->byte, desc->data + last->byte, 8);
			return true;
		}
		if (!early) {
			size_t size = put_uleb(bytes, f->stored - (f->value - last->value));
			buffer_replace(desc, f->byte, f->size, bytes, size);
			return true;
		}
		last = f;
	}
	return false;
}

static bool desc_address_order(const struct world *w, struct buffer *desc)
{
	return same_address(w, desc, false);
}

static bool desc_cold_address_order(const struct world *w, struct buffer *desc)
{
	return same_address(w, desc, true);
}

static bool behind_another(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f->entry > 1 && f->stored > 1;
}

static bool desc_offset_order(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "OutputOffset", 0, behind_another);
	uint8_t bytes[10];

	if (f && w->subject.bat.layout == BAT_LAYOUT_FIXED)
		memset(desc->data + f->byte, 0, 4);
	else if (f)
		buffer_replace(desc, f->byte, f->size, bytes, put_uleb(bytes, UINT64_MAX));
	return f;
}

static bool pad_number(const struct world *w, struct buffer *desc, const char *name)
{
	const struct bat_field *f = world_field(w, name, 0, in_middle);
	bool negative = f && f->encoding == BAT_ENCODING_SLEB && f->stored >> 63;

	if (!f || (f->encoding != BAT_ENCODING_ULEB && f->encoding != BAT_ENCODING_SLEB))
		return false;
	desc->data[f->byte + f->size - 1] |= 0x80;
	buffer_replace(desc, f->byte + f->size, 0, negative ? "\x7f" : "\0", 1);
	return true;
}

static bool desc_padded_offset(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "OutputOffset");
}

static bool desc_padded_input(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "InputOffset");
}

static bool desc_padded_count(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "NumEntries");
}

static bool desc_padded_index(const struct world *w, struct buffer *desc)
{
	return pad_number(w, desc, "BBIdx");
}

static bool has_spare_bits(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f[-1].value % 8;
}

static bool desc_mask_bits(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "BranchEntries", 0, has_spare_bits);

	if (f)
		desc->data[f->byte + f->size - 1] |= 0x80;
	return f;
}

/* Makes EqualElems 0 where it could be 1: the entry 0 -> 0 is stored in full. */
static bool one_equal(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && !f->cold && f->value == 1;
}

static bool desc_equal_short(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "EqualElems", 0, one_equal);

	if (!f || f[2].value)
		return false;
	buffer_replace(desc, f[2].byte + f[2].size, 0, "\0", 1); /* InputOffset */
	buffer_replace(desc, f->byte, 2, "\0", 1);               /* and no mask */
	return true;
}

static bool small_count(const struct world *w, const struct bat_field *f)
{
	return in_middle(w, f) && f->value > 2 && f->value < 0x7f && f[1].entry == 0;
}

/* Repeats the second entry, in a layout that keeps one entry for each offset. */
static bool desc_entry_twice(const struct world *w, struct buffer *desc)
{
	const struct bat_field *f = world_field(w, "NumEntries", 0, small_count);
	uint8_t entry[8];

	if (!f || w->subject.bat.layout == BAT_LAYOUT_HASHED ||
	    w->subject.bat.layout == BAT_LAYOUT_EQUAL)
		return false;
	const struct bat_field *second = f + 3;
	if (w->subject.bat.layout == BAT_LAYOUT_FIXED) {
		memcpy(entry, desc->data + second->byte, 8);
		buffer_replace(desc, second->byte + 8, 0, entry, 8);
	} else {
		buffer_replace(desc, second[1].byte + second[1].size, 0, "\0\0", 2);
	}
	desc->data[f->byte]++;
	return true;
}

const struct mutation desc_mutations[] = {
	{"descriptor cut", FINDING_DESC_CUT, ALONE, .desc = desc_cut},
	{"descriptor with more bytes", FINDING_DESC_LEFT, ALONE, .desc = desc_left_over},
	{"OutputOffset of 70 bits", FINDING_NUMBER_WIDE, ALONE, .desc = desc_wide},
	{"InputOffset of 77 bits", FINDING_NUMBER_WIDE, ALONE, .desc = desc_wide_input},
	{"NumEntries too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_entries},
	{"NumCold too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_cold},
	{"NumFuncs too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_functions},
	{"NumSecEntryPoints too large", FINDING_COUNT_LARGE, ALONE, .desc = desc_many_secondary},
	{"EqualElems too large", FINDING_EQUAL_RANGE, ALONE, .desc = desc_equal_elems},
	{"HotIndex too large", FINDING_HOT_INDEX_RANGE, ALONE, .desc = desc_hot_index},
	{"ColdAddress of no fragment", FINDING_COLD_ADDRESS, ALONE, .desc = desc_cold_address},
	{"two fragments at one address", FINDING_ADDRESS_ORDER, ALONE, .desc = desc_address_order},
	{"two cold fragments at one address", FINDING_ADDRESS_ORDER, ALONE,
	 .desc = desc_cold_address_order},
	{"OutputOffset steps back", FINDING_OFFSET_ORDER, ALONE, .desc = desc_offset_order},
	{"OutputOffset padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_offset},
	{"InputOffset padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_input},
	{"NumEntries padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_count},
	{"BBIdx padded", FINDING_NUMBER_PADDED, ALONE, .desc = desc_padded_index},
	{"bits behind the mask", FINDING_MASK_BITS, ALONE, .desc = desc_mask_bits},
	{"EqualElems shorter than it can be", FINDING_NOT_CANONICAL, ALONE,
	 .desc = desc_equal_short},
	{"entry stored twice", FINDING_NOT_CANONICAL, ALONE, .desc = desc_entry_twice},
	{.name = NULL},
};
