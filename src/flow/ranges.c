/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/ranges.h"

#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/vec.h"

#define X(name, key, text) {key, text},
const struct ledger_words range_words = {"ranges", "ranges for llvm-profgen", RANGE_DROP_COUNT, {RANGE_DROPS(X)}};
const struct ledger_words step_words = {"branches", "branches for llvm-profgen", STEP_DROP_COUNT, {STEP_DROPS(X)}};
#undef X

/* ---- rows of all threads ---- */

/* Lists the rows of all tables in order, each key once: ranges before branches. */
static bool list_rows(const struct count_table *counts, unsigned tables, struct count_rows *rows, size_t *count)
{
	struct count_rows spare = {0};
	size_t all = 0;

	for (unsigned i = 0; i < tables; i++)
		all += counts[i].used;
	*rows = (struct count_rows){malloc((all + 1) * sizeof(*rows->at)), all + 1};
	*count = 0;
	for (unsigned i = 0; rows->at && i < tables; i++)
		for (size_t k = 0; k < counts[i].capacity; k++)
			if (counts[i].rows[k].count)
				rows->at[(*count)++] = counts[i].rows[k];
	if (rows->at)
		*count = count_rows_unify(rows, *count, &spare);
	free(spare.at);
	return rows->at;
}

bool ranges_gather(const struct count_table *counts, unsigned tables, struct ranges *out)
{
	struct count_rows rows;
	size_t count;

	if (!list_rows(counts, tables, &rows, &count))
		return false;
	out->at = malloc((count + 1) * sizeof(*out->at));
	for (size_t i = 0; out->at && i < count; i++) {
		bool range = rows.at[i].key[0] == COUNTED_RANGE;
		out->at[i] = (struct counted_range){rows.at[i].key[1], rows.at[i].key[2], rows.at[i].count};
		out->range_count += range;
		out->branch_count += !range;
	}
	free(rows.at);
	return out->at;
}

uint64_t ranges_base(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr & ~UINT64_C(0xfff);
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){0};
}
/* ---- calls ---- */

/* The profile knows more of calls than a walk of the traces: the callee of a call that llvm-bolt inlined or folded. */
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

/* Adds a record that leads to the beginning of a function, or from one function to another. */
static bool add_call(const struct pair *pair, const struct record *record, struct range_vec *out)
{
	const struct function *to = record->kind == RECORD_SAMPLE ? NULL : input_function(pair, record->to.function);
	const struct function *from = record->kind == RECORD_BRANCH ? input_function(pair, record->from.function) : NULL;

	if (!to || !record->count || (record->to.offset && (!from || from == to)))
		return true;
	uint64_t source = from ? from->address + record->from.offset : RANGE_FROM_OUTSIDE;
	return range_vec_push(out, (struct counted_range){source, to->address + record->to.offset, record->count});
}

/* Is it one that the profile has, too?  A return from outside to the beginning of a function is no call. */
static bool is_call(const struct image *image, const struct function_table *functions, const struct counted_range *branch)
{
	struct vaddr from = {branch->from}, to = {branch->to};

	if (branch->from == RANGE_FROM_OUTSIDE)
		return false;
	return functions_code_at(functions, branch->to) ||
	       (functions_find(functions, from) != functions_find(functions, to) &&
		insn_branch(image->machine, image_bytes_at(image, from), from.v).kind != INSN_RETURN);
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
	const struct image *image = pair ? &pair->image : &profile->binary->image;
	struct range_vec all = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < ranges->range_count + ranges->branch_count; i++)
		if (i < ranges->range_count || !is_call(image, functions, &ranges->at[i]))
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
