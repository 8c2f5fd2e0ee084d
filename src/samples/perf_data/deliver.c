/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/deliver.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "src/samples/perf_data/processor_trace.h"

bool perf_delivery_init(struct perf_delivery *delivery, const struct perf_setup *setup, const struct event_sink *sink,
			struct perf_data_report *details)
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

static bool fail_cut(const struct perf_delivery *delivery, const struct perf_record *record,
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
		event = record->type == PERF_RECORD_SAMPLE
				? perf_events_of_sample(events, record->body)
				: perf_events_of_record(events, record->body);
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
		return fail_cut(delivery, record, "a sample", err);
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
		return fail_cut(delivery, record, "a mapping", err);
	if (!map.build_id.size) {
		const struct build_id *id =
			perf_build_ids_find(&delivery->setup->features.build_ids, map.path);
		if (id)
			map.build_id = *id;
	}
	map.id_may_come = map.executable && !map.build_id.size && perf_setup_ids_may_come(delivery->setup);
	delivery->ids_may_come |= map.id_may_come;
	return event_deliver(delivery->sink, &event, err);
}

static bool deliver_comm(struct perf_delivery *delivery, uint64_t time,
			 const struct perf_record *record, struct bc_error *err)
{
	struct perf_comm comm;

	if (!perf_record_comm(record, trailer_size(delivery, record), &comm))
		return fail_cut(delivery, record, "a name", err);
	const struct event event = {.kind = EVENT_EXEC, .time = time, .task = {.pid = comm.pid}};
	return !comm.exec || event_deliver(delivery->sink, &event, err);
}

static bool deliver_task(struct perf_delivery *delivery, uint64_t time,
			 const struct perf_record *record, struct bc_error *err)
{
	struct perf_task task;

	if (!perf_record_task(record, &task))
		return fail_cut(delivery, record, "a fork or exit", err);
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
	case PERF_RECORD_MMAP2:
		return deliver_map(delivery, time, record, err);
	case PERF_RECORD_COMM:
		return deliver_comm(delivery, time, record, err);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return deliver_task(delivery, time, record, err);
	default: /* says which task runs: of traces alone */
		return true;
	}
}

/* What traces have of the time before comes first. */
static bool deliver_traces(struct perf_delivery *delivery, uint64_t time, const struct perf_record *record, struct bc_error *err)
{
	struct perf_traces *traces = delivery->traces;

	return !traces || !traces->decodes || ((!time || perf_traces_deliver(traces, time - 1, delivery->event_time, err)) &&
					       perf_traces_task(traces, time, record, err));
}

bool perf_delivery_record(void *ctx, uint64_t time, const struct perf_record *record, struct bc_error *err)
{
	struct perf_delivery *delivery = ctx;
	bool is_sample = record->type == PERF_RECORD_SAMPLE;

	if (is_sample && time && time < delivery->event_time) {
		delivery->details->late++;
		return true;
	}
	bool ok = is_sample ? deliver_sample(delivery, time, record, err)
			    : deliver_traces(delivery, time, record, err) && deliver_event(delivery, time, record, err);
	if (time > delivery->time)
		delivery->time = time;
	return ok;
}

bool perf_delivery_lost(struct perf_delivery *delivery, const struct perf_record *record, struct bc_error *err)
{
	struct perf_data_report *details = delivery->details;
	uint64_t lost;

	if (!perf_record_lost(record, &lost))
		return fail_cut(delivery, record, "a record of losses", err);
	*(record->type == PERF_RECORD_LOST ? &details->lost_events : &details->lost_samples) += lost;
	return true;
}
