/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/returns.h"

#include <stdlib.h>

/* In a recording with types few have none. */
#define LOOK_AT 4

bool branch_types_seen(const struct branch *branches, size_t count)
{
	uint64_t types = 0;

	for (size_t i = 0; i < count && i < LOOK_AT; i++)
		types |= branches[i].flags & BRANCH_TYPE;
	return types;
}

void branch_types_wait(struct branch_types *types, const struct branch *b, struct trace_end from,
		       struct trace_end to, bool extra)
{
	const uint64_t key[COUNT_KEY_WORDS] = {from.word, b->from, to.word};

	if (!count_table_add(&types->waiting, key, 1, extra))
		types->no_memory = true;
}

void returns_free(struct returns *returns)
{
	free(returns->filter);
	number_set_free(&returns->branches);
	*returns = (struct returns){0};
}

bool returns_add(struct returns *returns, struct trace_end branch)
{
	if (!returns->filter && !(returns->filter = calloc(1, sizeof(*returns->filter))))
		return false;
	bit_filter_add(returns->filter, branch.word);
	return number_set_add(&returns->branches, branch.word);
}

struct trace_end branch_types_return(struct branch_types *types, const struct branch *b,
				     struct trace_end branch, struct trace_end from)
{
	bool inside = !trace_end_is(branch, TRACE_END_EXTERNAL);
	struct number_set *set = inside ? &types->inside : &types->outside;
	uint64_t source = inside ? branch.word : b->from;

	if (!inside && trace_end_is(from, TRACE_END_EXTERNAL))
		return branch;
	if (!number_set_has(set, source) && !number_set_add(set, source))
		types->no_memory = true;
	return inside ? branch : trace_end_of(TRACE_END_FT_RETURN);
}

bool branch_types_settle(const struct branch_types *types, uint64_t key[COUNT_KEY_WORDS])
{
	bool returns = number_set_has(&types->outside, key[1]);

	key[1] = trace_end_of(returns ? TRACE_END_FT_RETURN : TRACE_END_EXTERNAL).word;
	return returns;
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
