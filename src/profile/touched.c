/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/touched.h"

#include "src/elf/translate.h"

static void touch(const struct binary *binary, struct vaddr at, const struct function **near,
		  struct code_marks *touched)
{
	struct output_place place = binary_place(binary, at, *near);

	*near = place.function;
	if (place.function)
		*code_marks_of(touched, functions_code_number(&binary->functions, place.function)) = true;
}

bool touched_functions(const struct aggregate *aggregate, const struct binary *binary, bool basic,
		       struct code_marks *out)
{
	const struct counts *counts = basic ? &aggregate->totals.basic : &aggregate->totals.traces;
	const struct function *near = NULL, *source = NULL;

	if (!code_marks_make(out, &binary->functions))
		return false;
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = &counts->shards[shard];
		for (size_t i = 0; i < table->used; i++) {
			touch(binary, (struct vaddr){table->rows[i].key[0]}, &near, out);
			if (!basic)
				touch(binary, trace_end_vaddr(trace_of(table->rows[i].key).branch), &source, out);
		}
	}
	return true;
}
