/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/kept.h"

#include "tests/count/recount/code.h"

static bool any_mispredicted(const struct row_vec *rows)
{
	for (size_t i = 0; i < rows->len; i++)
		if (rows->at[i].mispredicted)
			return true;
	return false;
}

/* What replaces the branch before a fall-through.  Where BOLT moved the code it counts whether
 * it was a return; where it did not, whether it was a return, for perf2bolt only one from outside
 * the function, and else whether it came from outside. */
static uint64_t origin_of(const struct count *count, const struct row *row, bool returns)
{
	struct spot to = spot_of(count->binary, row->key[0]);

	if (row->key[1] == TRACE_EXTERNAL)
		return TRACE_FT_EXTERNAL;
	if (!to.function)
		return TRACE_FT_ONLY;
	if (to.fragment)
		return returns ? TRACE_FT_RETURN : TRACE_FT_ONLY;
	bool own = row->key[1] >= to.function->address &&
		   row->key[1] < to.function->address + to.function->size;
	if (returns && !(own && count->options.as_perf2bolt))
		return TRACE_FT_RETURN;
	return own ? TRACE_FT_ONLY : TRACE_FT_EXTERNAL;
}

static void split(struct count *count, const struct row *row, struct row_vec *out)
{
	bool has_branch = row->key[1] < TRACE_FT_RETURN;
	bool returns = has_branch && (code_is_return(count->binary, row->key[1]) ||
				      count_says_return(count, row->key[1]));
	uint64_t origin = has_branch ? origin_of(count, row, returns) : row->key[1];

	if (returns)
		numbers_add(&count->numbers, "branches.dropped.return", row->count);
	else if (has_branch)
		rows_put(out, (struct row){{row->key[0], row->key[1], TRACE_BR_ONLY},
					   row->count,
					   row->mispredicted});
	if (!has_branch || row->key[2] != TRACE_BR_ONLY)
		rows_put(out, (struct row){{row->key[0], origin, row->key[2]}, row->count, 0});
}

void kept_rows(struct count *count, struct row_vec *out)
{
	const struct row_vec *rows = count->is_basic ? &count->addresses : &count->traces;
	bool splits = !count->is_basic && any_mispredicted(rows);

	for (size_t i = 0; i < rows->len; i++) {
		if (splits)
			split(count, &rows->at[i], out);
		else
			rows_put(out, rows->at[i]);
	}
	rows_add_up(out);
}
