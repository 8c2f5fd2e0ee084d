/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the row of a key in settled counts, by looking at all rows; NULL: there is none. */
#ifndef TESTS_SUPPORT_FIND_ROW_H
#define TESTS_SUPPORT_FIND_ROW_H

#include "src/base/counts.h"

static inline const struct count_row *find_row(const struct counts *counts,
					       const uint64_t key[COUNT_KEY_WORDS])
{
	for (size_t s = 0; s < COUNTS_SHARDS; s++)
		for (size_t i = 0; i < counts->shards[s].used; i++)
			if (!memcmp(counts->shards[s].rows[i].key, key,
				    sizeof(counts->shards[s].rows[i].key)))
				return &counts->shards[s].rows[i];
	return NULL;
}

#endif
