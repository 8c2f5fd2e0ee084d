/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/last_snapshots.h"

#include <stdlib.h>

bool last_snapshots_init(struct last_snapshots *lasts, size_t count)
{
	size_t capacity = 16;

	while (capacity < 2 * count)
		capacity *= 2;
	lasts->mask = capacity - 1;
	lasts->slots = calloc(capacity, sizeof(*lasts->slots));
	return lasts->slots;
}

void last_snapshots_free(struct last_snapshots *lasts)
{
	free(lasts->slots);
}

uint32_t *last_snapshot_of(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			   uint32_t pid)
{
	size_t i = (size_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & lasts->mask;

	while (lasts->slots[i] && snapshots->all.at[lasts->slots[i] - 1].pid != pid)
		i = (i + 1) & lasts->mask;
	return &lasts->slots[i];
}
