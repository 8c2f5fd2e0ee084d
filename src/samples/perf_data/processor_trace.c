/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/processor_trace.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/aux/etm.h"
#include "src/samples/aux/queue.h"
#include "src/samples/perf_data/perf_records.h"

#define SWITCH_OUT 0x2000

void trace_owners_free(struct trace_owners *owners)
{
	trace_task_vec_free(&owners->tasks);
	map_free(&owners->by_tid);
	trace_cpu_vec_free(&owners->cpus);
	map_free(&owners->by_cpu);
}

DEFINE_FIELD_MAP(by_tid, struct trace_task, tid);
DEFINE_FIELD_MAP(by_cpu, struct trace_cpu, cpu);

/* NULL: out of memory */
static struct trace_task *obtain_task(struct trace_owners *owners, uint32_t tid)
{
	uint32_t number;

	if (by_tid_find(&owners->by_tid, owners->tasks.at, tid, &number))
		return &owners->tasks.at[number];
	number = (uint32_t)owners->tasks.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&owners->by_tid, 1) ||
	    !trace_task_vec_push(&owners->tasks, (struct trace_task){.tid = tid, .pid = tid}))
		return NULL;
	by_tid_put(&owners->by_tid, tid, number);
	return &owners->tasks.at[number];
}

/* A thread is of this process. */
static bool set_task(struct trace_owners *owners, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct trace_task *task = obtain_task(owners, tid);

	if (!task)
		return bc_fail_nomem(err);
	owners->changes += task->pid != pid;
	task->pid = pid;
	return true;
}

/* A process runs another program from a time on. */
static bool set_since(struct trace_owners *owners, uint32_t pid, uint64_t time,
		      struct bc_error *err)
{
	struct trace_task *task = obtain_task(owners, pid);

	if (!task)
		return bc_fail_nomem(err);
	task->since = time;
	return true;
}

static bool set_cpu(struct trace_owners *owners, uint32_t cpu, struct trace_owner owner,
		    struct bc_error *err)
{
	uint32_t number;

	if (cpu == AUX_NONE)
		return true;
	owners->changes++;
	if (by_cpu_find(&owners->by_cpu, owners->cpus.at, cpu, &number)) {
		owners->cpus.at[number].owner = owner;
		return true;
	}
	number = (uint32_t)owners->cpus.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&owners->by_cpu, 1) ||
	    !trace_cpu_vec_push(&owners->cpus, (struct trace_cpu){cpu, owner}))
		return bc_fail_nomem(err);
	by_cpu_put(&owners->by_cpu, cpu, number);
	return true;
}

static bool pid_of_thread(const struct trace_owners *owners, uint32_t tid, uint32_t *pid)
{
	uint32_t number;

	if (!by_tid_find(&owners->by_tid, owners->tasks.at, tid, &number))
		return false;
	*pid = owners->tasks.at[number].pid;
	return true;
}

/* The number that the kernel writes is the thread's outside of all containers.  If the recording
 * knows no such thread, what it says of the processor is nearer. */
struct trace_owner trace_owners_find(const struct trace_owners *owners,
				     const struct trace_hint *hint)
{
	uint32_t pid, number;

	if (hint->cpu == AUX_NONE && hint->tid != AUX_NONE)
		return (struct trace_owner){
			pid_of_thread(owners, hint->tid, &pid) ? pid : hint->tid, hint->tid};
	if (hint->has_context && pid_of_thread(owners, hint->context, &pid))
		return (struct trace_owner){pid, hint->context};
	if (by_cpu_find(&owners->by_cpu, owners->cpus.at, hint->cpu, &number) &&
	    owners->cpus.at[number].owner.pid != NO_PID)
		return owners->cpus.at[number].owner;
	return hint->has_context ? (struct trace_owner){hint->context, hint->context} :
				   (struct trace_owner){NO_PID, NO_PID};
}

struct perf_trailer trace_trailer(const struct perf_setup *setup, const struct perf_record *record)
{
	const struct perf_event *event = perf_events_of_record(&setup->events, record->body);

	return event ? perf_trailer_parse(&event->layout, record->body) :
		       (struct perf_trailer){.cpu = PERF_NO_CPU};
}

static bool take_switch(struct trace_owners *owners, const struct perf_setup *setup,
			const struct perf_record *record, struct bc_error *err)
{
	struct perf_trailer trailer = trace_trailer(setup, record);
	struct perf_cursor c = perf_cursor(record->body);
	struct trace_owner runs = {trailer.pid, trailer.tid};

	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE && (record->misc & SWITCH_OUT)) {
		runs.pid = cursor_u32(&c);
		runs.tid = cursor_u32(&c);
		if (!c.failed && runs.pid != NO_PID && !set_task(owners, runs.pid, runs.tid, err))
			return false;
	} else if (record->misc & SWITCH_OUT) {
		runs = (struct trace_owner){NO_PID, NO_PID};
	}
	return set_cpu(owners, trailer.cpu, runs, err);
}

static bool take_start(struct trace_owners *owners, const struct perf_setup *setup,
		       const struct perf_record *record, struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(record->body);
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);

	return c.failed || pid == NO_PID ||
	       (set_task(owners, pid, tid, err) && set_cpu(owners, trace_trailer(setup, record).cpu,
							   (struct trace_owner){pid, tid}, err));
}

bool trace_owners_take(struct trace_owners *owners, const struct perf_setup *setup, uint64_t time,
		       const struct perf_record *record, struct bc_error *err)
{
	struct perf_comm comm;
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_COMM:
		return !perf_record_comm(record, 0, &comm) ||
		       (set_task(owners, comm.pid, comm.tid, err) &&
			(!comm.exec || set_since(owners, comm.pid, time, err)));
	case PERF_RECORD_FORK:
		return !perf_record_task(record, &task) ||
		       (set_task(owners, task.pid, task.tid, err) &&
			(task.pid == task.parent_pid || set_since(owners, task.pid, time, err)));
	case PERF_RECORD_ITRACE_START: return take_start(owners, setup, record, err);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return take_switch(owners, setup, record, err);
	default: return true;
	}
}

bool trace_owners_gone(const struct trace_owners *owners, uint32_t pid, uint64_t time)
{
	uint32_t number;

	return by_tid_find(&owners->by_tid, owners->tasks.at, pid, &number) &&
	       owners->tasks.at[number].since > time;
}

/* Flags of AUX records; the last two are younger than some headers. */
#define AUX_TRUNCATED     UINT64_C(1)
#define AUX_OVERWRITE     UINT64_C(2)
#define AUX_PARTIAL       UINT64_C(4)
#define AUX_COLLISION     UINT64_C(8)
#define AUX_CORESIGHT_RAW UINT64_C(0x100)

#define AUXTRACE_BODY 40
#define USE_CLOCKID   (UINT64_C(1) << 25) /* in the bit field of an event */

/* perf's name of the samples that it makes of branches. */
static const char branch_event[] = "branch:";

void perf_traces_init(struct perf_traces *traces, struct perf_setup *setup,
		      const struct event_sink *sink, const struct flow_taker *flow,
		      struct perf_pool *pool, struct perf_data_report *details)
{
	*traces = (struct perf_traces){.setup = setup,
				       .sink = sink,
				       .pool = pool,
				       .details = details,
				       .flow = flow,
				       .owners.changes = 1};
}

void perf_traces_fini(struct perf_traces *traces)
{
	if (traces->pool)
		perf_pool_release(traces->pool, traces->block);
	flow_lanes_free(&traces->flows);
	free(traces->gathered);
	aux_queues_free(&traces->queues);
	trace_notice_vec_free(&traces->notices);
	trace_lane_vec_free(&traces->lanes);
	trace_next_vec_free(&traces->heap);
	trace_owners_free(&traces->owners);
	*traces = (struct perf_traces){0};
}

static struct perf_trailer trailer_of(const struct perf_traces *traces,
				      const struct perf_record *record)
{
	return trace_trailer(traces->setup, record);
}

bool perf_traces_task(struct perf_traces *traces, uint64_t time, const struct perf_record *record,
		      struct bc_error *err)
{
	return trace_owners_take(&traces->owners, traces->setup, time, record, err);
}

/* ---- the order of queues: a heap, of which the first is the smallest ---- */

static bool is_before(const struct trace_next *a, const struct trace_next *b)
{
	return a->time != b->time ? a->time < b->time : a->lane < b->lane;
}

static void swap(struct trace_next *a, struct trace_next *b)
{
	struct trace_next c = *a;

	*a = *b;
	*b = c;
}

static bool heap_push(struct perf_traces *traces, struct trace_next next, struct bc_error *err)
{
	struct trace_next_vec *heap = &traces->heap;

	if (!trace_next_vec_push(heap, next))
		return bc_fail_nomem(err);
	for (size_t i = heap->len - 1; i && is_before(&heap->at[i], &heap->at[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap(&heap->at[i], &heap->at[(i - 1) / 2]);
	return true;
}

static struct trace_next heap_pop(struct perf_traces *traces)
{
	struct trace_next_vec *heap = &traces->heap;
	struct trace_next first = heap->at[0];

	heap->at[0] = heap->at[--heap->len];
	for (size_t i = 0;;) {
		size_t least = i, child = 2 * i + 1;
		if (child < heap->len && is_before(&heap->at[child], &heap->at[least]))
			least = child;
		if (child + 1 < heap->len && is_before(&heap->at[child + 1], &heap->at[least]))
			least = child + 1;
		if (least == i)
			return first;
		swap(&heap->at[i], &heap->at[least]);
		i = least;
	}
}

/* ---- samples of Arm SPE ---- */

/* The time of what was read, and what of it is a branch. */
static void note_record(struct perf_traces *traces, const struct aux_queue *queue,
			struct trace_lane *lane)
{
	const struct spe_record *record = &lane->spe.record;

	if (record->ticks && traces->clock.known) {
		lane->time = aux_clock_ns(&traces->clock, record->ticks);
		lane->stamped = true;
	} else if (!lane->stamped) {
		lane->time = queue->time;
	}
	traces->details->trace.operations++;
	traces->details->trace.branches += record->is_branch;
}

/* Read up to the next branch, which waits then, or to the end of what there is. */
static bool read_branch(struct perf_traces *traces, uint32_t number, struct bc_error *err)
{
	struct aux_queue *queue = &traces->queues.all.at[number];
	struct trace_lane *lane = &traces->lanes.at[number];

	lane->waits = false;
	for (;;) {
		struct bytes rest = aux_queue_bytes(queue);
		bool whole = spe_next(&lane->spe, &rest, aux_queue_at(queue));
		aux_queue_keep(queue, rest.size);
		if (whole) {
			note_record(traces, queue, lane);
			lane->waits = lane->spe.record.is_branch;
			if (lane->waits)
				return true;
			continue;
		}
		enum aux_more more = aux_queue_read(&traces->queues, number, err);
		if (more == AUX_FAILED || more == AUX_NO_MORE)
			return more == AUX_NO_MORE;
		if (more != AUX_MORE) {
			traces->details->trace.gaps += more == AUX_GAP;
			traces->details->trace.damaged +=
				spe_cut(&lane->spe, more == AUX_GAP) || rest.size;
		}
	}
}

/* A queue has bytes again. */
static bool wake_samples(struct perf_traces *traces, uint32_t number, struct bc_error *err)
{
	while (traces->lanes.len <= number)
		if (!trace_lane_vec_push(&traces->lanes, (struct trace_lane){0}))
			return bc_fail_nomem(err);
	struct trace_lane *lane = &traces->lanes.at[number];
	if (lane->waits)
		return true;
	return read_branch(traces, number, err) &&
	       (!lane->waits || heap_push(traces, (struct trace_next){lane->time, number}, err));
}

/* Records of one thread come in a row. */
static uint32_t pid_of(const struct perf_traces *traces, const struct aux_queue *queue,
		       struct trace_lane *lane)
{
	const struct spe_record *record = &lane->spe.record;
	const struct trace_hint hint = {queue->cpu, queue->tid, record->context,
					record->has_context};

	if (lane->changes != traces->owners.changes || lane->context != record->context ||
	    lane->has_context != record->has_context) {
		lane->pid = trace_owners_find(&traces->owners, &hint).pid;
		lane->changes = traces->owners.changes;
		lane->context = record->context;
		lane->has_context = record->has_context;
	}
	return lane->pid;
}

/* Room for a branch and an entry without a source.  NULL: out of memory. */
static struct branch *make_room(struct perf_traces *traces)
{
	const size_t size = 2 * sizeof(struct branch);

	if (!traces->block || PERF_BLOCK_SIZE - traces->used < size) {
		perf_pool_release(traces->pool, traces->block);
		traces->block = perf_pool_take(traces->pool);
		traces->used = 0;
	}
	return traces->block ? (struct branch *)(void *)(traces->block->data + traces->used) : NULL;
}

static void note_time(struct perf_data_report *details, uint64_t time)
{
	if (!time)
		return;
	if (!details->first_ns || time < details->first_ns)
		details->first_ns = time;
	if (time > details->last_ns)
		details->last_ns = time;
}

/* Every instruction of Arm is of 4 bytes. */
static bool deliver_branch(struct perf_traces *traces, const struct spe_record *record,
			   uint32_t pid, uint64_t time, struct bc_error *err)
{
	struct branch *branches = make_room(traces);
	bool not_taken = record->events & SPE_EVENT_NOT_TAKEN;

	if (!branches)
		return bc_fail_nomem(err);
	branches[0] = (struct branch){
		.from = record->pc,
		.to = not_taken ? record->pc + 4 : record->target,
		.flags = (record->events & SPE_EVENT_MISPREDICTED ? BRANCH_MISPREDICTED : 0) |
			 (not_taken ? BRANCH_NOT_TAKEN : 0),
	};
	size_t count = 1;
	if (record->before)
		branches[count++] = (struct branch){.to = record->before};
	traces->used += count * sizeof(*branches);
	const struct sample sample = {
		.pid = pid,
		.ip.v = record->pc,
		.has_stack = true,
		.branches = branches,
		.branch_count = count,
		.event = {branch_event, sizeof(branch_event) - 1},
	};
	const struct event event = {.kind = EVENT_SAMPLE,
				    .time = time,
				    .memory = &traces->block->memory,
				    .sample = &sample};
	traces->details->delivered++;
	traces->details->trace.unattributed += pid == NO_PID && !(record->pc >> 63);
	note_time(traces->details, time);
	return event_deliver(traces->sink, &event, err);
}

/* All samples of a queue up to a time. */
static bool deliver_samples(struct perf_traces *traces, uint32_t number, uint64_t until,
			    uint64_t latest, struct bc_error *err)
{
	struct aux_queue *queue = &traces->queues.all.at[number];
	struct trace_lane *lane = &traces->lanes.at[number];

	do {
		uint64_t time = lane->stamped ? lane->time : 0;
		uint32_t pid = pid_of(traces, queue, lane);
		if (time && time < latest && trace_owners_gone(&traces->owners, pid, time))
			traces->details->late++;
		else if (!deliver_branch(traces, &lane->spe.record, pid, time, err))
			return false;
		if (!read_branch(traces, number, err))
			return false;
	} while (lane->waits && lane->time <= until);
	return !lane->waits || heap_push(traces, (struct trace_next){lane->time, number}, err);
}

/* ---- branch outcomes ---- */

/* The lanes of a queue that wait now. */
static bool queue_lanes(struct perf_traces *traces, uint32_t queue, struct bc_error *err)
{
	for (uint32_t i = flow_lanes_first(&traces->flows, queue); i != FLOW_NO_LANE;
	     i = traces->flows.all.at[i].next) {
		struct flow_lane *lane = &traces->flows.all.at[i];
		if (!lane->waits || lane->in_order)
			continue;
		lane->in_order = true;
		if (!heap_push(traces, (struct trace_next){lane->time, i}, err))
			return false;
	}
	return true;
}

static bool wake_flows(struct perf_traces *traces, uint32_t queue, struct bc_error *err)
{
	return flow_lanes_wake(&traces->flows, queue, &traces->clock, err) &&
	       queue_lanes(traces, queue, err);
}

/* Hand over what was gathered of a lane. */
static bool hand_over(struct perf_traces *traces, struct bc_error *err)
{
	struct trace_flow *flow = &traces->gather;
	bool any = flow->count;

	flow->at = traces->gathered;
	bool ok = !any || traces->flow->take(traces->flow->ctx, flow, err);
	flow->count = 0;
	return ok;
}

/* Put the branch outcomes that wait after those that were gathered, if they are of the same
 * thread. */
static bool gather(struct perf_traces *traces, uint32_t number, struct trace_owner owner,
		   struct bc_error *err)
{
	struct flow_lane *lane = &traces->flows.all.at[number];
	struct trace_flow *flow = &traces->gather;

	if (flow->count &&
	    (flow->pid != owner.pid || flow->tid != owner.tid ||
	     PERF_FLOW_MOST - flow->count <= lane->batch.count) &&
	    !hand_over(traces, err))
		return false;
	if (!traces->gathered &&
	    !(traces->gathered = malloc(PERF_FLOW_MOST * sizeof(*traces->gathered))))
		return bc_fail_nomem(err);
	if (!flow->count)
		*flow = (struct trace_flow){
			.rules = lane->asks.rules,
			.waits_ask = lane->asks.waits_ask,
			.lane = number,
			.pid = owner.pid,
			.tid = owner.tid,
			.time = lane->stamped ? lane->time : 0,
		};
	if (lane->missed)
		traces->gathered[flow->count++] = (struct flow_answer){.kind = FLOW_LOST};
	lane->missed = false;
	memcpy(traces->gathered + flow->count, lane->batch.at,
	       lane->batch.count * sizeof(*lane->batch.at));
	flow->count += lane->batch.count;
	flow->trace_bytes += lane->read;
	return true;
}

static struct trace_owner owner_of(const struct perf_traces *traces, const struct flow_lane *lane)
{
	const struct trace_hint hint = {lane->source.cpu, lane->source.tid, lane->place.context,
					lane->place.has_context};

	return trace_owners_find(&traces->owners, &hint);
}

/* Bits and addresses, counted as decoders count them (struct answer_counts). */
static uint64_t answers_of(const struct flow_lane *lane)
{
	uint64_t count = 0;

	for (size_t i = 0; i < lane->batch.count; i++) {
		const struct flow_answer *answer = &lane->batch.at[i];
		if (answer->kind == FLOW_BITS)
			count += answer->count;
		else
			count += answer->kind == FLOW_TARGET;
	}
	return count;
}

/* All branch outcomes of a lane up to a time. */
static bool deliver_flows(struct perf_traces *traces, uint32_t number, uint64_t until,
			  uint64_t latest, struct bc_error *err)
{
	struct flow_lane *lane = &traces->flows.all.at[number];
	uint32_t queue = lane->queue;

	lane->in_order = false;
	do {
		uint64_t time = lane->stamped ? lane->time : 0;
		struct trace_owner owner = owner_of(traces, lane);
		if (time && time < latest && trace_owners_gone(&traces->owners, owner.pid, time)) {
			traces->details->trace.late += answers_of(lane);
			lane->missed = true;
		} else {
			note_time(traces->details, time);
			if (!gather(traces, number, owner, err))
				return false;
		}
		if (!flow_lane_next(&traces->flows, number, &traces->clock, err))
			return false;
		lane = &traces->flows.all.at[number];
	} while (lane->waits && lane->time <= until);
	return hand_over(traces, err) && wake_flows(traces, queue, err);
}

static void end_flows(const struct perf_traces *traces, struct perf_trace_report *report)
{
	struct answer_counts counts = flow_lanes_counts(&traces->flows);

	report->conditional = counts.bits;
	report->indirect = counts.targets;
	report->dropped = counts.dropped;
	report->overflows = counts.overflows;
	report->bad_bytes = counts.bad_bytes;
	report->unknown_packets = counts.unknown_packets;
	report->gaps = traces->flows.gaps;
	report->queues = traces->flows.all.len;
}

/* ---- both ---- */

static bool wake(struct perf_traces *traces, uint32_t queue, struct bc_error *err)
{
	return traces->flows.reader ? wake_flows(traces, queue, err) :
				      wake_samples(traces, queue, err);
}

static bool deliver_lane(struct perf_traces *traces, uint32_t number, uint64_t until,
			 uint64_t latest, struct bc_error *err)
{
	return traces->flows.reader ? deliver_flows(traces, number, until, latest, err) :
				      deliver_samples(traces, number, until, latest, err);
}

/* All queues of a file begin at once, when its clock is known. */
static bool wake_all(struct perf_traces *traces, struct bc_error *err)
{
	traces->asleep = false;
	for (uint32_t i = 0; i < traces->queues.all.len; i++)
		if (!wake(traces, i, err))
			return false;
	return true;
}

bool perf_traces_deliver(struct perf_traces *traces, uint64_t until, uint64_t latest,
			 struct bc_error *err)
{
	if (traces->asleep && !wake_all(traces, err))
		return false;
	while (traces->heap.len && traces->heap.at[0].time <= until)
		if (!deliver_lane(traces, heap_pop(traces).lane, until, latest, err))
			return false;
	return true;
}

void perf_traces_end(struct perf_traces *traces)
{
	struct perf_trace_report *report = &traces->details->trace;

	if (traces->flows.reader)
		end_flows(traces, report);
	for (size_t i = 0; i < traces->lanes.len; i++) {
		struct spe_decoder *spe = &traces->lanes.at[i].spe;
		report->damaged +=
			spe_cut(spe, false) || aux_queue_bytes(&traces->queues.all.at[i]).size;
		report->damaged += spe->spoiled_records;
		report->bad_bytes += spe->bad_bytes;
		report->unknown_packets += spe->unknown_packets;
	}
}

/* ---- records ---- */

/* The body of an AUXTRACE record. */
struct auxtrace {
	uint64_t size, position, reference;
	uint32_t index, tid, cpu;
};

static bool parse_auxtrace(struct bytes body, struct auxtrace *out)
{
	struct perf_cursor c = perf_cursor(body);
	struct auxtrace trace = {
		.size = cursor_u64(&c), .position = cursor_u64(&c), .reference = cursor_u64(&c)};

	trace.index = cursor_u32(&c);
	trace.tid = cursor_u32(&c);
	trace.cpu = cursor_u32(&c);
	if (!c.failed)
		*out = trace;
	return !c.failed;
}

static bool notify(struct aux_queue *queue, const struct trace_notice *notice, struct bc_error *err)
{
	queue->overwrites |= (notice->flags & AUX_OVERWRITE) != 0;
	queue->raw |= (notice->flags & AUX_CORESIGHT_RAW) != 0;
	return !(notice->flags & AUX_TRUNCATED) || aux_queue_lost(queue, notice->end, err);
}

/* The body of an AUX record. */
static bool note_aux(struct perf_traces *traces, const struct perf_record *record,
		     struct bc_error *err)
{
	struct perf_trailer trailer = trailer_of(traces, record);
	struct trace_notice notice = {trailer.cpu, trailer.tid,
				      le64(record->body.data) + le64(record->body.data + 8),
				      le64(record->body.data + 16)};
	struct aux_queue *queue = aux_queues_find(&traces->queues, notice.cpu, notice.tid);

	if (!(notice.flags & (AUX_OVERWRITE | AUX_TRUNCATED | AUX_CORESIGHT_RAW)))
		return true;
	if (queue)
		return notify(queue, &notice, err);
	if (traces->notices.len && !(notice.flags & AUX_TRUNCATED)) {
		const struct trace_notice *last = &traces->notices.at[traces->notices.len - 1];
		if (last->cpu == notice.cpu && last->tid == notice.tid &&
		    !(notice.flags & ~last->flags))
			return true; /* reported already */
	}
	return traces->notices.len == PERF_NOTICES_MOST ||
	       trace_notice_vec_push(&traces->notices, notice) || bc_fail_nomem(err);
}

bool perf_traces_aux(struct perf_traces *traces, const struct perf_record *record,
		     struct bc_error *err)
{
	struct perf_trace_report *report = &traces->details->trace;

	if (record->body.size < 24)
		return bc_fail(err, BC_FORMAT, "a cut record, byte %" PRIu64, record->offset);
	uint64_t flags = le64(record->body.data + 16);
	report->truncated += (flags & AUX_TRUNCATED) != 0;
	report->partial += (flags & AUX_PARTIAL) != 0;
	report->collisions += (flags & AUX_COLLISION) != 0;
	report->snapshots += (flags & AUX_OVERWRITE) != 0;
	return !traces->decodes || !traces->setup->settled || note_aux(traces, record, err);
}

bool perf_traces_number(struct perf_traces *traces, const struct perf_record *record,
			struct bc_error *err)
{
	const struct flow_reader *reader = traces->flows.reader;

	if (!reader || !reader->number || record->body.size < 8)
		return true;
	return perf_setup_settle(traces->setup, err) &&
	       reader->number(traces->flows.setup, trailer_of(traces, record).cpu,
			      le64(record->body.data), err);
}

/* What was said of a queue before its first chunk. */
static bool take_notices(struct perf_traces *traces, struct aux_queue *queue, struct bc_error *err)
{
	struct trace_notice_vec *notices = &traces->notices;
	size_t kept = 0;

	for (size_t i = 0; i < notices->len; i++) {
		const struct trace_notice *notice = &notices->at[i];
		bool alike = (queue->cpu != AUX_NONE && queue->cpu == notice->cpu) ||
			     (queue->tid != AUX_NONE && queue->tid == notice->tid);
		if (!alike || aux_queues_find(&traces->queues, notice->cpu, notice->tid) !=
				      queue) /* most are not alike, and looked at only */
			notices->at[kept++] = *notice;
		else if (!notify(queue, notice, err))
			return false;
	}
	notices->len = kept;
	return true;
}

static bool obtain(struct perf_traces *traces, const struct auxtrace *trace, uint32_t *number,
		   struct bc_error *err)
{
	struct aux_queues *queues = &traces->queues;
	size_t before = queues->all.len;

	if (!aux_queues_obtain(queues, trace->cpu, trace->tid, trace->index, number, err))
		return false;
	if (before < queues->all.len)
		queues->all.at[*number].reference = trace->reference;
	return before == queues->all.len || take_notices(traces, &queues->all.at[*number], err);
}

/* Copies what the stream has after a record. */
static bool copy_pieces(struct perf_traces *traces, const struct auxtrace *trace,
			struct perf_stream *stream, uint64_t now, struct bc_error *err)
{
	uint32_t number;
	struct bytes part;
	uint64_t at = trace->position;

	if (!obtain(traces, trace, &number, err))
		return false;
	while (perf_stream_payload(stream, &part, err)) {
		uint8_t *copy = malloc(part.size);
		if (!copy)
			return bc_fail_nomem(err);
		memcpy(copy, part.data, part.size);
		if (!aux_queue_add(&traces->queues, number,
				   (struct aux_piece){
					   .at = at, .size = part.size, .data = copy, .time = now},
				   err))
			return false;
		at += part.size;
	}
	return err->code == BC_OK && wake(traces, number, err);
}

bool perf_traces_take(struct perf_traces *traces, const struct perf_record *record,
		      struct perf_stream *stream, bool main_file, uint64_t now,
		      struct bc_error *err)
{
	struct perf_trace_report *report = &traces->details->trace;
	struct auxtrace trace;

	if (!parse_auxtrace(record->body, &trace))
		return bc_fail(err, BC_FORMAT, "a cut record, byte %" PRIu64, record->offset);
	report->buffers++;
	report->bytes += trace.size;
	if (!traces->decodes || (traces->indexed && main_file))
		return true;
	return copy_pieces(traces, &trace, stream, now, err);
}

/* Have the records the time of another clock, that of perf record -k? */
static bool has_other_clock(const struct perf_traces *traces)
{
	const struct perf_events *events = &traces->setup->events;

	for (size_t i = 0; i < events->all.len; i++)
		if (events->all.at[i].attr.flags & USE_CLOCKID)
			return true;
	return false;
}

void perf_traces_clock(struct perf_traces *traces, const struct perf_record *record)
{
	traces->clock = aux_clock_of(record->body);
	traces->clock.known &= !has_other_clock(traces);
}

/* ---- finding all chunks of a file ---- */

#define INDEX_WINDOW ((size_t)64 << 10)

struct indexer {
	struct perf_traces *traces;
	struct perf_file *file;
	uint64_t end; /* of what can be read */
	uint8_t *window;
	uint64_t window_at;
	size_t window_size;
};

/* `size` bytes of the file, at most INDEX_WINDOW; NULL: there are not so many, or err. */
static const uint8_t *index_bytes(struct indexer *x, uint64_t at, size_t size, struct bc_error *err)
{
	if (!range_fits(at, size, x->end))
		return NULL;
	if (at < x->window_at || !range_fits(at - x->window_at, size, x->window_size)) {
		uint64_t left = x->end - at;
		x->window_size = left < INDEX_WINDOW ? (size_t)left : INDEX_WINDOW;
		x->window_at = at;
		if (!perf_file_read_at(x->file, at, x->window, x->window_size, err))
			return NULL;
	}
	return x->window + (at - x->window_at);
}

static bool index_piece(struct indexer *x, const struct perf_record *record, uint64_t behind,
			struct bc_error *err)
{
	struct auxtrace trace;
	uint32_t number;

	if (!parse_auxtrace(record->body, &trace) || behind >= x->end)
		return true;
	struct aux_piece piece = {
		.at = trace.position, .size = trace.size, .file_at = behind, .time = UINT64_MAX};
	if (piece.size > x->end - behind)
		piece.size = x->end - behind;
	return obtain(x->traces, &trace, &number, err) &&
	       aux_queue_add(&x->traces->queues, number, piece, err);
}

/* One walk over the heads of records: for chunks, or for records of the kernel about them. Whatever
 * is wrong with them is for the reader of the records to say. */
static bool index_records(struct indexer *x, uint64_t at, bool pieces, struct bc_error *err)
{
	while (at < x->end) {
		const uint8_t *head = index_bytes(x, at, PERF_RECORD_HEADER_SIZE, err);
		if (!head)
			return err->code == BC_OK;
		struct perf_record record = {
			.type = le32(head), .misc = le16(head + 4), .offset = at};
		uint64_t size = le16(head + 6), extra = 0;
		if (record.type >= PERF_SIMPLEPERF_TYPES)
			size += (uint64_t)record.misc << 16;
		if (size < PERF_RECORD_HEADER_SIZE)
			return true;
		bool is_piece = record.type == PERF_USER_AUXTRACE,
		     is_aux = record.type == PERF_RECORD_AUX;
		bool is_number = record.type == PERF_RECORD_AUX_OUTPUT_HW_ID;
		if (is_piece || is_aux || is_number || record.type == PERF_USER_TRACING_DATA) {
			head = index_bytes(x, at, (size_t)size, err);
			if (!head)
				return err->code == BC_OK;
			record.body = (struct bytes){head + PERF_RECORD_HEADER_SIZE,
						     (size_t)size - PERF_RECORD_HEADER_SIZE};
			if (!perf_record_extra(&record, &extra))
				return true;
			if (is_piece && pieces && !index_piece(x, &record, at + size, err))
				return false;
			if (is_aux && !pieces && record.body.size >= 24 &&
			    !note_aux(x->traces, &record, err))
				return false;
			if (is_number && !pieces && !perf_traces_number(x->traces, &record, err))
				return false;
		}
		if (extra > UINT64_MAX - size || size + extra > x->end - at)
			return true;
		at += size + extra;
	}
	return true;
}

static bool read_file(void *ctx, uint64_t at, uint8_t *to, size_t size, struct bc_error *err)
{
	return perf_file_read_at(ctx, at, to, size, err);
}

static bool index_file(struct perf_traces *traces, struct perf_file *file, uint64_t begin,
		       uint64_t end, struct bc_error *err)
{
	uint64_t size = perf_file_size(file);
	struct indexer x = {.traces = traces,
			    .file = file,
			    .end = end < size ? end : size,
			    .window = calloc(1, INDEX_WINDOW)};

	if (!x.window)
		return bc_fail_nomem(err);
	err->code = BC_OK;
	traces->queues.file = (struct aux_file){file, read_file};
	bool ok = index_records(&x, begin, true, err);
	if (ok && perf_setup_settle(traces->setup, err))
		ok = index_records(&x, begin, false, err);
	free(x.window);
	traces->indexed = traces->asleep = true;
	return ok;
}

/* What the event was reported that has the first of these words as its type. */
static uint64_t config_of(const struct perf_traces *traces, struct bytes info)
{
	const struct perf_events *events = &traces->setup->events;

	for (size_t i = 0; info.size >= 8 && i < events->all.len; i++)
		if (events->all.at[i].attr.type == le64(info.data))
			return events->all.at[i].attr.config;
	return 0;
}

/* If somebody takes the branch outcomes of traces of this kind. */
static bool open_flows(struct perf_traces *traces, struct bytes info, struct bc_error *err)
{
	struct perf_trace_report *report = &traces->details->trace;
	const struct flow_reader *reader = flow_reader_of(report->kind);

	if (!reader || !traces->flow)
		return true;
	if (!flow_lanes_open(&traces->flows, reader, info, config_of(traces, info), &traces->queues,
			     err))
		return false;
	report->refused = traces->flows.facts.refused;
	report->decoded = !report->refused;
	if (report->refused)
		flow_lanes_free(&traces->flows);
	traces->flows.facts.clock.known &= !has_other_clock(traces);
	return true;
}

void perf_traces_announce(struct perf_traces *traces)
{
	if (traces->flow && traces->flow->begin)
		traces->flow->begin(traces->flow->ctx);
}

bool perf_traces_info(struct perf_traces *traces, const struct perf_record *record,
		      struct perf_file *file, uint64_t begin, uint64_t end, struct bc_error *err)
{
	if (record->body.size < 4 || traces->details->trace.kind)
		return true;
	traces->details->trace.kind = le32(record->body.data);
	traces->details->trace.ete =
		traces->details->trace.kind == PERF_TRACE_ARM_ETM && etm_info_is_ete(record->body);
	if (!open_flows(traces, bytes_from(record->body, 8), err))
		return false;
	traces->decodes = traces->details->trace.kind == PERF_TRACE_ARM_SPE || traces->flows.reader;
	if (traces->flows.reader)
		perf_traces_announce(traces);
	if (!traces->decodes || !file || !file->seekable || !perf_file_size(file))
		return true;
	return index_file(traces, file, begin, end, err);
}
