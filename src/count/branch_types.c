/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/branch_types.h"

/* In a recording with types few have none. */
#define LOOK_AT 4

bool branch_types_seen(const struct branch *branches, size_t count)
{
	uint64_t types = 0;

	for (size_t i = 0; i < count && i < LOOK_AT; i++)
		types |= branches[i].flags & BRANCH_TYPE;
	return types;
}

static bool take_set(struct number_set *to, const struct number_set *from)
{
	bool ok = !from->has_zero || number_set_add(to, 0);

	for (size_t i = 0; ok && i < from->capacity; i++)
		ok = !from->at[i] || number_set_add(to, from->at[i]);
	return ok;
}

bool branch_types_take(struct branch_types *to, struct branch_types *from)
{
	bool ok = take_set(&to->inside, &from->inside) && take_set(&to->outside, &from->outside);

	for (size_t i = 0; ok && i < from->waiting.capacity; i++) {
		const struct count_row *row = &from->waiting.rows[i];
		ok = !row->count || count_table_add(&to->waiting, row->key, row->count, row->extra);
	}
	branch_types_free(from);
	return ok;
}

void branch_types_free(struct branch_types *types)
{
	number_set_free(&types->inside);
	number_set_free(&types->outside);
	count_table_free(&types->waiting);
}
