/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/tally.h"

#include <stdlib.h>

/* Rows that a thread keeps to itself: three quarters of its table are in use when
 * it is handed over, and it fits into a processor's own cache. */
#define LOCAL_ROWS ((size_t)3 << 13)

#define KERNEL_BIT (UINT64_C(1) << 63)

static bool hand_over(struct counts *to, struct count_table *from, struct bc_error *err)
{
	return counts_take(to, from) || bc_fail_nomem(err);
}

static bool add(struct counts *to, struct count_table *local, const uint64_t key[COUNT_KEY_WORDS],
		uint64_t count, uint64_t extra, struct bc_error *err)
{
	if (local->used >= LOCAL_ROWS && !hand_over(to, local, err))
		return false;
	return count_table_add(local, key, count, extra) || bc_fail_nomem(err);
}

static bool count_trace(struct tally *tally, const struct trace *trace, uint64_t mispredicted,
			struct bc_error *err)
{
	uint64_t key[COUNT_KEY_WORDS];

	trace_key(trace, key);
	return add(&tally->totals->traces, &tally->traces, key, 1, mispredicted, err);
}

static bool count_address(struct tally *tally, struct vaddr at, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {at.v};

	return add(&tally->totals->basic, &tally->basic, key, 1, 0, err);
}

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

bool tally_trace(struct tally *tally, const struct trace *trace, uint64_t count,
		 uint64_t mispredicted, struct bc_error *err)
{
	struct count_row row = {.count = count, .extra = mispredicted};

	trace_key(trace, row.key);
	return add_counted(&tally->totals->traces, &tally->counted_traces, row, err);
}

bool tally_basic(struct tally *tally, struct vaddr at, uint64_t count, struct bc_error *err)
{
	struct count_row row = {.key = {at.v}, .count = count};

	return add_counted(&tally->totals->basic, &tally->counted_basic, row, err);
}

static enum sample_drop drop_of(enum located located)
{
	switch (located) {
	case LOCATED_NO_PROCESS: return SAMPLE_NO_PROCESS;
	case LOCATED_KERNEL: return SAMPLE_KERNEL;
	case LOCATED_OTHER: return SAMPLE_OTHER_IMAGE;
	default: return SAMPLE_UNKNOWN;
	}
}

bool tally_address(struct tally *tally, struct process_view view, const struct sample *sample,
		   struct bc_error *err)
{
	struct vaddr at;

	tally->addresses.read++;
	enum located located = process_view_locate(&view, sample->ip, &at);
	if (located == LOCATED_IMAGE)
		return count_address(tally, at, err);
	tally->addresses.dropped[drop_of(located)]++;
	return true;
}

/* Where a branch stack's address lies; TRACE_EXTERNAL if outside the binary. */
static uint64_t locate(struct process_view *view, uint64_t run)
{
	struct vaddr at;

	return process_view_locate(view, (struct run_addr){run}, &at) == LOCATED_IMAGE
		       ? at.v
		       : TRACE_EXTERNAL;
}

static bool in_kernel(const struct branch *b)
{
	return (b->from | b->to) & KERNEL_BIT;
}

size_t stack_depth(const struct sample *sample)
{
	size_t depth = 0;

	for (size_t i = 0; i < sample->branch_count; i++)
		depth += !in_kernel(&sample->branches[i]);
	return depth;
}

/* Count the entries from the newest to the oldest.  Each is a trace whose end
 * is the source of the entry before, the next newer one.  What lies outside at
 * both ends leaves nothing to count.  A partial stack has no such ends. */
static bool take_entries(struct tally *tally, struct process_view *view,
			 const struct sample *sample, size_t skip, struct bc_error *err)
{
	uint64_t kernel = 0, skipped = 0, outside = 0, outside_runs = 0, runs = 0;
	struct trace trace = {.to = TRACE_BR_ONLY};
	bool ok = true;

	for (size_t i = 0; i < sample->branch_count && ok; i++) {
		const struct branch *b = &sample->branches[i];
		if (in_kernel(b) && !view->is_kernel) {
			kernel++;
			continue;
		}
		if (skipped < skip) {
			skipped++;
			continue;
		}
		trace.branch = locate(view, b->from);
		trace.from = locate(view, b->to);
		runs += trace.to != TRACE_BR_ONLY;
		if (trace.branch == TRACE_EXTERNAL && trace.from == TRACE_EXTERNAL) {
			outside++;
			outside_runs += trace.to != TRACE_BR_ONLY;
		} else {
			ok = count_trace(tally, &trace, b->flags & BRANCH_MISPREDICTED, err);
		}
		if (!sample->partial)
			trace.to = trace.branch;
	}
	tally->ledgers.traces.read += runs;
	tally->ledgers.branches.dropped[ENTRY_KERNEL] += kernel;
	tally->ledgers.branches.dropped[ENTRY_ERRATUM] += skipped;
	tally->ledgers.branches.dropped[ENTRY_OUTSIDE] += outside;
	tally->ledgers.traces.dropped[RUN_OUTSIDE] += outside_runs;
	return ok;
}

bool tally_stack(struct tally *tally, struct process_view view, const struct sample *sample,
		 size_t skip, struct bc_error *err)
{
	struct ledger *branches = &tally->ledgers.branches;

	tally->branches_seen = true;
	tally->ledgers.samples.read++;
	branches->read += sample->branch_count;
	if (!view.has_image) {
		tally->ledgers.samples.dropped[SAMPLE_NO_PROCESS]++;
		branches->dropped[ENTRY_DROPPED_SAMPLE] += sample->branch_count;
		return true;
	}
	tally->ledgers.samples.kept++;
	return take_entries(tally, &view, sample, skip, err);
}

bool tally_flush(struct tally *tally, struct bc_error *err)
{
	struct totals *totals = tally->totals;

	return hand_over(&totals->traces, &tally->traces, err) &&
	       hand_over(&totals->basic, &tally->basic, err) &&
	       flush_counted(&totals->traces, &tally->counted_traces, err) &&
	       flush_counted(&totals->basic, &tally->counted_basic, err);
}

void tally_free(struct tally *tally)
{
	count_table_free(&tally->traces);
	count_table_free(&tally->basic);
	free(tally->counted_traces.rows);
	free(tally->counted_basic.rows);
}
