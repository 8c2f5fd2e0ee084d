/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/aggregate.h"

#include <stdlib.h>
#include <string.h>

#define ERRATUM_DEPTH 32
#define ERRATUM_DROPPED 2

/* Events are few: a list will do. */
#define EVENTS_MOST 1024

static bool add_event(struct aggregate *a, struct text name, struct bc_error *err)
{
	name = text_first(name, text_find(name, '\0')); /* a list of strings */
	for (size_t i = 0; i < a->events.len; i++)
		if (text_is(name, a->events.at[i]))
			return true;
	if (a->events.len == EVENTS_MOST)
		return bc_fail(err, BC_FORMAT, "the samples are of more than %d events", EVENTS_MOST);
	char *copy = name.len ? strndup(name.at, name.len) : NULL;
	if (!name.len || (copy && name_vec_push(&a->events, copy)))
		return true;
	free(copy);
	return bc_fail_nomem(err);
}

/* How many of the newest entries of a stack must go. */
static size_t erratum_entries(struct aggregate *a, const struct sample *sample, bool own)
{
	if (!a->options.erratum || !own)
		return 0;
	if (!a->erratum_seen && sample->branch_count >= ERRATUM_DEPTH)
		a->erratum_seen = stack_depth(sample) == ERRATUM_DEPTH;
	return a->erratum_seen ? ERRATUM_DROPPED : 0;
}

static bool submit(struct aggregate *a, struct bc_error *err)
{
	struct batch *batch = a->batch;

	a->batch = NULL;
	return !batch || workers_submit(a->workers, batch, err);
}

/* Leave the counting of a sample to whoever is free. */
static bool defer(struct aggregate *a, const struct process_view *view,
		  const struct sample *sample, size_t skip, bool address, struct bc_error *err)
{
	if (!a->batch)
		a->batch = workers_batch(a->workers, err);
	if (!a->batch)
		return false;
	batch_add(a->batch, view, sample, skip, address);
	return !batch_is_full(a->batch) || submit(a, err);
}

/* Samples of one process come in a row. */
static struct process_view *view_of(struct aggregate *a, uint32_t pid)
{
	if (a->view_pid != pid || a->view_changes != a->maps.changes) {
		a->view = process_view(&a->maps, pid);
		a->view_pid = pid;
		a->view_changes = a->maps.changes;
	}
	return &a->view;
}

static bool take_stack(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct process_view *view = view_of(a, sample->pid);
	size_t skip = erratum_entries(a, sample, view->has_image);

	if (a->workers && sample->memory)
		return defer(a, view, sample, skip, false, err);
	return tally_stack(&a->tally, view, sample, skip, err);
}

static bool take_address(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct process_view *view = view_of(a, sample->pid);

	a->tally.ledgers.branches.read += sample->branch_count;
	a->tally.ledgers.branches.dropped[ENTRY_BASIC_MODE] += sample->branch_count;
	if (view->has_image && !add_event(a, sample->event, err))
		return false;
	if (a->workers && sample->memory)
		return defer(a, view, sample, 0, true, err);
	return tally_address(&a->tally, view, sample, err);
}

/* perf's name for sampled loads, whatever stands around it. */
static bool is_access(const struct sample *sample)
{
	static const char name[] = "mem-loads";

	for (size_t i = 0; sample->data.v && i + sizeof(name) <= sample->event.len + 1; i++)
		if (text_starts(text_from(sample->event, i), name))
			return true;
	return false;
}

/* Of a binary that is one piece, data is where it is as code is. */
static bool take_access(struct aggregate *a, const struct sample *sample, struct bc_error *err)
{
	struct ledger *ledger = &a->tally.ledgers.memory;
	struct process_view *view = view_of(a, sample->pid);
	struct vaddr at;

	ledger->read++;
	if (process_view_locate(view, sample->ip, &at) != LOCATED_IMAGE) {
		ledger->dropped[view->has_image ? ACCESS_CODE : ACCESS_NO_PROCESS]++;
		return true;
	}
	struct vaddr data = {sample->data.v - view->last->base};
	uint64_t key[COUNT_KEY_WORDS] = {at.v, data.v};
	if (!image_segment_at(a->maps.match.image, data)) {
		ledger->dropped[ACCESS_UNNAMED]++;
		return true;
	}
	return count_table_add(&a->memory, key, 1, 0) || bc_fail_nomem(err);
}

static bool leave_out(struct aggregate *a, const struct sample *sample, enum sample_drop why)
{
	struct ledgers *ledgers = &a->tally.ledgers;

	ledgers->samples.read++;
	ledgers->samples.dropped[why]++;
	ledgers->branches.read += sample->branch_count;
	ledgers->branches.dropped[ENTRY_DROPPED_SAMPLE] += sample->branch_count;
	return true;
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	struct aggregate *a = ctx;
	bool stack = a->options.mode == MODE_AUTO && sample->branch_count;
	enum sample_drop unwanted = filter_check(&a->options.filter, sample, a->samples_seen++);

	if (unwanted != SAMPLE_DROP_COUNT)
		return leave_out(a, sample, unwanted);
	if (is_access(sample)) {
		if (!take_access(a, sample, err))
			return false;
		if (!stack && a->options.mode == MODE_AUTO)
			return true;
	}
	return stack ? take_stack(a, sample, err) : take_address(a, sample, err);
}

static void on_recording(void *ctx)
{
	struct aggregate *a = ctx;

	process_maps_forget(&a->maps);
}

/* Drained in any case: what waits points into memory that is freed next. */
static bool on_settle(void *ctx, struct bc_error *err)
{
	struct aggregate *a = ctx;
	struct bc_error later = {0};

	if (!a->workers)
		return true;
	bool ok = submit(a, err);
	return workers_drain(a->workers, ok ? err : &later) && ok;
}

/* What a trace is worth where only addresses are wanted: nothing. */
static bool leave_out_trace(struct aggregate *a, const struct trace_record *record,
			    struct bc_error *err)
{
	struct ledgers *ledgers = &a->tally.ledgers;
	uint64_t branches = record->trace.branch < TRACE_FT_RETURN ? record->count : 0;
	uint64_t runs = record->trace.to != TRACE_BR_ONLY ? record->count : 0;

	ledgers->branches.dropped[ENTRY_BASIC_MODE] += branches;
	ledgers->traces.dropped[RUN_BASIC_MODE] += runs;
	return ledger_read(&ledgers->branches, branches, err) &&
	       ledger_read(&ledgers->traces, runs, err);
}

static bool defer_traces(struct aggregate *a, const struct trace_record *records, size_t count,
			 struct sample_memory *memory, struct bc_error *err)
{
	struct batch *batch = workers_batch(a->workers, err);

	if (!batch)
		return false;
	batch_traces(batch, records, count, memory);
	return workers_submit(a->workers, batch, err);
}

static bool on_traces(void *ctx, const struct trace_record *records, size_t count,
		      struct sample_memory *memory, struct bc_error *err)
{
	struct aggregate *a = ctx;
	bool basic = a->options.mode == MODE_BASIC, defer = a->workers && memory && !basic;

	for (size_t i = 0; i < count; i++) {
		const struct trace_record *record = &records[i];
		if (basic && !leave_out_trace(a, record, err))
			return false;
		if (basic)
			continue;
		if (record->is_return && !returns_add(&a->returns, record->trace.branch))
			return bc_fail_nomem(err);
		if (!defer && !tally_trace(&a->tally, record, err))
			return false;
	}
	return !defer || defer_traces(a, records, count, memory, err);
}

static bool on_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
		     uint64_t mispredicted, struct bc_error *err)
{
	struct trace_record record = {*trace, count, mispredicted, is_return};

	return on_traces(ctx, &record, 1, NULL, err);
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return tally_basic(&a->tally, at, count, err);
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	return add_event(ctx, name, err);
}

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_map(&a->maps, event, err);
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_exec(&a->maps, pid, err);
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	struct aggregate *a = ctx;

	return process_fork(&a->maps, parent, child, err);
}

static bool on_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct aggregate *a = ctx;

	(void)err;
	process_exit(&a->maps, pid, tid);
	return true;
}

struct sample_sink aggregate_sink(struct aggregate *aggregate)
{
	aggregate->erratum_seen = false;
	aggregate->samples_seen = 0;
	return (struct sample_sink){
		.ctx = aggregate, .map = on_map, .exec = on_exec, .fork = on_fork, .exit = on_exit,
		.sample = on_sample, .recording = on_recording, .settle = on_settle,
		.trace = on_trace, .traces = on_traces, .basic = on_basic, .event = on_event,
	};
}

struct pool *aggregate_pool(struct aggregate *aggregate)
{
	return workers_pool(aggregate->workers);
}

void aggregate_undelivered(struct aggregate *aggregate, enum sample_drop why, uint64_t count)
{
	aggregate->tally.ledgers.samples.read += count;
	aggregate->tally.ledgers.samples.dropped[why] += count;
}

bool aggregate_init(struct aggregate *aggregate, const struct image *image,
		    const struct aggregate_options *options,
		    const struct image_match_options *match, struct bc_error *err)
{
	*aggregate = (struct aggregate){.options = *options};
	aggregate->tally.totals = &aggregate->totals;
	counts_init(&aggregate->totals.traces);
	counts_init(&aggregate->totals.basic);
	return process_maps_init(&aggregate->maps, image, match, err) &&
	       (options->threads < 2 ||
		workers_start(options->threads, &aggregate->tally, &aggregate->workers, err));
}

void aggregate_fini(struct aggregate *aggregate)
{
	workers_stop(aggregate->workers);
	process_maps_fini(&aggregate->maps);
	tally_free(&aggregate->tally);
	counts_free(&aggregate->totals.traces);
	counts_free(&aggregate->totals.basic);
	number_set_free(&aggregate->returns.branches);
	count_table_free(&aggregate->memory);
	for (size_t i = 0; i < aggregate->events.len; i++)
		free(aggregate->events.at[i]);
	name_vec_free(&aggregate->events);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each branch can become one more trace, whose end is guessed: sums of all must fit, too. */
static bool imputed_fits(const struct ledgers *ledgers, struct bc_error *err)
{
	struct ledger traces = ledgers->traces;

	return ledger_read(&traces, ledgers->branches.read, err);
}

bool aggregate_finish(struct aggregate *aggregate, bool *basic, struct bc_error *err)
{
	struct tally *tally = &aggregate->tally;
	struct ledger *samples = &tally->ledgers.samples;

	if (aggregate->workers && !workers_collect(aggregate->workers, err))
		return false;
	if (!tally_flush(tally, err))
		return false;
	if (aggregate->options.impute && !imputed_fits(&tally->ledgers, err))
		return false;
	if (!counts_settle(&aggregate->totals.traces, aggregate->options.threads) ||
	    !counts_settle(&aggregate->totals.basic, aggregate->options.threads))
		return bc_fail_nomem(err);
	*basic = !tally->branches_seen && (tally->addresses.read || !tally->ledgers.memory.read);
	if (*basic) {
		ledger_add(samples, &tally->addresses);
	} else {
		/* Plain addresses say nothing about branches. */
		samples->read += tally->addresses.read;
		samples->dropped[SAMPLE_NO_STACK] += tally->addresses.read;
	}
	if (aggregate->events.len)
		qsort(aggregate->events.at, aggregate->events.len, sizeof(char *), compare_events);
	return true;
}
