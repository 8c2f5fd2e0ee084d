/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/touched.h"

#include <stdlib.h>

#include "src/elf/translate.h"

static void touch(const struct binary *binary, struct vaddr at, const struct function **near, bool *touched)
{
	struct output_place place = binary_place(binary, at, *near);

	*near = place.function;
	if (place.function)
		touched[place.function - binary->functions.at] = true;
}

bool *touched_functions(const struct aggregate *aggregate, const struct binary *binary, bool basic)
{
	const struct counts *counts = basic ? &aggregate->totals.basic : &aggregate->totals.traces;
	bool *touched = calloc(binary->functions.count + 1, sizeof(*touched));
	const struct function *near = NULL, *source = NULL;

	for (size_t shard = 0; touched && shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = &counts->shards[shard];
		for (size_t i = 0; i < table->used; i++) {
			touch(binary, (struct vaddr){table->rows[i].key[0]}, &near, touched);
			if (!basic)
				touch(binary, trace_end_vaddr(trace_of(table->rows[i].key).branch), &source, touched);
		}
	}
	return touched;
}
