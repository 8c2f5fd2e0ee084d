/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/region_table.h"

#include <stdlib.h>

#include "src/base/count_table.h"

void region_table_free(struct region_table *table)
{
	mapping_vec_free(&table->all);
	free(table->slots);
}

static uint64_t hash(const struct mapping *m)
{
	uint64_t h = count_mix(count_mix(count_mix(count_seed, m->start), m->end), m->offset);

	h = count_mix(h, (uint64_t)m->file << 32 | m->flags);
	return h ^ h >> 32;
}

static bool is_equal(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->file == b->file &&
	       a->flags == b->flags;
}

static uint32_t *probe(const struct region_table *table, const struct mapping *mapping)
{
	size_t mask = table->slot_count - 1;

	for (size_t i = (size_t)hash(mapping) & mask;; i = (i + 1) & mask)
		if (!table->slots[i] || is_equal(&table->all.at[table->slots[i] - 1], mapping))
			return &table->slots[i];
}

static bool grow(struct region_table *table)
{
	struct region_table bigger = *table;

	bigger.slot_count = table->slot_count ? 2 * table->slot_count : 256;
	bigger.slots = calloc(bigger.slot_count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (uint32_t i = 0; i < table->all.len; i++)
		*probe(&bigger, &table->all.at[i]) = i + 1;
	free(table->slots);
	*table = bigger;
	return true;
}

bool region_table_intern(struct region_table *table, const struct mapping *mapping, uint32_t *out)
{
	if (table->all.len >= table->slot_count / 4 * 3 && !grow(table))
		return false;
	uint32_t *slot = probe(table, mapping);
	if (!*slot) {
		if (table->all.len >= UINT32_MAX - 1 || !mapping_vec_push(&table->all, *mapping))
			return false;
		*slot = (uint32_t)table->all.len;
	}
	*out = *slot - 1;
	return true;
}
