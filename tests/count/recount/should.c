/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/should.h"

#include <stdlib.h>
#include <string.h>

#include "tests/count/recount/code.h"
#include "tests/count/recount/loads.h"
#include "tests/count/recount/mistakes.h"
#include "tests/count/recount/names.h"
#include "tests/count/recount/runs.h"

void should_put(struct should *should, struct home from, struct home to, uint64_t count,
		uint64_t mispredicted)
{
	must_have_memory(
		record_vec_push(&should->records, (struct record){from, to, count, mispredicted}));
}

static bool is_return(struct count *count, const struct row *row, const struct spot *target)
{
	uint64_t branch = row->key[1];

	if (branch == TRACE_FT_RETURN || code_is_return(count->binary, branch))
		return true;
	if (count_says_return(count, branch)) {
		numbers_add(&count->numbers, "returns.by_type",
			    count_is_typed(count, branch) ? row->count : 0);
		return true;
	}
	if (count->options.as_perf2bolt ||
	    (branch != TRACE_EXTERNAL && branch != TRACE_FT_EXTERNAL) ||
	    !code_is_returned_to(count->binary, target))
		return false;
	numbers_add(&count->numbers, "returns.by_address",
		    branch == TRACE_EXTERNAL ? row->count : 0);
	return true;
}

static bool can_name(const struct should *should, const struct home *home)
{
	return !home->function || names_can_hold(&should->count->options, home->function->printed);
}

/* Returns what became of it. */
static const char *take_branch(struct should *should, const struct row *row,
			       const struct spot *source, const struct spot *target, bool returns)
{
	const struct binary *binary = should->count->binary;
	struct home from, to;

	if (returns)
		return "branches.dropped.return";
	if (!source->function && !target->function)
		return "branches.dropped.outside";
	if (!spot_home(binary, source, true, &from) || !spot_home(binary, target, false, &to))
		return "branches.dropped.no_parent";
	if (!can_name(should, &from) || !can_name(should, &to))
		return "branches.dropped.unnameable";
	should_put(should, from, to, row->count, row->mispredicted);
	return "branches.kept";
}

static void take_trace(struct should *should, struct count *count, const struct cfg *cfg,
		       const struct row *row)
{
	struct fallthrough run = {.from = spot_of(count->binary, row->key[0]),
				  .branch = row->key[1],
				  .count = row->count};
	struct spot source = spot_of(count->binary, run.branch);

	run.returns = is_return(count, row, &run.from);
	if (run.branch < TRACE_FT_RETURN)
		numbers_add(&count->numbers,
			    take_branch(should, row, &source, &run.from, run.returns), row->count);
	if (row->key[2] == TRACE_BR_ONLY)
		return;
	run.to = spot_of(count->binary, row->key[2]);
	numbers_add(&count->numbers, fallthrough_take(should, &run, cfg), row->count);
}

static bool take_traces(struct should *should, struct count *count, struct bc_error *err)
{
	struct cfg cfg = {0};

	if (!runs_graphs(count, &cfg, err))
		return false;
	for (size_t i = 0; i < count->traces.len; i++)
		take_trace(should, count, &cfg, &count->traces.at[i]);
	cfg_free(&cfg);
	return true;
}

static void take_address(struct should *should, struct count *count, const struct row *row)
{
	struct spot spot = spot_of(count->binary, row->key[0]);
	const char *what = "samples.kept";
	struct home home;

	if (!spot.function)
		what = "samples.dropped.no_function";
	else if (!spot_home(count->binary, &spot, false, &home))
		what = "samples.dropped.no_parent";
	else if (!can_name(should, &home))
		what = "samples.dropped.unnameable";
	else
		should_put(should, home, (struct home){0}, row->count, 0);
	numbers_add(&count->numbers, what, row->count);
}

/* The order of a profile: by function, entries from outside last, then by location. */

const struct function *record_owner(const struct record *record)
{
	return record->from.function ? record->from.function : record->to.function;
}

static int by_name(const struct function *a, const struct function *b, const char *x, const char *y)
{
	int order = strcmp(x, y);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_offset(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* What leads nowhere comes first. */
static int by_target(const struct home *a, const struct home *b)
{
	if (!a->function || !b->function)
		return (a->function != NULL) - (b->function != NULL);
	int order = by_name(a->function, b->function, a->function->printed, b->function->printed);
	return order ? order : by_offset(a->offset, b->offset);
}

static int compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	const struct function *f = record_owner(x), *g = record_owner(y);
	int order = by_name(f, g, f->printed, g->printed);

	if (!order)
		order = !x->from.function - !y->from.function;
	if (!order)
		order = by_offset(x->from.offset, y->from.offset);
	return order ? order : by_target(&x->to, &y->to);
}

static void add_up(struct record_vec *records)
{
	size_t kept = 0;

	if (records->len)
		qsort(records->at, records->len, sizeof(*records->at), compare);
	for (size_t i = 0; i < records->len; i++) {
		if (kept && !compare(&records->at[kept - 1], &records->at[i])) {
			records->at[kept - 1].count += records->at[i].count;
			records->at[kept - 1].mispredicted += records->at[i].mispredicted;
		} else {
			records->at[kept++] = records->at[i];
		}
	}
	records->len = kept;
}

bool should_be(struct count *count, struct should *out, struct bc_error *err)
{
	*out = (struct should){.count = count};
	if (!count->is_basic && !take_traces(out, count, err))
		return false;
	for (size_t i = 0; count->is_basic && i < count->addresses.len; i++)
		take_address(out, count, &count->addresses.at[i]);
	add_up(&out->records);
	numbers_add(&count->numbers, "records", out->records.len);
	loads_take(out, count);
	return true;
}

void should_free(struct should *should)
{
	record_vec_free(&should->records);
	load_vec_free(&should->loads);
}
