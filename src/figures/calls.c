/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/calls.h"

#include "src/base/counts.h"
#include "src/base/sort.h"

static bool before(const struct call_count *a, const struct call_count *b)
{
	return a->block != b->block ? a->block < b->block : a->to < b->to;
}
DEFINE_SORT(sort_by_block, struct call_count, before)

static bool hotter(const struct call_count *a, const struct call_count *b)
{
	return a->count != b->count ? a->count > b->count : before(a, b);
}
DEFINE_SORT(sort_by_count, struct call_count, hotter)

static void unify(struct call_count_vec *calls)
{
	size_t kept = 0;

	for (size_t i = 0; i < calls->len; i++) {
		struct call_count *last = kept ? &calls->at[kept - 1] : NULL, *call = &calls->at[i];
		if (last && last->block == call->block && last->to == call->to)
			last->count = count_add_saturating(last->count, call->count);
		else
			calls->at[kept++] = *call;
	}
	calls->len = kept;
}

/* Records stand in the order of the places that they come from, and so do blocks. */
static bool list_calls(const struct flat_profile *profile, uint32_t number, const struct flow_function *flow,
		       struct call_count_vec *out)
{
	const struct flat_function *function = &profile->functions.at[number];
	uint32_t block = 0;

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		while (block + 1 < flow->blocks.len && flow->blocks.at[block + 1].start <= record->from_at)
			block++;
		bool shown = record->kind == FLAT_CALL && record->to != FLAT_OUTSIDE && block < flow->blocks.len;
		if (shown && !call_count_vec_push(out, (struct call_count){block, record->to, record->count}))
			return false;
	}
	return true;
}

bool calls_take(const struct flat_profile *profile, uint32_t number, const struct flow_function *flow,
		struct call_count_vec *out)
{
	out->len = 0;
	if (!list_calls(profile, number, flow, out))
		return false;
	if (out->len)
		sort_by_block(out->at, out->len);
	unify(out);
	if (out->len)
		sort_by_count(out->at, out->len);
	return true;
}
