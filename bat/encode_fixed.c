/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/encode.h"
#include "bat/encodable.h"

static uint32_t input_to_fixed(uint32_t input)
{
	return input >> 1 | input << 31;
}

static void write_fragment(struct bat_buffer *s, const struct bat_table *table,
			   const struct bat_fragment *f)
{
	const struct bat_features *features = bat_layout_features(BAT_LAYOUT_FIXED);
	const struct bat_entry *entries = table->entries + f->first_entry;
	uint32_t count = f->entry_count;

	bat_buffer_u64(s, f->address);
	bat_buffer_u32(s, bat_encoded_entries(features, entries, count));
	for (uint32_t i = 0; i < count; i++) {
		if (!bat_encodes_entry(features, entries, count, i))
			continue;
		bat_buffer_u32(s, entries[i].output);
		bat_buffer_u32(s, input_to_fixed(entries[i].input));
	}
}

static bool write_pair(struct bat_buffer *s, const struct bat_table *table,
		       const struct bat_fragment *f, struct bat_error *err)
{
	bat_buffer_u64(s, f->address);
	if (table->layout == BAT_LAYOUT_FIXED)
		bat_buffer_u64(s, f->stored_hot);
	else if (f->parent != BAT_NO_PARENT)
		bat_buffer_u64(s, table->fragments[f->parent].address);
	else
		return bat_fail_unencodable(BAT_LAYOUT_FIXED, f, "it has no parent", err);
	return true;
}

bool bat_write_fixed(struct bat_buffer *s, const struct bat_table *table,
		     struct bat_error *err)
{
	const struct bat_fragment *fragments = table->fragments;
	uint32_t count = table->fragment_count;

	bat_buffer_u32(s, count);
	for (uint32_t i = 0; i < count; i++) {
		if (i && fragments[i].address == fragments[i - 1].address)
			return bat_fail_unencodable(BAT_LAYOUT_FIXED, &fragments[i],
					       "another begins there", err);
		write_fragment(s, table, &fragments[i]);
	}
	bat_buffer_u32(s, count - table->hot_count);
	for (uint32_t i = 0; i < count; i++)
		if (fragments[i].cold &&
		    !write_pair(s, table, &fragments[i], err))
			return false;
	return true;
}
