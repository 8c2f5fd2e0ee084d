/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/sample_counter.h"

#include <stdlib.h>

#include "src/base/counts.h"

/* Entries that room is made for at a time. */
#define ENTRIES_MOST 1024

/* As many as are handed over at a time. */
#define COUNTED_ROWS 2048

static bool flush_counted(struct counts *to, struct counted_rows *counted, struct bc_error *err)
{
	bool ok = counts_take_rows(to, counted->rows, counted->count);

	counted->count = 0;
	return ok || bc_fail_nomem(err);
}

static bool add_counted(struct counts *to, struct counted_rows *counted, struct count_row row,
			struct bc_error *err)
{
	if (!counted->rows)
		counted->rows = malloc(COUNTED_ROWS * sizeof(row));
	if (!counted->rows)
		return bc_fail_nomem(err);
	counted->rows[counted->count++] = row;
	return counted->count < COUNTED_ROWS || flush_counted(to, counted, err);
}

/* Before so many keys are added. */
static bool reserve(struct counts *to, struct count_cache *cache, size_t keys, struct bc_error *err)
{
	while (!count_cache_has_room(cache, keys))
		if (count_cache_is_full(cache, keys) ? !counts_take(to, cache) :
						       !count_cache_grow(cache))
			return bc_fail_nomem(err);
	return true;
}

static bool count_address(struct sample_counter *counter, struct vaddr at, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {at.v};

	if (!reserve(&counter->totals->basic, &counter->basic, 1, err))
		return false;
	count_cache_add(&counter->basic, key, false);
	return true;
}

bool sample_counter_trace(struct sample_counter *counter, const struct trace_record *record,
			  struct bc_error *err)
{
	const struct trace *trace = &record->trace;
	struct ledgers *ledgers = &counter->ledgers;
	struct count_row row = {.count = record->count, .extra = record->mispredicted};

	if (!ledger_read(&ledgers->branches, trace_has_branch(trace) ? record->count : 0, err) ||
	    !ledger_read(&ledgers->traces, trace_has_fall_through(trace) ? record->count : 0, err))
		return false;
	counter->branches_seen = true;
	trace_key(trace, row.key);
	if (counter->totals->halves)
		row.extra =
			halve(row.count, hash_mix(hash_mix(row.key[0], row.key[1]), row.key[2]));
	return add_counted(&counter->totals->traces, &counter->counted_traces, row, err);
}

bool sample_counter_basic(struct sample_counter *counter, struct vaddr at, uint64_t count,
			  struct bc_error *err)
{
	struct count_row row = {.key = {at.v}, .count = count};

	return ledger_read(&counter->addresses, count, err) &&
	       add_counted(&counter->totals->basic, &counter->counted_basic, row, err);
}

static enum sample_drop drop_of(enum located located)
{
	switch (located) {
	case LOCATED_NO_PROCESS: return SAMPLE_DROP_NO_PROCESS;
	case LOCATED_KERNEL: return SAMPLE_DROP_KERNEL;
	case LOCATED_OTHER: return SAMPLE_DROP_OTHER_IMAGE;
	default: return SAMPLE_DROP_UNKNOWN;
	}
}

bool sample_counter_address(struct sample_counter *counter, struct process_view *view,
			    struct run_addr ip, struct bc_error *err)
{
	struct vaddr at;

	counter->addresses.read++;
	enum located located = process_view_locate(view, ip, &at);
	if (located == LOCATED_IMAGE)
		return count_address(counter, at, err);
	counter->addresses.dropped[drop_of(located)]++;
	return true;
}

static bool in_kernel(const struct branch *b)
{
	return (b->from | b->to) & KERNEL_BIT;
}

static void note_entries(struct sample_counter *counter, const struct entry_sums *sums)
{
	struct ledgers *ledgers = &counter->ledgers;

	ledgers->traces.read += sums->fall_throughs;
	ledgers->branches.dropped[BRANCH_DROP_KERNEL] += sums->kernel;
	ledgers->branches.dropped[BRANCH_DROP_ERRATUM] += sums->skipped;
	ledgers->branches.dropped[BRANCH_DROP_OUTSIDE] += sums->outside;
	ledgers->traces.dropped[TRACE_DROP_OUTSIDE] += sums->outside_fall_throughs;
}

/* What the second counter counts: mispredictions, or a stack that is in the first half. */
static struct entry_use use_of(const struct sample_counter *counter,
			       const struct process_view *view, struct stack_use how, bool partial)
{
	bool halves = counter->totals->halves;
	uint64_t kernel_bit = view->is_kernel ? 0 : KERNEL_BIT;

	return (struct entry_use){how.skip,
				  how.typed,
				  partial,
				  halves ? 0 : BRANCH_MISPREDICTED,
				  halves && how.first,
				  kernel_bit};
}

/* One walk over a stack. */
struct walk {
	struct sample_counter *counter;
	struct process_view *view;
	struct count_cache *cache;
	struct near_image near; /* a copy, to be kept in registers */
};

static inline struct trace_end find_end(void *ctx, const struct branch *b, bool source,
					struct trace_end outside)
{
	struct walk *w = ctx;
	const struct run_addr run = {source ? b->from : b->to};
	struct trace_end end;

	if (!near_image_find(&w->near, run, outside, &end)) {
		end = process_view_far(w->view, run, outside);
		w->near = w->view->near;
	}
	return end;
}

static inline void count_trace(void *ctx, const struct branch *b, const struct trace *trace,
			       bool extra)
{
	struct walk *w = ctx;
	uint64_t key[COUNT_KEY_WORDS];

	(void)b;
	trace_key(trace, key);
	count_cache_add(w->cache, key, extra);
}

static inline void note_return(void *ctx, const struct branch *b)
{
	struct walk *w = ctx;

	(void)b;
	w->counter->found.by_type++;
	w->counter->ledgers.branches.dropped[BRANCH_DROP_RETURN]++;
}

static const struct stack_walker walker = {find_end, count_trace, note_return};

static bool count_end(struct sample_counter *counter, struct process_view *view, uint64_t address,
		      struct bc_error *err)
{
	struct vaddr at;

	if (process_view_locate(view, (struct run_addr){address}, &at) != LOCATED_IMAGE)
		return true;
	const uint64_t key[COUNT_KEY_WORDS] = {at.v};
	if (!reserve(&counter->totals->ends, &counter->ends, 1, err))
		return false;
	count_cache_add(&counter->ends, key, false);
	return true;
}

/* For the entries that are not the kernel's. */
static bool count_ends(struct sample_counter *counter, struct process_view *view,
		       const struct sample *sample, struct bc_error *err)
{
	const struct branch *newest = NULL, *oldest = NULL;

	for (size_t i = 0; i < sample->branch_count; i++) {
		if (!view->is_kernel && in_kernel(&sample->branches[i]))
			continue;
		newest = newest ? newest : &sample->branches[i];
		oldest = &sample->branches[i];
	}
	return !newest || (count_end(counter, view, newest->to, err) &&
			   count_end(counter, view, oldest->from, err));
}

/* Stacks are short, except for broken files. */
static bool take_stack(struct sample_counter *counter, struct process_view *view,
		       const struct sample *sample, struct stack_use how, struct bc_error *err)
{
	const struct branch *at = sample->branches, *end = at + sample->branch_count;
	const struct entry_use use = use_of(counter, view, how, sample->partial);
	struct trace_end to = trace_end_of(TRACE_END_NONE);
	struct walk walk = {counter, view, &counter->traces, view->near};
	struct entry_sums sums = {0};

	while (at < end) {
		size_t count =
			(size_t)(end - at) < ENTRIES_MOST ? (size_t)(end - at) : ENTRIES_MOST;
		if (!reserve(&counter->totals->traces, &counter->traces, count, err))
			return false;
		to = stack_walk(walker, &walk, &counter->types, at, at + count, use, to, &sums);
		at += count;
	}
	note_entries(counter, &sums);
	return !counter->types.no_memory || bc_fail_nomem(err);
}

/* An address of a single branch, or TRACE_END_EXTERNAL. */
static struct trace_end end_at(struct process_view *view, uint64_t run)
{
	struct vaddr at;

	return process_view_locate(view, (struct run_addr){run}, &at) == LOCATED_IMAGE ?
		       trace_end_at(at) :
		       trace_end_of(TRACE_END_EXTERNAL);
}

static bool is_kernels(const struct process_view *view, const struct branch *b)
{
	return !view->is_kernel && in_kernel(b);
}

/* Every instruction of Arm is of 4 bytes.  Some processors record no target of a branch that was
 * not taken. */
static struct branch single_branch(const struct branch *b)
{
	return (struct branch){b->from, b->flags & BRANCH_NOT_TAKEN ? b->from + 4 : b->to,
			       b->flags};
}

/* The code that ran from where the branch before led to, up to a single branch. */
static void count_line(struct sample_counter *counter, struct trace_end from, struct trace_end to,
		       bool extra)
{
	const struct trace line = {trace_end_of(TRACE_END_NONE), from, to};
	uint64_t key[COUNT_KEY_WORDS];

	counter->ledgers.traces.read++;
	if (trace_end_is(from, TRACE_END_EXTERNAL) && trace_end_is(to, TRACE_END_EXTERNAL)) {
		counter->ledgers.traces.dropped[TRACE_DROP_OUTSIDE]++;
		return;
	}
	trace_key(&line, key);
	count_cache_add(&counter->traces, key, extra);
}

static void count_single(struct sample_counter *counter, const struct trace *trace, bool extra)
{
	uint64_t key[COUNT_KEY_WORDS];

	if (trace_is_external(trace)) {
		counter->ledgers.branches.dropped[BRANCH_DROP_OUTSIDE]++;
		return;
	}
	trace_key(trace, key);
	count_cache_add(&counter->traces, key, extra);
}

/* A branch that perf took from a trace of Arm SPE.  Its type is not used: perf calls each indirect
 * jump a return.
 *
 * Branches that were not taken are sampled like those that were, so in a line, which has such
 * branches in it and ends at a sampled one, they are there again.  All branches have equal counts
 * if the branch at the end of a line counts twice, once for the entry without a source, and what
 * was not taken counts once, without its line. */
static bool take_single(struct sample_counter *counter, struct process_view *view,
			const struct sample *sample, struct stack_use use, struct bc_error *err)
{
	struct ledger *branches = &counter->ledgers.branches;
	const struct branch b = single_branch(&sample->branches[0]);
	const struct branch *before = sample->branch_count == 2 ? &sample->branches[1] : NULL;
	const struct trace trace = {end_at(view, b.from), end_at(view, b.to),
				    trace_end_of(TRACE_END_NONE)};
	const struct entry_use entry = use_of(counter, view, use, false);
	bool extra = counts_extra(&b, &entry);

	if (!reserve(&counter->totals->traces, &counter->traces, 3, err))
		return false;
	if (is_kernels(view, &b)) {
		branches->dropped[BRANCH_DROP_KERNEL] += sample->branch_count;
		return true;
	}
	if (!b.from) { /* another operation than a branch was sampled */
		branches->dropped[BRANCH_DROP_NO_SOURCE] += sample->branch_count;
		return true;
	}
	count_single(counter, &trace, extra);
	if (!before)
		return true;
	bool taken = !(b.flags & BRANCH_NOT_TAKEN);
	if (use.even && taken)
		count_single(counter, &trace, extra);
	else
		branches->dropped[BRANCH_DROP_NO_SOURCE]++;
	if ((!use.even || taken) && !is_kernels(view, before))
		count_line(counter, end_at(view, before->to), trace.branch, entry.extra);
	return true;
}

bool sample_counter_stack(struct sample_counter *counter, struct process_view *view,
			  const struct sample *sample, struct stack_use use, struct bc_error *err)
{
	struct ledger *branches = &counter->ledgers.branches;

	counter->branches_seen = true;
	counter->ledgers.samples.read++;
	branches->read += sample->branch_count;
	if (!view->has_image) {
		counter->ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS]++;
		branches->dropped[BRANCH_DROP_DROPPED_SAMPLE] += sample->branch_count;
		return true;
	}
	counter->ledgers.samples.kept++;
	if (counter->totals->with_ends && !count_ends(counter, view, sample, err))
		return false;
	return use.single ? take_single(counter, view, sample, use, err) :
			    take_stack(counter, view, sample, use, err);
}

/* ---- hardware traces ---- */

static bool read_ran(struct ledgers *ledgers, const struct ran_trace *row, struct bc_error *err)
{
	return ledger_read(&ledgers->branches, row->from ? row->count : 0, err) &&
	       ledger_read(&ledgers->traces, row->end ? row->count : 0, err);
}

/* As a walk over a stack that has no other entry: branches of the kernel are left out before
 * anything else is asked, with the lines after them. */
static bool count_ran(struct sample_counter *counter, struct process_view *view,
		      const struct ran_trace *row, struct bc_error *err)
{
	const struct branch b = {row->from, row->to, 0};
	struct ledgers *ledgers = &counter->ledgers;
	struct count_row out = {.count = row->count};

	if (is_kernels(view, &b)) {
		ledgers->branches.dropped[BRANCH_DROP_KERNEL] += row->from ? row->count : 0;
		return ledger_read(&ledgers->branches, row->from ? row->count : 0, err);
	}
	if (!read_ran(ledgers, row, err))
		return false;
	struct trace trace = {trace_end_of(TRACE_END_NONE), end_at(view, row->to),
			      trace_end_of(TRACE_END_NONE)};
	if (row->from)
		trace.branch = end_at(view, row->from);
	if (row->end)
		trace.to = end_at(view, row->end);
	bool line_outside = !row->from && trace_end_is(trace.to, TRACE_END_EXTERNAL) &&
			    trace_end_is(trace.from, TRACE_END_EXTERNAL);
	if (row->is_return)
		trace.branch = branch_types_return(&counter->types, &b, trace.branch, trace.from);
	if (trace_is_external(&trace) || line_outside) {
		ledgers->branches.dropped[BRANCH_DROP_OUTSIDE] += row->from ? row->count : 0;
		ledgers->traces.dropped[TRACE_DROP_OUTSIDE] += row->end ? row->count : 0;
		return true;
	}
	if (trace_end_is(trace.branch, TRACE_END_FT_RETURN)) {
		counter->found.by_type += row->count;
		ledgers->branches.dropped[BRANCH_DROP_RETURN] += row->count;
	}
	trace_key(&trace, out.key);
	if (counter->totals->halves)
		out.extra =
			halve(out.count, hash_mix(hash_mix(out.key[0], out.key[1]), out.key[2]));
	return add_counted(&counter->totals->traces, &counter->counted_traces, out, err);
}

bool sample_counter_ran(struct sample_counter *counter, struct process_view *view,
			const struct ran_trace *rows, size_t count, struct bc_error *err)
{
	struct ledger *branches = &counter->ledgers.branches;

	counter->branches_seen = true;
	for (size_t i = 0; i < count; i++) {
		uint64_t taken = rows[i].from ? rows[i].count : 0;
		if (view->has_image && !count_ran(counter, view, &rows[i], err))
			return false;
		if (!view->has_image && !ledger_read(branches, taken, err))
			return false;
		branches->dropped[BRANCH_DROP_NO_PROCESS] += view->has_image ? 0 : taken;
	}
	return !counter->types.no_memory || bc_fail_nomem(err);
}

bool sample_counter_settle_types(struct sample_counter *counter, struct bc_error *err)
{
	struct branch_types *types = &counter->types;
	bool ok = true;

	for (size_t i = 0; ok && i < types->waiting.capacity; i++) {
		struct count_row row = types->waiting.rows[i];
		if (!row.count)
			continue;
		bool returns = branch_types_settle(types, row.key);
		counter->found.by_type += returns ? row.count : 0;
		counter->ledgers.branches.dropped[BRANCH_DROP_RETURN] += returns ? row.count : 0;
		ok = add_counted(&counter->totals->traces, &counter->counted_traces, row, err);
	}
	count_table_free(&types->waiting);
	return ok;
}

bool sample_counter_flush(struct sample_counter *counter, struct bc_error *err)
{
	struct totals *totals = counter->totals;

	if (!counts_take(&totals->traces, &counter->traces) ||
	    !counts_take(&totals->basic, &counter->basic) ||
	    !counts_take(&totals->ends, &counter->ends))
		return bc_fail_nomem(err);
	return flush_counted(&totals->traces, &counter->counted_traces, err) &&
	       flush_counted(&totals->basic, &counter->counted_basic, err);
}

void sample_counter_free(struct sample_counter *counter)
{
	count_cache_free(&counter->traces);
	count_cache_free(&counter->basic);
	count_cache_free(&counter->ends);
	free(counter->counted_traces.rows);
	free(counter->counted_basic.rows);
	branch_types_free(&counter->types);
}
