/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/number_set.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void number_set_free(struct number_set *set)
{
	free(set->at);
	*set = (struct number_set){0};
}

static bool grow(struct number_set *set)
{
	struct number_set bigger = {.used = set->used, .has_zero = set->has_zero,
				    .seed = set->seed ? set->seed : hash_seed()};

	bigger.capacity = set->capacity ? 2 * set->capacity : FIRST_CAPACITY;
	bigger.at = calloc(bigger.capacity, sizeof(*bigger.at));
	if (!bigger.at)
		return false;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->at[i])
			*number_set_probe(&bigger, set->at[i]) = set->at[i];
	free(set->at);
	*set = bigger;
	return true;
}

bool number_set_add(struct number_set *set, uint64_t number)
{
	set->has_zero |= !number;
	if (!number)
		return true;
	/* At most half full: most numbers that are looked for are not there. */
	if (set->used >= set->capacity / 2 && !grow(set))
		return false;
	uint64_t *place = number_set_probe(set, number);
	set->used += !*place;
	*place = number;
	return true;
}
