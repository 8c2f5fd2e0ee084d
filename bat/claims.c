/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/claims.h"

#include <stdlib.h>

bool bat_claims_init(struct bat_claims *c, size_t count)
{
	size_t slots = 16;

	/* At most half full: a search ends soon, and always. */
	while (slots / 2 < count)
		slots *= 2;
	c->slots = calloc(slots, sizeof(*c->slots));
	c->mask = slots - 1;
	return c->slots;
}

void bat_claims_fini(struct bat_claims *c)
{
	free(c->slots);
}

/* The pair's slot, or the free one where it would go. */
static uint64_t *find_slot(const struct bat_claims *c, uint64_t pair)
{
	uint64_t hash = pair * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash ^ hash >> 32) & c->mask;

	while (c->slots[i] && c->slots[i] != pair)
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

static uint64_t pair_of(uint32_t hot, uint32_t what)
{
	return ((uint64_t)hot + 1) << 32 | what;
}

void bat_claims_add(struct bat_claims *c, uint32_t hot, uint32_t what)
{
	uint64_t pair = pair_of(hot, what);

	*find_slot(c, pair) = pair;
}

bool bat_claims_has(const struct bat_claims *c, uint32_t hot, uint32_t what)
{
	return *find_slot(c, pair_of(hot, what));
}
