/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/mutate_find.h"

#include <elf.h>

struct bat_entry *entries_of(struct bat_table *t, uint32_t fragment)
{
	return t->entries + t->fragments[fragment].first_entry;
}

bool hashed(const struct bat_table *t)
{
	return t->layout == BAT_LAYOUT_HASHED;
}

bool has_cold(const struct bat_table *t, uint32_t fragment)
{
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold && t->fragments[i].parent == fragment)
			return true;
	return false;
}

static bool is_function(const struct world *w, uint32_t fragment)
{
	const struct symbol_table *symbols = &w->subject.functions.symbols;
	uint64_t address = w->subject.bat.fragments[fragment].address;

	for (size_t i = symbols_above(symbols, address - 1); i < symbols_above(symbols, address);
	     i++)
		if (symbols->at[i].type == STT_FUNC && symbols->at[i].size)
			return true;
	return false;
}

uint32_t whole_function(const struct world *w)
{
	const struct bat_table *t = &w->subject.bat;

	for (uint32_t i = 1; i < t->fragment_count; i++)
		if (!t->fragments[i].cold && !has_cold(t, i) && is_function(w, i) &&
		    t->fragments[i].entry_count > 1)
			return i;
	return NO_INDEX;
}

bool find_pair(const struct world *w, const struct bat_table *t, struct pair *out)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		uint32_t a = NO_INDEX, b = NO_INDEX;
		if (f->cold || has_cold(&w->subject.bat, i))
			continue;
		/* Find the two blocks with the largest input offsets. */
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++) {
			if (bat_entry_is_branch(t->entries[k]) || !t->entries[k].input)
				continue;
			if (b == NO_INDEX || t->entries[k].input > t->entries[b].input) {
				a = b;
				b = k;
			} else if (a == NO_INDEX || t->entries[k].input > t->entries[a].input) {
				a = k;
			}
		}
		if (a != NO_INDEX) {
			*out = (struct pair){a, b};
			return true;
		}
	}
	return false;
}
