/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/processor_trace.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/event/perf_data/perf_cursor.h"

/* Flags of AUX records; the last is younger than some headers. */
#define AUX_TRUNCATED UINT64_C(1)
#define AUX_OVERWRITE UINT64_C(2)
#define AUX_PARTIAL UINT64_C(4)
#define AUX_COLLISION UINT64_C(8)

#define AUXTRACE_BODY 40
#define SWITCH_OUT 0x2000
#define USE_CLOCKID (UINT64_C(1) << 25) /* in the bit field of an event */

/* perf's name of the samples that it makes of branches. */
static const char branch_event[] = "branch:";

void perf_traces_init(struct perf_traces *traces, struct perf_setup *setup, const struct event_sink *sink, struct perf_pool *pool,
		      struct perf_data_report *details)
{
	*traces = (struct perf_traces){.setup = setup, .sink = sink, .pool = pool, .details = details, .changes = 1};
}

void perf_traces_fini(struct perf_traces *traces)
{
	if (traces->pool)
		perf_pool_release(traces->pool, traces->block);
	aux_queues_free(&traces->queues);
	trace_notice_vec_free(&traces->notices);
	trace_lane_vec_free(&traces->lanes);
	trace_next_vec_free(&traces->heap);
	trace_task_vec_free(&traces->tasks);
	map_free(&traces->by_tid);
	trace_cpu_vec_free(&traces->cpus);
	map_free(&traces->by_cpu);
	*traces = (struct perf_traces){0};
}

/* ---- which task ---- */

DEFINE_FIELD_MAP(by_tid, struct trace_task, tid);
DEFINE_FIELD_MAP(by_cpu, struct trace_cpu, cpu);

/* NULL: out of memory */
static struct trace_task *obtain_task(struct perf_traces *traces, uint32_t tid)
{
	uint32_t number;

	if (by_tid_find(&traces->by_tid, traces->tasks.at, tid, &number))
		return &traces->tasks.at[number];
	number = (uint32_t)traces->tasks.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&traces->by_tid, 1) ||
	    !trace_task_vec_push(&traces->tasks, (struct trace_task){.tid = tid, .pid = tid}))
		return NULL;
	by_tid_put(&traces->by_tid, tid, number);
	return &traces->tasks.at[number];
}

/* A thread is of this process. */
static bool set_task(struct perf_traces *traces, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct trace_task *task = obtain_task(traces, tid);

	if (!task)
		return bc_fail_nomem(err);
	traces->changes += task->pid != pid;
	task->pid = pid;
	return true;
}

/* A process runs another program from a time on. */
static bool set_since(struct perf_traces *traces, uint32_t pid, uint64_t time, struct bc_error *err)
{
	struct trace_task *task = obtain_task(traces, pid);

	if (!task)
		return bc_fail_nomem(err);
	task->since = time;
	return true;
}

static bool set_cpu(struct perf_traces *traces, uint32_t cpu, uint32_t pid, struct bc_error *err)
{
	uint32_t number;

	if (cpu == AUX_NONE)
		return true;
	traces->changes++;
	if (by_cpu_find(&traces->by_cpu, traces->cpus.at, cpu, &number)) {
		traces->cpus.at[number].pid = pid;
		return true;
	}
	number = (uint32_t)traces->cpus.len;
	if (number > MAP_NUMBER_MOST || !map_reserve(&traces->by_cpu, 1) ||
	    !trace_cpu_vec_push(&traces->cpus, (struct trace_cpu){cpu, pid}))
		return bc_fail_nomem(err);
	by_cpu_put(&traces->by_cpu, cpu, number);
	return true;
}

static uint32_t pid_of_cpu(const struct perf_traces *traces, uint32_t cpu)
{
	uint32_t number;

	return by_cpu_find(&traces->by_cpu, traces->cpus.at, cpu, &number) ? traces->cpus.at[number].pid : NO_PID;
}

static bool pid_of_thread(const struct perf_traces *traces, uint32_t tid, uint32_t *pid)
{
	uint32_t number;

	if (!by_tid_find(&traces->by_tid, traces->tasks.at, tid, &number))
		return false;
	*pid = traces->tasks.at[number].pid;
	return true;
}

/* The number that the kernel writes is the thread's outside of all containers.  If the recording knows no such thread, what
 * it says of the processor is nearer. */
static uint32_t find_pid(const struct perf_traces *traces, const struct aux_queue *queue, const struct spe_record *record)
{
	uint32_t pid;

	if (queue->cpu == AUX_NONE && queue->tid != AUX_NONE)
		return pid_of_thread(traces, queue->tid, &pid) ? pid : queue->tid;
	if (record->has_context && pid_of_thread(traces, record->context, &pid))
		return pid;
	pid = pid_of_cpu(traces, queue->cpu);
	return pid == NO_PID && record->has_context ? record->context : pid;
}

/* Records of one thread come in a row. */
static uint32_t pid_of(const struct perf_traces *traces, const struct aux_queue *queue, struct trace_lane *lane)
{
	const struct spe_record *record = &lane->spe.record;

	if (lane->changes != traces->changes || lane->context != record->context || lane->has_context != record->has_context) {
		lane->pid = find_pid(traces, queue, record);
		lane->changes = traces->changes;
		lane->context = record->context;
		lane->has_context = record->has_context;
	}
	return lane->pid;
}

static struct perf_trailer trailer_of(const struct perf_traces *traces, const struct perf_record *record)
{
	const struct perf_event *event = perf_events_of_record(&traces->setup->events, record->body);

	return event ? perf_trailer_parse(&event->layout, record->body) : (struct perf_trailer){.cpu = PERF_NO_CPU};
}

static bool take_switch(struct perf_traces *traces, const struct perf_record *record, struct bc_error *err)
{
	struct perf_trailer trailer = trailer_of(traces, record);
	struct perf_cursor c = perf_cursor(record->body);
	uint32_t pid = record->misc & SWITCH_OUT ? NO_PID : trailer.pid;

	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE && (record->misc & SWITCH_OUT)) {
		pid = cursor_u32(&c);
		uint32_t tid = cursor_u32(&c);
		if (!c.failed && pid != NO_PID && !set_task(traces, pid, tid, err))
			return false;
	}
	return set_cpu(traces, trailer.cpu, pid, err);
}

static bool take_start(struct perf_traces *traces, const struct perf_record *record, struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(record->body);
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);

	return c.failed || pid == NO_PID ||
	       (set_task(traces, pid, tid, err) && set_cpu(traces, trailer_of(traces, record).cpu, pid, err));
}

bool perf_traces_task(struct perf_traces *traces, uint64_t time, const struct perf_record *record, struct bc_error *err)
{
	struct perf_comm comm;
	struct perf_task task;

	switch (record->type) {
	case PERF_RECORD_COMM:
		return !perf_record_comm(record, 0, &comm) ||
		       (set_task(traces, comm.pid, comm.tid, err) && (!comm.exec || set_since(traces, comm.pid, time, err)));
	case PERF_RECORD_FORK:
		return !perf_record_task(record, &task) ||
		       (set_task(traces, task.pid, task.tid, err) && (task.pid == task.parent_pid || set_since(traces, task.pid, time, err)));
	case PERF_RECORD_ITRACE_START: return take_start(traces, record, err);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return take_switch(traces, record, err);
	default: return true;
	}
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
	for (size_t i = heap->len - 1; i && is_before(&heap->at[i], &heap->at[(i - 1) / 2]); i = (i - 1) / 2)
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

/* ---- what is read from queues ---- */

/* The time of what was read, and what of it is a branch. */
static void note_record(struct perf_traces *traces, const struct aux_queue *queue, struct trace_lane *lane)
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
			traces->details->trace.cut += spe_cut(&lane->spe, more == AUX_GAP) || rest.size;
		}
	}
}

/* A queue has bytes again. */
static bool wake(struct perf_traces *traces, uint32_t number, struct bc_error *err)
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

/* Has the process run another program since? */
static bool is_gone(const struct perf_traces *traces, uint32_t pid, uint64_t time)
{
	uint32_t number;

	return by_tid_find(&traces->by_tid, traces->tasks.at, pid, &number) && traces->tasks.at[number].since > time;
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
static bool deliver_branch(struct perf_traces *traces, const struct spe_record *record, uint32_t pid, uint64_t time,
			   struct bc_error *err)
{
	struct branch *branches = make_room(traces);
	bool not_taken = record->events & SPE_EVENT_NOT_TAKEN;

	if (!branches)
		return bc_fail_nomem(err);
	branches[0] = (struct branch){
		.from = record->pc,
		.to = not_taken ? record->pc + 4 : record->target,
		.flags = (record->events & SPE_EVENT_MISPREDICTED ? BRANCH_MISPREDICTED : 0) | (not_taken ? BRANCH_NOT_TAKEN : 0),
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
	const struct event event = {.kind = EVENT_SAMPLE, .time = time, .memory = &traces->block->memory, .sample = &sample};
	traces->details->delivered++;
	traces->details->trace.unowned += pid == NO_PID && !(record->pc >> 63);
	note_time(traces->details, time);
	return event_deliver(traces->sink, &event, err);
}

/* All of a queue up to a time. */
static bool deliver_lane(struct perf_traces *traces, uint32_t number, uint64_t until, uint64_t latest, struct bc_error *err)
{
	struct aux_queue *queue = &traces->queues.all.at[number];
	struct trace_lane *lane = &traces->lanes.at[number];

	do {
		uint64_t time = lane->stamped ? lane->time : 0;
		uint32_t pid = pid_of(traces, queue, lane);
		if (time && time < latest && is_gone(traces, pid, time))
			traces->details->late++;
		else if (!deliver_branch(traces, &lane->spe.record, pid, time, err))
			return false;
		if (!read_branch(traces, number, err))
			return false;
	} while (lane->waits && lane->time <= until);
	return !lane->waits || heap_push(traces, (struct trace_next){lane->time, number}, err);
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

bool perf_traces_deliver(struct perf_traces *traces, uint64_t until, uint64_t latest, struct bc_error *err)
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

	for (size_t i = 0; i < traces->lanes.len; i++) {
		struct spe_decoder *spe = &traces->lanes.at[i].spe;
		report->cut += spe_cut(spe, false) || aux_queue_bytes(&traces->queues.all.at[i]).size;
		report->cut += spe->spoiled_records;
		report->bad_bytes += spe->bad_bytes;
		report->unknown_packets += spe->unknown_packets;
	}
}

/* ---- records ---- */

/* The body of an AUXTRACE record. */
struct auxtrace {
	uint64_t size, position;
	uint32_t index, tid, cpu;
};

static bool parse_auxtrace(struct bytes body, struct auxtrace *out)
{
	struct perf_cursor c = perf_cursor(body);
	struct auxtrace trace = {.size = cursor_u64(&c), .position = cursor_u64(&c)};

	cursor_u64(&c); /* reference */
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
	return !(notice->flags & AUX_TRUNCATED) || aux_queue_lost(queue, notice->end, err);
}

/* The body of an AUX record. */
static bool note_aux(struct perf_traces *traces, const struct perf_record *record, struct bc_error *err)
{
	struct perf_trailer trailer = trailer_of(traces, record);
	struct trace_notice notice = {trailer.cpu, trailer.tid, le64(record->body.data) + le64(record->body.data + 8), le64(record->body.data + 16)};
	struct aux_queue *queue = aux_queues_find(&traces->queues, notice.cpu, notice.tid);

	if (!(notice.flags & (AUX_OVERWRITE | AUX_TRUNCATED)))
		return true;
	if (queue)
		return notify(queue, &notice, err);
	return traces->notices.len == PERF_NOTICES_MOST || trace_notice_vec_push(&traces->notices, notice) || bc_fail_nomem(err);
}

bool perf_traces_aux(struct perf_traces *traces, const struct perf_record *record, struct bc_error *err)
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

static bool obtain(struct perf_traces *traces, const struct auxtrace *trace, uint32_t *number, struct bc_error *err)
{
	struct aux_queues *queues = &traces->queues;
	size_t before = queues->all.len;

	if (!aux_queues_obtain(queues, trace->cpu, trace->tid, trace->index, number, err))
		return false;
	for (size_t i = 0; before < queues->all.len && i < traces->notices.len; i++) {
		const struct trace_notice *notice = &traces->notices.at[i];
		struct aux_queue *queue = aux_queues_find(queues, notice->cpu, notice->tid);
		if (queue == &queues->all.at[*number] && !notify(queue, notice, err))
			return false;
	}
	return true;
}

/* Copies what the stream has behind a record. */
static bool copy_pieces(struct perf_traces *traces, const struct auxtrace *trace, struct perf_stream *stream, uint64_t now,
			struct bc_error *err)
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
				   (struct aux_piece){.at = at, .size = part.size, .data = copy, .time = now}, err))
			return false;
		at += part.size;
	}
	return err->code == BC_OK && wake(traces, number, err);
}

bool perf_traces_take(struct perf_traces *traces, const struct perf_record *record, struct perf_stream *stream, bool main_file,
		      uint64_t now, struct bc_error *err)
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

void perf_traces_clock(struct perf_traces *traces, const struct perf_record *record)
{
	const struct perf_events *events = &traces->setup->events;

	traces->clock = aux_clock_of(record->body);
	/* The records have the time of another clock, that of perf record -k. */
	for (size_t i = 0; i < events->all.len; i++)
		traces->clock.known &= !(events->all.at[i].attr.flags & USE_CLOCKID);
}

/* ---- finding all pieces of a file ---- */

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

static bool index_piece(struct indexer *x, const struct perf_record *record, uint64_t behind, struct bc_error *err)
{
	struct auxtrace trace;
	uint32_t number;

	if (!parse_auxtrace(record->body, &trace) || behind >= x->end)
		return true;
	struct aux_piece piece = {.at = trace.position, .size = trace.size, .file_at = behind, .time = UINT64_MAX};
	if (piece.size > x->end - behind)
		piece.size = x->end - behind;
	return obtain(x->traces, &trace, &number, err) && aux_queue_add(&x->traces->queues, number, piece, err);
}

/* One walk over the heads of records: for pieces, or for AUX records.  Whatever is wrong with them is for the reader of the records to say. */
static bool index_records(struct indexer *x, uint64_t at, bool pieces, struct bc_error *err)
{
	while (at < x->end) {
		const uint8_t *head = index_bytes(x, at, PERF_RECORD_HEADER_SIZE, err);
		if (!head)
			return err->code == BC_OK;
		struct perf_record record = {.type = le32(head), .misc = le16(head + 4), .offset = at};
		uint64_t size = le16(head + 6), extra = 0;
		if (record.type >= PERF_SIMPLEPERF_TYPES)
			size += (uint64_t)record.misc << 16;
		if (size < PERF_RECORD_HEADER_SIZE)
			return true;
		bool is_piece = record.type == PERF_USER_AUXTRACE, is_aux = record.type == PERF_RECORD_AUX;
		if (is_piece || is_aux || record.type == PERF_USER_TRACING_DATA) {
			head = index_bytes(x, at, (size_t)size, err);
			if (!head)
				return err->code == BC_OK;
			record.body = (struct bytes){head + PERF_RECORD_HEADER_SIZE, (size_t)size - PERF_RECORD_HEADER_SIZE};
			if (!perf_record_extra(&record, &extra))
				return true;
			if (is_piece && pieces && !index_piece(x, &record, at + size, err))
				return false;
			if (is_aux && !pieces && record.body.size >= 24 && !note_aux(x->traces, &record, err))
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

static bool index_file(struct perf_traces *traces, struct perf_file *file, uint64_t begin, uint64_t end, struct bc_error *err)
{
	uint64_t size = perf_file_size(file);
	struct indexer x = {.traces = traces, .file = file, .end = end < size ? end : size, .window = calloc(1, INDEX_WINDOW)};

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

bool perf_traces_info(struct perf_traces *traces, const struct perf_record *record, struct perf_file *file, uint64_t end,
		      struct bc_error *err)
{
	if (record->body.size < 4 || traces->details->trace.kind)
		return true;
	traces->details->trace.kind = le32(record->body.data);
	traces->decodes = traces->details->trace.kind == PERF_TRACE_ARM_SPE;
	if (!traces->decodes || !file || !file->seekable || !perf_file_size(file))
		return true;
	return index_file(traces, file, record->offset, end, err);
}
