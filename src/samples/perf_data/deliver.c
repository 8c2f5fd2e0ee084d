/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/deliver.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/processor_trace.h"

/* ---- the order of times ---- */

void perf_order_init(struct perf_order *order, struct perf_pool *pool, struct perf_deliver deliver,
		     struct perf_order_limit most, struct perf_order_limit in_rounds)
{
	*order = (struct perf_order){
		.pool = pool,
		.deliver = deliver,
		.most = most,
		.in_rounds = in_rounds,
		.sorted = true,
	};
}

void perf_order_fini(struct perf_order *order)
{
	for (size_t i = order->begin; i < order->end; i++)
		perf_pool_release(order->pool, order->at[i].block);
	free(order->at);
	free(order->spare);
	*order = (struct perf_order){0};
}

/* The end of the sorted run that begins at `from`. */
static size_t run_end(const struct perf_pending *at, size_t from, size_t end)
{
	size_t i = from + 1;

	while (i < end && at[i - 1].time <= at[i].time)
		i++;
	return i < end ? i : end;
}

static void merge(const struct perf_pending *left, const struct perf_pending *right,
		  const struct perf_pending *end, struct perf_pending *out)
{
	const struct perf_pending *l = left, *r = right;

	while (l < right && r < end)
		*out++ = r->time < l->time ? *r++ : *l++;
	while (l < right)
		*out++ = *l++;
	while (r < end)
		*out++ = *r++;
}

/* One pass that merges runs in pairs.  Returns how many runs were left. */
static size_t merge_pass(const struct perf_pending *at, size_t begin, size_t end,
			 struct perf_pending *out)
{
	size_t runs = 0;

	for (size_t from = begin; from < end; runs++) {
		size_t middle = run_end(at, from, end);
		size_t to = middle < end ? run_end(at, middle, end) : end;
		merge(at + from, at + middle, at + to, out + from);
		from = to;
	}
	return runs;
}

static bool make_spare(struct perf_order *order, struct bc_error *err)
{
	if (order->spare_capacity >= order->capacity)
		return true;
	struct perf_pending *spare = malloc(order->capacity * sizeof(*spare));
	if (!spare)
		return bc_fail_nomem(err);
	free(order->spare);
	order->spare = spare;
	order->spare_capacity = order->capacity;
	return true;
}

static void swap_spare(struct perf_order *order)
{
	struct perf_pending *sorted = order->spare;
	size_t capacity = order->spare_capacity;

	order->spare = order->at;
	order->spare_capacity = order->capacity;
	order->at = sorted;
	order->capacity = capacity;
}

/* Natural merge sort: it merges the ascending runs that the records already have, each about
 * as long as one buffer of the kernel.  It is stable. */
static bool sort(struct perf_order *order, struct bc_error *err)
{
	size_t runs = order->sorted ? 1 : 2;

	if (runs > 1 && !make_spare(order, err))
		return false;
	while (runs > 1) {
		runs = merge_pass(order->at, order->begin, order->end, order->spare);
		swap_spare(order);
	}
	order->sorted = true;
	return true;
}

static bool deliver_first(struct perf_order *order, struct bc_error *err)
{
	struct perf_pending *first = &order->at[order->begin++];
	struct perf_record record = {
		.type = le32(first->header),
		.misc = le16(first->header + 4),
		.body = {first->header + PERF_RECORD_HEADER_SIZE,
			 (size_t)le16(first->header + 6) - PERF_RECORD_HEADER_SIZE},
		.offset = first->offset,
		.block = first->block,
	};
	if (!--first->block->waiting)
		order->blocks--;
	bool ok = order->deliver.record(order->deliver.ctx, first->time, &record, err);

	perf_pool_release(order->pool, first->block);
	return ok;
}

bool perf_order_flush(struct perf_order *order, uint64_t time, struct bc_error *err)
{
	if (!sort(order, err))
		return false;
	while (order->begin < order->end && order->at[order->begin].time <= time)
		if (!deliver_first(order, err))
			return false;
	return true;
}

bool perf_order_round(struct perf_order *order, struct bc_error *err)
{
	uint64_t limit = order->round_limit;

	order->most = order->in_rounds;
	order->round_limit = order->newest;
	return perf_order_flush(order, limit, err);
}

static bool flush_half(struct perf_order *order, struct bc_error *err)
{
	size_t until = order->end - (order->end - order->begin) / 2;

	if (!sort(order, err))
		return false;
	while (order->begin < until)
		if (!deliver_first(order, err))
			return false;
	return true;
}

static bool grow(struct perf_order *order)
{
	size_t capacity = order->capacity ? 2 * order->capacity : 1024;
	struct perf_pending *at = realloc(order->at, capacity * sizeof(*at));

	if (!at)
		return false;
	order->at = at;
	order->capacity = capacity;
	return true;
}

/* Make room for one more record, first at the front, where records were delivered. */
static bool make_room(struct perf_order *order)
{
	size_t left = order->end - order->begin;

	if (order->end < order->capacity)
		return true;
	if (order->begin < order->capacity / 2)
		return grow(order);
	if (order->begin) {
		memmove(order->at, order->at + order->begin, left * sizeof(*order->at));
		order->begin = 0;
		order->end = left;
	}
	return order->end < order->capacity || grow(order);
}

static bool is_full(const struct perf_order *order)
{
	return order->blocks > order->most.blocks ||
	       order->end - order->begin >= order->most.records;
}

bool perf_order_put(struct perf_order *order, uint64_t time, const struct perf_record *record,
		    struct bc_error *err)
{
	while (is_full(order) && order->begin < order->end)
		if (!flush_half(order, err))
			return false;
	if (!make_room(order))
		return bc_fail_nomem(err);
	if (order->begin < order->end && time < order->at[order->end - 1].time)
		order->sorted = false;
	if (time > order->newest)
		order->newest = time;
	perf_block_hold(record->block);
	if (!record->block->waiting++)
		order->blocks++;
	order->at[order->end++] = (struct perf_pending){
		.time = time,
		.header = record->body.data - PERF_RECORD_HEADER_SIZE,
		.block = record->block,
		.offset = record->offset,
	};
	return true;
}

/* ---- events ---- */

bool perf_delivery_init(struct perf_delivery *delivery, const struct perf_setup *setup,
			const struct event_sink *sink, struct perf_data_report *details)
{
	*delivery = (struct perf_delivery){.setup = setup, .sink = sink, .details = details};
	delivery->scratch = malloc(PERF_BRANCHES_MAX * sizeof(*delivery->scratch));
	delivery->callchain = malloc(PERF_CALLCHAIN_MAX * sizeof(*delivery->callchain));
	return delivery->scratch && delivery->callchain;
}

void perf_delivery_fini(struct perf_delivery *delivery)
{
	free(delivery->scratch);
	free(delivery->callchain);
	*delivery = (struct perf_delivery){0};
}

static bool fail_incomplete(const struct perf_delivery *delivery, const struct perf_record *record,
			    const char *what, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: %s of %zu bytes is cut, byte %" PRIu64, delivery->file,
		       what, record->body.size + PERF_RECORD_HEADER_SIZE, record->offset);
}

static bool is_guest(const struct perf_record *record)
{
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

static const struct perf_sample_layout *layout_of(const struct perf_delivery *delivery,
						  const struct perf_record *record)
{
	const struct perf_events *events = &delivery->setup->events;
	const struct perf_event *event = events->all.at;

	if (!events->same_layout)
		event = record->type == PERF_RECORD_SAMPLE ?
				perf_events_of_sample(events, record->body) :
				perf_events_of_record(events, record->body);
	return event ? &event->layout : NULL;
}

uint64_t perf_delivery_time(const struct perf_delivery *delivery, const struct perf_record *record)
{
	const struct perf_sample_layout *layout = layout_of(delivery, record);

	if (!layout || layout->time == PERF_NO_FIELD)
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		return perf_sample_time(layout, record->body);
	return perf_trailer_parse(layout, record->body).time;
}

static void note_delivered(struct perf_data_report *details, uint64_t time)
{
	details->delivered++;
	if (time && (!details->first_ns || time < details->first_ns))
		details->first_ns = time;
	if (time > details->last_ns)
		details->last_ns = time;
}

static bool deliver_sample(struct perf_delivery *delivery, uint64_t time,
			   const struct perf_record *record, struct bc_error *err)
{
	const struct perf_event *event =
		perf_events_of_sample(&delivery->setup->events, record->body);
	struct perf_sample sample;

	if (!event) {
		delivery->details->of_unknown_events++;
		return true;
	}
	if (is_guest(record)) {
		delivery->details->of_guests++;
		return true;
	}
	if (!perf_sample_parse(&event->layout, record->body, &sample))
		return fail_incomplete(delivery, record, "a sample", err);
	delivery->details->traced_samples += sample.trace_size != 0;
	delivery->details->traced_bytes += sample.trace_size;
	struct sample out = {
		.pid = event->layout.tid == PERF_NO_FIELD ? NO_PID : sample.pid,
		.ip.v = sample.ip,
		.no_ip = event->layout.ip == PERF_NO_FIELD,
		.data.v = sample.addr,
		.has_stack = sample.has_stack,
		.branches = perf_branches(&sample, delivery->scratch),
		.branch_count = sample.branch_count,
		.partial = event->partial_stacks,
		.event = text_of(event->label),
		.callchain = delivery->callchain,
		.callchain_count = perf_callchain(&sample, delivery->callchain),
	};
	struct event tell = {.kind = EVENT_SAMPLE, .time = time, .sample = &out};
	if (out.branches != delivery->scratch)
		tell.memory = &record->block->memory;
	note_delivered(delivery->details, time);
	return event_deliver(delivery->sink, &tell, err);
}

/* The size of the trailer that the records of process events end with. */
static size_t trailer_size(const struct perf_delivery *delivery, const struct perf_record *record)
{
	const struct perf_sample_layout *layout = layout_of(delivery, record);

	return layout ? layout->end_size : 0;
}

static bool deliver_map(struct perf_delivery *delivery, uint64_t time,
			const struct perf_record *record, struct bc_error *err)
{
	struct map_event map;
	const struct event event = {.kind = EVENT_MAP, .time = time, .map = &map};

	if (!perf_record_map(record, trailer_size(delivery, record), &map))
		return fail_incomplete(delivery, record, "a mapping", err);
	if (!map.build_id.size) {
		const struct build_id *id =
			perf_build_ids_find(&delivery->setup->features.build_ids, map.path);
		if (id)
			map.build_id = *id;
	}
	map.id_may_come =
		map.executable && !map.build_id.size && perf_setup_ids_may_come(delivery->setup);
	delivery->ids_may_come |= map.id_may_come;
	return event_deliver(delivery->sink, &event, err);
}

static bool deliver_comm(struct perf_delivery *delivery, uint64_t time,
			 const struct perf_record *record, struct bc_error *err)
{
	struct perf_comm comm;

	if (!perf_record_comm(record, trailer_size(delivery, record), &comm))
		return fail_incomplete(delivery, record, "a name", err);
	const struct event event = {.kind = EVENT_EXEC, .time = time, .task = {.pid = comm.pid}};
	return !comm.exec || event_deliver(delivery->sink, &event, err);
}

static bool deliver_task(struct perf_delivery *delivery, uint64_t time,
			 const struct perf_record *record, struct bc_error *err)
{
	struct perf_task task;

	if (!perf_record_task(record, &task))
		return fail_incomplete(delivery, record, "a fork or exit", err);
	const struct event event = {
		.kind = record->type == PERF_RECORD_FORK ? EVENT_FORK : EVENT_EXIT,
		.time = time,
		.task = {task.pid, task.tid, task.parent_pid},
	};
	return event_deliver(delivery->sink, &event, err);
}

/* A thread that only gets another name changes no mapping. */
static bool is_process_event(const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_COMM: return record->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return true;
	default: return false;
	}
}

static bool deliver_event(struct perf_delivery *delivery, uint64_t time,
			  const struct perf_record *record, struct bc_error *err)
{
	if (!is_process_event(record) || is_guest(record))
		return true;
	if (time && time < delivery->time)
		delivery->details->late_events++;
	if (time > delivery->event_time)
		delivery->event_time = time;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return deliver_map(delivery, time, record, err);
	case PERF_RECORD_COMM: return deliver_comm(delivery, time, record, err);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return deliver_task(delivery, time, record, err);
	default: /* says which task runs: of traces alone */ return true;
	}
}

/* What traces have of the time before comes first. */
static bool deliver_traces(struct perf_delivery *delivery, uint64_t time,
			   const struct perf_record *record, struct bc_error *err)
{
	struct perf_traces *traces = delivery->traces;

	return !traces || !traces->decodes ||
	       ((!time || perf_traces_deliver(traces, time - 1, delivery->event_time, err)) &&
		perf_traces_task(traces, time, record, err));
}

bool perf_delivery_record(void *ctx, uint64_t time, const struct perf_record *record,
			  struct bc_error *err)
{
	struct perf_delivery *delivery = ctx;
	bool is_sample = record->type == PERF_RECORD_SAMPLE;

	if (is_sample && time && time < delivery->event_time) {
		delivery->details->late++;
		return true;
	}
	bool ok = is_sample ? deliver_sample(delivery, time, record, err) :
			      deliver_traces(delivery, time, record, err) &&
				      deliver_event(delivery, time, record, err);
	if (time > delivery->time)
		delivery->time = time;
	return ok;
}

bool perf_delivery_lost(struct perf_delivery *delivery, const struct perf_record *record,
			struct bc_error *err)
{
	struct perf_data_report *details = delivery->details;
	uint64_t lost;

	if (!perf_record_lost(record, &lost))
		return fail_incomplete(delivery, record, "a record of losses", err);
	*(record->type == PERF_RECORD_LOST ? &details->lost_events : &details->lost_samples) +=
		lost;
	return true;
}
