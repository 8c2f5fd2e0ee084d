/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/region_table.h"

void region_table_free(struct region_table *table)
{
	mapping_vec_free(&table->all);
	map_free(&table->numbers);
}

static uint64_t hash(uint64_t seed, const struct mapping *m)
{
	uint64_t h = hash_mix(hash_mix(hash_mix(seed, m->start), m->end), m->offset);

	return hash_end(hash_mix(h, (uint64_t)m->file << 32 | m->flags));
}

static bool is_equal(const struct mapping *all, uint32_t number, const struct mapping *b)
{
	const struct mapping *a = &all[number];

	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->file == b->file &&
	       a->flags == b->flags;
}
DEFINE_MAP(numbers, const struct mapping *, const struct mapping *, hash, is_equal);

bool region_table_intern(struct region_table *table, const struct mapping *mapping, uint32_t *out)
{
	if (numbers_find(&table->numbers, table->all.at, mapping, out))
		return true;
	if (!map_reserve(&table->numbers, 1) || !mapping_vec_push(&table->all, *mapping))
		return false;
	*out = (uint32_t)table->all.len - 1;
	numbers_put(&table->numbers, mapping, *out);
	return true;
}
