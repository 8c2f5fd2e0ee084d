/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/build_bat.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

void build_u8(struct build_bat *b, uint8_t value)
{
	assert(b->size < sizeof(b->data));
	b->data[b->size++] = value;
}

void build_u32(struct build_bat *b, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		build_u8(b, (uint8_t)(value >> 8 * i));
}

void build_u64(struct build_bat *b, uint64_t value)
{
	build_u32(b, (uint32_t)value);
	build_u32(b, (uint32_t)(value >> 32));
}

void build_uleb(struct build_bat *b, uint64_t value)
{
	build_padded_uleb(b, value, 0);
}

void build_padded_uleb(struct build_bat *b, uint64_t value, unsigned padding)
{
	for (; value >= 0x80; value >>= 7)
		build_u8(b, (uint8_t)(value | 0x80));
	build_u8(b, (uint8_t)(value | (padding ? 0x80 : 0)));
	for (; padding; padding--)
		build_u8(b, padding > 1 ? 0x80 : 0);
}

void build_sleb(struct build_bat *b, int64_t value)
{
	while (value < -64 || value > 63) {
		build_u8(b, (uint8_t)(value | 0x80));
		value = (value - (value & 0x7f)) / 128;
	}
	build_u8(b, value & 0x7f);
}

static bool same_blocks(const struct bat_table *a, uint32_t first_a, const struct bat_table *b,
			uint32_t first_b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a->blocks[first_a + i].hash != b->blocks[first_b + i].hash ||
		    a->blocks[first_a + i].index != b->blocks[first_b + i].index)
			return false;
	return true;
}

static bool same_fragment(const struct bat_table *a, const struct bat_table *b, uint32_t i)
{
	const struct bat_fragment *x = &a->fragments[i];
	const struct bat_fragment *y = &b->fragments[i];

	return x->address == y->address && x->hash == y->hash && x->cold == y->cold &&
	       x->parent == y->parent && x->block_count == y->block_count &&
	       x->entry_count == y->entry_count && x->secondary_count == y->secondary_count &&
	       !memcmp(a->entries + x->first_entry, b->entries + y->first_entry,
		       x->entry_count * sizeof(*a->entries)) &&
	       !memcmp(a->secondary + x->first_secondary, b->secondary + y->first_secondary,
		       x->secondary_count * sizeof(*a->secondary)) &&
	       (!a->blocks || same_blocks(a, x->first_entry, b, y->first_entry, x->entry_count));
}

bool bat_same_table(const struct bat_table *a, const struct bat_table *b)
{
	if (a->layout != b->layout || a->fragment_count != b->fragment_count ||
	    a->hot_count != b->hot_count || a->entry_count != b->entry_count ||
	    a->secondary_count != b->secondary_count || !a->blocks != !b->blocks)
		return false;
	for (uint32_t i = 0; i < a->fragment_count; i++)
		if (!same_fragment(a, b, i))
			return false;
	return true;
}
