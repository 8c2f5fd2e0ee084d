/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls, of which the profile knows more than a walk of the traces: the callee of a call that llvm-bolt
 * inlined or folded.
 */
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/flow/ranges.h"

DEFINE_VEC(range_vec, struct counted_range);

static bool range_less(const struct counted_range *a, const struct counted_range *b)
{
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}
DEFINE_SORT(sort_ranges, struct counted_range, range_less)

/* The function of the input, or NULL: not known, or a PLT entry, which is outside for llvm-profgen. */
static const struct function *input_function(const struct pair *pair, const struct function *f)
{
	const struct function *in = f && pair ? pair_input_of(pair, f) : f;

	return in && in->kind == FUNCTION_CODE ? in : NULL;
}

/* Adds a record that leads to the beginning of a function. */
static bool add_call(const struct pair *pair, const struct record *record, struct range_vec *out)
{
	const struct function *to = record->to.offset || record->kind == RECORD_SAMPLE ? NULL : input_function(pair, record->to.function);
	const struct function *from = record->kind == RECORD_BRANCH ? input_function(pair, record->from.function) : NULL;

	if (!to || !record->count)
		return true;
	uint64_t source = from ? from->address + record->from.offset : RANGE_FROM_OUTSIDE;
	return range_vec_push(out, (struct counted_range){source, to->address, record->count});
}

/* Is it one that the profile has, too?  A return from outside to the beginning of a function is no call. */
static bool is_call(const struct function_table *functions, const struct counted_range *branch)
{
	return branch->from != RANGE_FROM_OUTSIDE && functions_code_at(functions, branch->to);
}

/* Adds up the counts of equal branches, which stand next to each other. */
static size_t unify(struct counted_range *at, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct counted_range *last = kept ? &at[kept - 1] : NULL;
		if (last && last->from == at[i].from && last->to == at[i].to)
			last->count = count_add_saturating(last->count, at[i].count);
		else
			at[kept++] = at[i];
	}
	return kept;
}

bool ranges_take_calls(const struct profile *profile, const struct pair *pair, struct ranges *ranges, struct bc_error *err)
{
	const struct function_table *functions = pair ? &pair->functions : &profile->binary->functions;
	struct range_vec all = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < ranges->range_count + ranges->branch_count; i++)
		if (i < ranges->range_count || !is_call(functions, &ranges->at[i]))
			ok = range_vec_push(&all, ranges->at[i]);
	for (size_t i = 0; ok && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		ok = add_call(pair, &record, &all);
	}
	if (!ok) {
		range_vec_free(&all);
		return bc_fail_nomem(err);
	}
	size_t branches = all.len - ranges->range_count;
	if (branches)
		sort_ranges(all.at + ranges->range_count, branches);
	ranges->branch_count = branches ? unify(all.at + ranges->range_count, branches) : 0;
	free(ranges->at);
	ranges->at = all.at;
	return true;
}
