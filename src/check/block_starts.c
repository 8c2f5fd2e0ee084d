/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/check/code.h"

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

bool block_starts_make(const struct bat_table *bat, struct block_starts *out)
{
	struct block_starts starts = {malloc((bat->entry_count + (size_t)1) * sizeof(*starts.at)), 0};

	if (!starts.at)
		return false;
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		for (uint32_t k = 0; k < f->entry_count; k++) {
			struct bat_entry e = bat->entries[f->first_entry + k];
			if (!bat_entry_is_branch(e))
				starts.at[starts.count++] = (uint64_t)f->parent << 32 | bat_entry_input(e);
		}
	}
	qsort(starts.at, starts.count, sizeof(*starts.at), by_value);
	*out = starts;
	return true;
}

bool block_starts_has(const struct block_starts *starts, uint32_t parent, uint64_t input)
{
	uint64_t key = (uint64_t)parent << 32 | input;
	size_t low = 0, high = starts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (starts->at[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return input <= UINT32_MAX && low < starts->count && starts->at[low] == key;
}
