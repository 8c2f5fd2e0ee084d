/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/offset_set.h"

#include <stdlib.h>

bool bat_offset_set_init(struct bat_offset_set *set, size_t count)
{
	size_t slots = 16;

	/* At least half of the slots stay free, so that every search ends soon. */
	while (slots / 2 < count)
		slots *= 2;
	set->slots = calloc(slots, sizeof(*set->slots));
	set->mask = slots - 1;
	/* An address that changes from run to run: whoever wrote the section
	 * could not make all pairs collide. */
	set->seed = (uint64_t)(uintptr_t)set->slots * 0xc2b2ae3d27d4eb4fu;
	return set->slots;
}

void bat_offset_set_free(struct bat_offset_set *set)
{
	free(set->slots);
}

/* The slot that holds the pair, or the free slot where it belongs. */
static uint64_t *find_slot(const struct bat_offset_set *set, uint64_t pair)
{
	uint64_t hash = (pair ^ set->seed) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash ^ hash >> 32) & set->mask;

	while (set->slots[i] && set->slots[i] != pair)
		i = (i + 1) & set->mask;
	return &set->slots[i];
}

/* Never 0. */
static uint64_t pair_of(uint32_t hot, uint32_t offset)
{
	return ((uint64_t)hot + 1) << 32 | offset;
}

void bat_offset_set_add(struct bat_offset_set *set, uint32_t hot,
			uint32_t offset)
{
	uint64_t pair = pair_of(hot, offset);

	*find_slot(set, pair) = pair;
}

bool bat_offset_set_has(const struct bat_offset_set *set, uint32_t hot,
			uint32_t offset)
{
	return *find_slot(set, pair_of(hot, offset));
}
