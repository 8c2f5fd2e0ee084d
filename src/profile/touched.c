/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/touched.h"

static void touch(struct location at, struct code_marks *touched)
{
	if (at.function != LOCATION_NONE)
		*code_marks_of(touched, (struct code_number){at.function}) = true;
}

bool touched_functions(struct located_counts *located, struct code_marks *out)
{
	if (!code_marks_make(out, &located->binary->functions))
		return false;
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(located, shard);
		for (size_t i = 0; i < table->used; i++) {
			const struct location *row = located_row(located, shard, i);
			touch(row[END_FROM], out);
			if (!located->basic)
				touch(row[END_BRANCH], out);
		}
	}
	return true;
}
