/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/recording.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/map_set.h"

void recording_free(struct recording *r)
{
	for (size_t i = 0; i < r->names.len; i++)
		free(r->names.at[i]);
	event_name_vec_free(&r->names);
	share_vec_free(&r->events);
	share_vec_free(&r->files);
	share_vec_free(&r->processes);
	count_table_free(&r->by_file);
	count_table_free(&r->by_pid);
	history_free(&r->history);
	mapped_files_free(&r->mapped);
}

static bool is_named(const struct recording *r, size_t event, struct text name)
{
	return event < r->names.len && text_is(name, r->names.at[event]);
}

/* Finds the event of a name.  Most samples have the event of the sample before.  perf prints a
 * colon behind the name. */
static bool find_event(struct recording *r, struct text name)
{
	if (text_ends(name, ":"))
		name.len--;
	for (size_t i = 0; !is_named(r, r->last_event, name) && i <= r->names.len; i++)
		r->last_event = i;
	if (r->last_event < r->names.len)
		return true;
	char *copy = strndup(name.len ? name.at : "", name.len);
	if (!copy || !event_name_vec_push(&r->names, copy)) {
		free(copy);
		return false;
	}
	return share_vec_push(&r->events, (struct share){r->names.len - 1, 0, 0});
}

static uint64_t file_of(const struct recording *r, uint32_t pid, uint64_t address)
{
	const struct mapping *module = address >= USER_END ? history_module(&r->history, address) : NULL;

	if (address >= USER_END)
		return module ? module->file : SHARE_KERNEL;
	const struct process *process = history_process(&r->history, pid);
	const struct mapping *m = process ? map_set_find(process->maps, address) : NULL;
	return m ? m->file : SHARE_UNKNOWN;
}

static void note_time(struct recording *r, uint64_t time)
{
	if (time && (!r->first || time < r->first))
		r->first = time;
	if (time > r->last)
		r->last = time;
}

static bool take_sample(struct recording *r, const struct event *event, struct bc_error *err)
{
	const struct sample *sample = event->sample;
	uint64_t file[COUNT_KEY_WORDS] = {file_of(r, sample->pid, sample->ip.v)}, pid[COUNT_KEY_WORDS] = {sample->pid};
	bool placed = sample->ip.v || sample->has_stack;

	note_time(r, event->time);
	r->samples++;
	r->with_stack += sample->has_stack;
	r->with_chain += sample->callchain_count > 0;
	r->without_address += !placed;
	r->entries += sample->branch_count;
	if (sample->branch_count > r->deepest)
		r->deepest = sample->branch_count;
	if (!find_event(r, sample->event) || (placed && !count_table_add(&r->by_file, file, 1, 0)) ||
	    !count_table_add(&r->by_pid, pid, 1, 0))
		return bc_fail_nomem(err);
	r->events.at[r->last_event].samples++;
	return true;
}

static void take_traces(struct recording *r, const struct event *event)
{
	for (size_t i = 0; i < event->traces.count; i++) {
		const struct trace_record *t = &event->traces.at[i];
		if (trace_has_branch(&t->trace))
			r->branches = count_add_saturating(r->branches, t->count);
		if (trace_has_fall_through(&t->trace))
			r->fall_throughs = count_add_saturating(r->fall_throughs, t->count);
	}
}

/* Which files and processes a trace is of: those of its addresses.  No code is walked. */
static bool take_flow(void *ctx, const struct trace_flow *flow, struct bc_error *err)
{
	struct recording *r = ctx;
	uint64_t pid[COUNT_KEY_WORDS] = {flow->pid}, before = r->addresses;

	note_time(r, flow->time);
	for (size_t i = 0; i < flow->count; i++) {
		const struct flow_answer *answer = &flow->at[i];
		if (answer->kind == FLOW_BITS || answer->kind == FLOW_LOST || !answer->value)
			continue;
		uint64_t file[COUNT_KEY_WORDS] = {file_of(r, flow->pid, answer->value)};
		if (!count_table_add(&r->by_file, file, 1, 1))
			return bc_fail_nomem(err);
		r->addresses++;
	}
	return r->addresses == before || count_table_add(&r->by_pid, pid, r->addresses - before, r->addresses - before) || bc_fail_nomem(err);
}

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct recording *r = ctx;

	switch (event->kind) {
	case EVENT_CONTINUES:
		return carried_give(r->carried, &r->history, err) && history_event(&r->history, event, err);
	case EVENT_MAP:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: return history_event(&r->history, event, err);
	case EVENT_SAMPLE: return take_sample(r, event, err);
	case EVENT_TRACES: take_traces(r, event); break;
	case EVENT_ADDRESSES:
		for (size_t i = 0; i < event->addresses.count; i++)
			r->samples = count_add_saturating(r->samples, event->addresses.at[i].count);
		break;
	case EVENT_NAME: return find_event(r, event->name) || bc_fail_nomem(err);
	case EVENT_BEGIN:
	case EVENT_RAN:
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

static int by_samples(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->of > y->of) - (x->of < y->of);
}

static void sort(struct share_vec *shares)
{
	if (shares->len)
		qsort(shares->at, shares->len, sizeof(*shares->at), by_samples);
}

static bool settle(const struct count_table *from, struct share_vec *to)
{
	for (size_t i = 0; i < from->capacity; i++) {
		const struct count_row *row = &from->rows[i];
		if (row->count && !share_vec_push(to, (struct share){row->key[0], row->count, row->extra}))
			return false;
	}
	sort(to);
	return true;
}

bool recording_read(const char *path, struct input_progress progress, struct carried *carried,
		    struct recording *r, struct bc_error *err)
{
	const struct event_sink sink = {r, take_event};
	const struct flow_taker taker = {.ctx = r, .take = take_flow};
	struct reader_options how = {.cut_will_do = true, .recordings = carried ? &carried->recordings : NULL,
				     .new_recording = carried && carried->new_recording, .flow = &taker};

	r->history.files = &r->mapped;
	r->carried = carried;
	if (!input_run(path, &how, progress, &sink, &r->report, err) ||
	    (carried && !carried_keep(carried, &r->history, err)))
		return false;
	sort(&r->events);
	return (settle(&r->by_file, &r->files) && settle(&r->by_pid, &r->processes)) || bc_fail_nomem(err);
}

bool recording_has_any(const struct recording *r)
{
	return r->samples || r->branches || r->fall_throughs;
}

/* libc-2.15.so, libm.so.6 */
static bool is_library(struct text path)
{
	struct text name = text_basename(path);

	for (; name.len; name = text_from(name, 1))
		if (text_is(name, ".so") || text_starts(name, ".so."))
			return true;
	return false;
}

struct text recording_program(const struct recording *r, uint32_t pid)
{
	const struct process *process = history_process(&r->history, pid);
	struct text lowest = {"", 0};
	uint64_t at = 0;

	for (const struct mapping *m; process && (m = map_set_above(process->maps, at)); at = m->end) {
		struct text path = mapped_files_path(&r->mapped, m->file);
		if (!(m->flags & MAPPING_EXEC) || path_kind_of(path) != PATH_FILE)
			continue;
		if (!is_library(path_without_deleted(path)))
			return path;
		lowest = lowest.len ? lowest : path;
	}
	return lowest;
}
