/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/self_check_count.h"

/* A test builds this file to count wrongly, to see that it is noticed. */
#ifndef SELF_CHECK_MISCOUNT
#define SELF_CHECK_MISCOUNT 0
#endif

#define ERRATUM_STACK 32
#define KERNEL_HALF (UINT64_C(1) << 63)

/* What is counted where. */

static bool is_load(const struct sample *sample)
{
	const char *word = "mem-loads";
	size_t length = strlen(word);

	for (size_t i = 0; sample->data.v && i + length <= sample->event.len; i++)
		if (!memcmp(sample->event.at + i, word, length))
			return true;
	return false;
}

static bool of_kernel(const struct branch *b)
{
	return b->from >= KERNEL_HALF || b->to >= KERNEL_HALF;
}

static size_t skipped_entries(struct self_check *s, const struct sample *sample)
{
	size_t user = 0;

	if (!s->aggregate->options.erratum)
		return 0;
	for (size_t i = 0; i < sample->branch_count; i++)
		user += !of_kernel(&sample->branches[i]);
	s->erratum_seen |= user == ERRATUM_STACK;
	return s->erratum_seen ? 2 : 0;
}

static uint64_t place_of(struct process_view *view, uint64_t run)
{
	struct vaddr at = {0};

	return process_view_locate(view, (struct run_addr){run}, &at) == LOCATED_IMAGE ? at.v : TRACE_EXTERNAL;
}

/* A trace is a branch and what ran until the next newer one. */
static void expect_stack(struct self_check *s, const struct sample *sample, struct process_view view)
{
	size_t skip = view.has_image ? skipped_entries(s, sample) : 0;
	uint64_t end = TRACE_BR_ONLY;

	for (size_t i = 0; view.has_image && i < sample->branch_count; i++) {
		const struct branch *b = &sample->branches[i];
		if (of_kernel(b) && !view.is_kernel)
			continue;
		if (skip) {
			skip--;
			continue;
		}
		uint64_t from = place_of(&view, b->from), to = place_of(&view, b->to);
		s->runs += end != TRACE_BR_ONLY;
		if (from != TRACE_EXTERNAL || to != TRACE_EXTERNAL)
			check_sum_add(&s->traces, check_hash(to, from, end), 1,
				      b->flags & BRANCH_MISPREDICTED);
		end = sample->partial ? TRACE_BR_ONLY : from;
	}
}

static void expect_sample(struct self_check *s, const struct sample *sample)
{
	bool automatic = s->aggregate->options.mode == MODE_AUTO;
	bool stack = automatic && sample->branch_count;
	struct vaddr at = {0};

	if (filter_check(&s->aggregate->options.filter, sample, s->seen++) != SAMPLE_DROP_COUNT) {
		s->samples++;
		s->branches += sample->branch_count;
		return;
	}
	bool load = is_load(sample);
	s->accesses += load;
	if (load && !stack && automatic)
		return;
	struct process_view view = process_view(&s->aggregate->maps, sample->pid);
	s->samples += 1 + SELF_CHECK_MISCOUNT;
	s->branches += sample->branch_count;
	if (stack)
		expect_stack(s, sample, view);
	else if (process_view_locate(&view, sample->ip, &at) == LOCATED_IMAGE)
		check_sum_add(&s->basic, check_hash(at.v, 0, 0), 1, 0);
}

static void add_counted(struct self_check *s, uint64_t *to, uint64_t count)
{
	s->overflow |= count > UINT64_MAX - *to;
	*to += count;
}

static void expect_trace(struct self_check *s, const struct trace *trace, uint64_t count,
			 uint64_t mispredicted)
{
	if (trace->branch < TRACE_FT_RETURN)
		add_counted(s, &s->branches, count);
	if (trace->to != TRACE_BR_ONLY)
		add_counted(s, &s->runs, count);
	if (count && s->aggregate->options.mode == MODE_AUTO) {
		s->overflow |= mispredicted > count;
		check_sum_add(&s->traces, check_hash(trace->from, trace->branch, trace->to), count,
			      mispredicted);
	}
}

/* The sink in between. */

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->map(inner->ctx, event, err);
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->exec(inner->ctx, pid, err);
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->fork(inner->ctx, parent, child, err);
}

static bool on_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->exit(inner->ctx, pid, tid, err);
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	struct self_check *s = ctx;

	expect_sample(s, sample);
	return s->inner.sample(s->inner.ctx, sample, err);
}

static bool on_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
		     uint64_t mispredicted, struct bc_error *err)
{
	struct self_check *s = ctx;

	expect_trace(s, trace, count, mispredicted);
	return s->inner.trace(s->inner.ctx, trace, is_return, count, mispredicted, err);
}

static bool on_traces(void *ctx, const struct trace_record *records, size_t count,
		      struct sample_memory *memory, struct bc_error *err)
{
	struct self_check *s = ctx;

	for (size_t i = 0; i < count; i++)
		expect_trace(s, &records[i].trace, records[i].count, records[i].mispredicted);
	return s->inner.traces(s->inner.ctx, records, count, memory, err);
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	struct self_check *s = ctx;

	add_counted(s, &s->samples, count);
	check_sum_add(&s->basic, check_hash(at.v, 0, 0), count, 0);
	return s->inner.basic(s->inner.ctx, at, count, err);
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return inner->event(inner->ctx, name, err);
}

static void on_recording(void *ctx)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	if (inner->recording)
		inner->recording(inner->ctx);
}

static bool on_settle(void *ctx, struct bc_error *err)
{
	const struct sample_sink *inner = &((struct self_check *)ctx)->inner;

	return !inner->settle || inner->settle(inner->ctx, err);
}

struct sample_sink self_check_sink(struct self_check *check, const struct aggregate *aggregate,
				   struct sample_sink inner)
{
	check->aggregate = aggregate;
	check->inner = inner;
	check->seen = 0;
	check->erratum_seen = false;
	return (struct sample_sink){
		.ctx = check, .map = on_map, .exec = on_exec, .fork = on_fork, .exit = on_exit,
		.sample = on_sample, .trace = on_trace, .traces = inner.traces ? on_traces : NULL,
		.basic = on_basic, .event = on_event,
		.recording = on_recording, .settle = on_settle,
	};
}

void self_check_undelivered(struct self_check *check, uint64_t count)
{
	check->samples += count;
}

/* What was counted. */

struct counted {
	struct check_sum keys;   /* of all rows */
	uint64_t branches, runs; /* rows that have one, times their counts */
};

static void add_row(struct counted *sum, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	check_sum_add_row(&sum->keys, row);
	if (trace.branch < TRACE_FT_RETURN)
		sum->branches += row->count;
	if (trace.to != TRACE_BR_ONLY)
		sum->runs += row->count;
}

static struct counted counted_traces(const struct counts *traces)
{
	struct counted sum = {0};

	for (size_t s = 0; s < COUNTS_SHARDS; s++)
		for (size_t i = 0; i < traces->shards[s].capacity; i++)
			if (traces->shards[s].rows[i].count)
				add_row(&sum, &traces->shards[s].rows[i]);
	return sum;
}

static uint64_t left_of(const struct ledger *ledger)
{
	return ledger->read - ledger_dropped(ledger);
}

bool self_check_counts(const struct self_check *check, bool basic, struct bc_error *err)
{
	if (!check->on || check->overflow || !check->aggregate)
		return true;
	const struct aggregate *a = check->aggregate;
	const struct ledgers *ledgers = &a->tally.ledgers;
	struct counted traces = counted_traces(&a->totals.traces);
	struct check_sum addresses = check_sum_counts(&a->totals.basic), loads = check_sum_table(&a->memory);

	return check_same(ledgers->samples.read, check->samples, "samples read", err) &&
	       check_same(ledgers->branches.read, check->branches, "branches read", err) &&
	       check_same(ledgers->memory.read, check->accesses, "accesses to memory read", err) &&
	       check_same(ledgers->traces.read, check->runs, "fall-throughs read", err) &&
	       check_sum_same(&traces.keys, &check->traces, "traces counted", err) &&
	       check_sum_same(&addresses, &check->basic, "addresses counted", err) &&
	       check_same(traces.branches, left_of(&ledgers->branches), "branches counted", err) &&
	       check_same(traces.runs, left_of(&ledgers->traces), "fall-throughs counted", err) &&
	       check_same(loads.plain, left_of(&ledgers->memory), "accesses to memory counted", err) &&
	       (!basic || check_same(addresses.plain, left_of(&ledgers->samples), "samples counted", err));
}

bool self_check_ledgers(const struct self_check *check, const struct ledgers *l, struct bc_error *err)
{
	const struct {
		const struct ledger *ledger;
		const char *what;
	} all[] = {{&l->samples, "samples kept and dropped"},
		   {&l->branches, "branches kept and dropped"},
		   {&l->traces, "fall-throughs kept and dropped"},
		   {&l->memory, "accesses to memory kept and dropped"}};

	for (size_t i = 0; check->on && !check->overflow && i < BC_COUNT(all); i++)
		if (!check_same(all[i].ledger->kept + ledger_dropped(all[i].ledger), all[i].ledger->read,
			  all[i].what, err))
			return false;
	return true;
}
