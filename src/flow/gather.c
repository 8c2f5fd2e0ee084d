/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/gather.h"

#include <stdlib.h>

/* Lists the rows of all tables in order, each key once: ranges before branches. */
static bool list_rows(const struct count_table *counts, unsigned tables, struct count_rows *rows, size_t *count)
{
	struct count_rows spare = {0};
	size_t all = 0;

	for (unsigned i = 0; i < tables; i++)
		all += counts[i].used;
	*rows = (struct count_rows){malloc((all + 1) * sizeof(*rows->at)), all + 1};
	*count = 0;
	for (unsigned i = 0; rows->at && i < tables; i++)
		for (size_t k = 0; k < counts[i].capacity; k++)
			if (counts[i].rows[k].count)
				rows->at[(*count)++] = counts[i].rows[k];
	if (rows->at)
		*count = count_rows_unify(rows, *count, &spare);
	free(spare.at);
	return rows->at;
}

bool ranges_gather(const struct count_table *counts, unsigned tables, struct ranges *out)
{
	struct count_rows rows;
	size_t count;

	if (!list_rows(counts, tables, &rows, &count))
		return false;
	out->at = malloc((count + 1) * sizeof(*out->at));
	for (size_t i = 0; out->at && i < count; i++) {
		bool range = rows.at[i].key[0] == COUNTED_RANGE;
		out->at[i] = (struct counted_range){rows.at[i].key[1], rows.at[i].key[2], rows.at[i].count};
		out->range_count += range;
		out->branch_count += !range;
	}
	free(rows.at);
	return out->at;
}

uint64_t ranges_base(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr & ~UINT64_C(0xfff);
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){0};
}
