/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/bat.h"

const struct bat_fragment *bat_find(const struct bat_table *table,
				    uint64_t address)
{
	const struct bat_fragment *first = table->fragments;
	uint32_t count = table->fragment_count;

	while (count) {
		uint32_t half = count / 2;

		if (first[half].address > address) {
			count = half;
		} else {
			first += half + 1;
			count -= half + 1;
		}
	}
	return first == table->fragments ? NULL : first - 1;
}

const struct bat_fragment *bat_find_exact(const struct bat_table *table,
					  uint64_t address)
{
	const struct bat_fragment *f = bat_find(table, address);

	return f && f->address == address ? f : NULL;
}

const struct bat_entry *bat_entry_at(const struct bat_table *table,
				     const struct bat_fragment *fragment,
				     uint32_t offset)
{
	const struct bat_entry *first = table->entries + fragment->first_entry;
	uint32_t count = fragment->entry_count;

	if (!count || first->output > offset)
		return NULL;
	/* Without a branch: the processor could not predict which half it is. */
	while (count > 1) {
		uint32_t half = count / 2;
		first += first[half].output <= offset ? half : 0;
		count -= half;
	}
	return first;
}

uint32_t bat_translate(const struct bat_table *table,
		       const struct bat_fragment *fragment, uint32_t offset,
		       bool is_source)
{
	const struct bat_entry *e = bat_entry_at(table, fragment, offset);

	if (!e)
		return offset;
	if (is_source)
		return bat_entry_input(*e);
	return bat_entry_input(*e) + (offset - e->output);
}
