/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/perf_script.h"

/* Addresses from here on are the kernel's. */
#define KERNEL_BEGIN (UINT64_C(1) << 63)

void perf_script_init(struct perf_script *script, const struct event_sink *sink,
		      struct reader_report *report)
{
	*script = (struct perf_script){.sink = sink, .report = report};
}

void perf_script_fini(struct perf_script *script)
{
	threads_free(&script->threads);
	branch_vec_free(&script->branches);
	callchain_vec_free(&script->callchain);
	file_vec_free(&script->files);
	path_vec_free(&script->paths);
}

/* The buffer of paths does not move any more: make texts of the lengths. */
static const struct text *frame_files(struct perf_script *script)
{
	const char *at = script->paths.at ? script->paths.at : "";

	for (size_t i = 0; i < script->files.len; i++) {
		script->files.at[i].at = at;
		at += script->files.at[i].len;
	}
	return script->files.len ? script->files.at : NULL;
}

/* Can an address of a call chain be an offset in its file?  Not in the kernel, nor where perf
 * printed no file. */
static bool may_be_offset(uint64_t at, struct text file)
{
	return at < KERNEL_BEGIN && file.len && !text_is(file, "[unknown]");
}

/* The address of a sample that has none but that in its call chain. */
static void take_ip(struct perf_script *script)
{
	struct sample *sample = &script->sample;
	size_t i = script->inlined < sample->callchain_count ? script->inlined : 0;

	sample->ip.v = sample->callchain[i];
	sample->no_ip = false;
	if (may_be_offset(sample->ip.v, sample->callchain_files[i]))
		sample->ip_file = sample->callchain_files[i];
}

static bool deliver_sample(struct perf_script *script, struct bc_error *err)
{
	struct sample *sample = &script->sample;
	struct event event = {.kind = EVENT_SAMPLE, .time = script->time, .memory = script->memory,
			      .sample = sample};

	script->open = OPEN_NOTHING;
	sample->callchain = script->callchain.at;
	sample->callchain_count = script->callchain.len;
	sample->callchain_files = frame_files(script);
	if (script->callchain_has_ip && sample->callchain_count)
		take_ip(script);
	return event_deliver(script->sink, &event, err);
}

/* Ends the sample or record that is open, and delivers it. */
static bool close_open(struct perf_script *script, struct bc_error *err)
{
	if (script->open == OPEN_SAMPLE)
		return deliver_sample(script, err);
	script->open = OPEN_NOTHING;
	return true;
}

static bool ignore(struct perf_script *script)
{
	script->report->ignored++;
	return true;
}

static bool deliver_task(struct perf_script *script, enum event_kind kind,
			 const struct record *record, struct bc_error *err)
{
	const struct event event = {.kind = kind, .task = {record->pid, record->tid, record->parent}};

	return event_deliver(script->sink, &event, err);
}

/* Deliver what a record says. */
static bool tell_record(struct perf_script *script, const struct record *record,
			struct bc_error *err)
{
	const struct event map = {.kind = EVENT_MAP, .map = &record->map};

	switch (record->kind) {
	case RECORD_MAP: return event_deliver(script->sink, &map, err);
	case RECORD_EXEC: return deliver_task(script, EVENT_EXEC, record, err);
	case RECORD_FORK: return deliver_task(script, EVENT_FORK, record, err);
	case RECORD_EXIT: return deliver_task(script, EVENT_EXIT, record, err);
	case RECORD_COMM:
	case RECORD_OTHER: break;
	}
	return ignore(script);
}

static bool take_record(struct perf_script *script, const struct record *record, struct bc_error *err)
{
	if (!close_open(script, err))
		return false;
	if (record->kind == RECORD_OTHER)
		script->open = OPEN_RECORD;
	else if (record->pid == NO_PID) /* the kernel's own */
		return record->kind == RECORD_MAP ? tell_record(script, record, err) : ignore(script);
	else if (!threads_learn(&script->threads, record->pid, record->tid))
		return bc_fail_nomem(err);
	return tell_record(script, record, err);
}

/* The event's name must outlive its line. */
static struct text keep_event(struct perf_script *script, struct text event)
{
	struct text kept = text_first(event, sizeof(script->event));

	if (kept.len)
		memcpy(script->event, kept.at, kept.len);
	return (struct text){script->event, kept.len};
}

static bool open_sample(struct perf_script *script, const struct head *head, struct bc_error *err)
{
	if (!close_open(script, err))
		return false;
	if (head->has_time)
		script->report->timeless = false;
	script->sample = (struct sample){
		.pid = head->has_tid ? head->pid : threads_pid(&script->threads, head->pid),
		.ip = head->ip,
		.no_ip = !head->has_ip,
		.data = head->data,
		.event = keep_event(script, head->event),
	};
	script->time = head->time;
	script->memory = NULL;
	script->callchain_has_ip = !head->ip.v;
	script->callchain.len = 0;
	script->inlined = 0;
	script->files.len = 0;
	script->paths.len = 0;
	script->open = OPEN_SAMPLE;
	return true;
}

/* A line with a branch stack, which is the last line of its sample. */
static bool take_stack(struct perf_script *script, const struct line *line, size_t at,
		       const struct read_stack *read, struct bc_error *err)
{
	struct sample *sample = &script->sample;

	sample->has_stack = true;
	if (!read) {
		script->branches.len = 0;
		if (!stack_parse(line, at, &script->branches, err))
			return false;
	}
	sample->branches = read ? read->branches : script->branches.at;
	sample->branch_count = read ? read->count : script->branches.len;
	script->memory = read ? read->memory : NULL;
	return deliver_sample(script, err);
}

static bool take_frame(struct perf_script *script, const struct script_frame *frame)
{
	script->report->ignored++;
	script->inlined += frame->inlined && script->inlined == script->callchain.len;
	for (size_t i = 0; i < frame->file.len; i++)
		if (!path_vec_push(&script->paths, frame->file.at[i]))
			return false;
	return callchain_vec_push(&script->callchain, frame->at) &&
	       file_vec_push(&script->files, (struct text){NULL, frame->file.len});
}

bool perf_script_line(struct perf_script *script, const struct line *line, size_t stack,
		      const struct read_stack *read, struct bc_error *err)
{
	struct script_item item;

	if (!script_parse(line, stack, script->open, &item, err))
		return false;
	switch (item.kind) {
	case SCRIPT_COMMENT:
	case SCRIPT_REST: return ignore(script);
	case SCRIPT_BLANK: return ignore(script) && close_open(script, err);
	case SCRIPT_RECORD: return take_record(script, &item.record, err);
	case SCRIPT_CALLCHAIN: return take_frame(script, &item.frame) || bc_fail_nomem(err);
	case SCRIPT_STACK: return take_stack(script, line, stack, read, err);
	case SCRIPT_SAMPLE: break;
	}
	return open_sample(script, &item.head, err) &&
	       (stack == line->text.len || take_stack(script, line, stack, read, err));
}

bool perf_script_end(struct perf_script *script, struct bc_error *err)
{
	return close_open(script, err);
}
