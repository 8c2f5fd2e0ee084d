/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem() */
#include "src/figures/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/elf/binary.h"
#include "src/profile/fdata.h"
#include "src/profile/text_input.h"
#include "src/profile/yaml.h"
#include "src/samples/map_set.h"
#include "src/samples/snapshots.h"

/* ---- a recording ---- */

static void recording_free(struct recording *r)
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
 * colon after the name. */
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
	const struct mapping *module =
		address >= USER_END ? history_module(&r->history, address) : NULL;

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
	uint64_t file[COUNT_KEY_WORDS] = {file_of(r, sample->pid, sample->ip.v)},
		 pid[COUNT_KEY_WORDS] = {sample->pid};
	bool placed = sample->ip.v || sample->has_stack;

	note_time(r, event->time);
	r->samples++;
	r->with_stack += sample->has_stack;
	r->with_chain += sample->callchain_count > 0;
	r->without_address += !placed;
	r->entries += sample->branch_count;
	if (sample->branch_count > r->max_depth)
		r->max_depth = sample->branch_count;
	if (!find_event(r, sample->event) ||
	    (placed && !count_table_add(&r->by_file, file, 1, 0)) ||
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
	return r->addresses == before ||
	       count_table_add(&r->by_pid, pid, r->addresses - before, r->addresses - before) ||
	       bc_fail_nomem(err);
}

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct recording *r = ctx;

	switch (event->kind) {
	case EVENT_CONTINUES:
		return carried_give(r->carried, &r->history, err) &&
		       history_event(&r->history, event, err);
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
		if (row->count &&
		    !share_vec_push(to, (struct share){row->key[0], row->count, row->extra}))
			return false;
	}
	sort(to);
	return true;
}

static bool recording_read(const char *path, struct input_progress progress,
			   struct carried *carried, struct recording *r, struct bc_error *err)
{
	const struct event_sink sink = {r, take_event};
	const struct flow_taker taker = {.ctx = r, .take = take_flow};
	struct reader_options how = {.cut_will_do = true,
				     .recordings = carried ? &carried->recordings : NULL,
				     .new_recording = carried && carried->new_recording,
				     .flow = &taker};

	r->history.files = &r->mapped;
	r->carried = carried;
	if (!input_run(path, &how, progress, &sink, &r->report, err) ||
	    (carried && !carried_keep(carried, &r->history, err)))
		return false;
	sort(&r->events);
	return (settle(&r->by_file, &r->files) && settle(&r->by_pid, &r->processes)) ||
	       bc_fail_nomem(err);
}

static bool recording_has_any(const struct recording *r)
{
	return r->samples || r->branches || r->fall_throughs;
}

struct text recording_program(const struct recording *r, uint32_t pid)
{
	const struct process *process = history_process(&r->history, pid);
	struct text lowest = {"", 0};
	uint64_t at = 0;

	for (const struct mapping *m; process && (m = map_set_above(process->maps, at));
	     at = m->end) {
		struct text path = mapped_files_path(&r->mapped, m->file);
		if (!(m->flags & MAPPING_EXEC) || path_kind_of(path) != PATH_FILE)
			continue;
		if (!path_is_library(path_without_deleted(path)))
			return path;
		lowest = lowest.len ? lowest : path;
	}
	return lowest;
}

/* ---- a profile ---- */

/* The strings of a set, in the order in which they came. */
static void join(const struct strings *set, const char *between, char *out, size_t size)
{
	size_t length = 0;

	for (uint32_t i = 1; i < set->len && length < size; i++) { /* 0 is the empty string */
		struct text one = strings_at(set, i);
		length += (size_t)snprintf(out + length, size - length, "%s%.*s",
					   i > 1 ? between : "",
					   (int)(one.len < size ? one.len : size), one.at);
	}
}

static void take_head(const struct profile_head *head, struct profile_facts *out)
{
	out->basic = head->mode == MODE_PLAIN;
	out->bolted = head->bolted;
	join(&head->events, " ", out->events, sizeof(out->events));
}

/* ---- fdata ---- */

static bool add_function(struct strings *names, const struct fdata_place *place)
{
	uint32_t number;

	return place->kind != '1' || strings_intern(names, place->name, &number);
}

static bool take_line(const struct fdata_line *line, struct strings *names,
		      struct profile_facts *out)
{
	out->records++;
	out->count = count_add_saturating(out->count, line->count);
	out->mispredicted = count_add_saturating(out->mispredicted, line->mispredicted);
	return add_function(names, &line->from) &&
	       (line->sampled || add_function(names, &line->to));
}

static bool read_fdata(struct file_stream *stream, struct profile_facts *out, struct bc_error *err)
{
	struct text_input in = {0};
	struct fdata_input input = {.in = &in};
	struct strings names = {0};
	struct fdata_line line;

	bool ok = text_input_init(&in, stream, err);
	while (ok && fdata_input_next(&input, &line, err))
		ok = take_line(&line, &names, out) || bc_fail_nomem(err);
	ok = ok && err->code == BC_OK;
	take_head(&input.head, out);
	out->functions = names.len ? names.len - 1 : 0; /* 0 is the empty string */
	strings_free(&names);
	fdata_input_free(&input);
	text_input_free(&in);
	return ok;
}

/* ---- YAML ---- */

static void take_yaml_head(const struct profile_head *head, struct profile_facts *out)
{
	struct text binary = head->binary_name ? strings_at(&head->words, head->binary_name) :
						 (struct text){"", 0};

	take_head(head, out);
	build_id_format(&head->id, out->build_id);
	snprintf(out->binary, sizeof(out->binary), "%.*s", (int)binary.len, binary.at);
	join(&head->origins, "; ", out->origin, sizeof(out->origin));
}

static bool read_yaml_document(struct yaml_input *yaml, bool first, struct profile_facts *out,
			       struct bc_error *err)
{
	struct profile_head head = {.kind = KIND_YAML};
	const struct yaml_function *function;

	bool ok = yaml_input_head(yaml, &head, err);
	while (ok && yaml_input_next(yaml, &function, err)) {
		out->functions++;
		out->records += function->blocks.len;
		out->count = count_add_saturating(out->count, function->exec);
	}
	if (first)
		take_yaml_head(&head, out);
	profile_head_free(&head);
	return ok && err->code == BC_OK;
}

static bool read_yaml(struct file_stream *stream, struct profile_facts *out, struct bc_error *err)
{
	struct yaml_input *yaml = yaml_input_open(stream, (struct text){"", 0}, err);
	bool ok = yaml;

	for (bool first = true; ok && (first || yaml_input_goes_on(yaml)); first = false)
		ok = read_yaml_document(yaml, first, out, err);
	yaml_input_close(yaml);
	return ok;
}

static bool take_profile(struct inspected *out, struct bc_error *err)
{
	struct file_stream stream;

	if (!stream_open(out->path, &stream, err))
		return false;
	bool ok = (out->kind == FILE_YAML ? read_yaml : read_fdata)(&stream, &out->profile, err);
	stream_close(&stream);
	return ok;
}

/* ---- any file ---- */

void inspected_free(struct inspected *inspected)
{
	binary_close(&inspected->binary);
	recording_free(&inspected->recording);
}

static bool take_binary(struct inspected *out, struct bc_error *err)
{
	struct bat_error bat_err;

	if (!binary_map(out->path, &out->binary, err))
		return false;
	if (!binary_find_note(&out->binary, err)) {
		if (err->code == BC_FORMAT)
			snprintf(out->bat_wrong, sizeof(out->bat_wrong), "%s", err->text);
		return err->code == BC_NOTFOUND || err->code == BC_FORMAT ||
		       bc_fail_prefix(err, out->path);
	}
	if (bat_decode_offsets(out->binary.desc.data, out->binary.desc.size, &out->binary.bat,
			       &bat_err))
		return true;
	snprintf(out->bat_wrong, sizeof(out->bat_wrong), "%s", bat_err.text);
	return bat_err.code != BAT_ERROR_NOMEM || bc_fail_nomem(err);
}

/* "format" or "schema" is the first key of what batconv writes; SARIF has "$schema". */
static void take_json(struct inspected *out, struct text start)
{
	static const char *const keys[] = {"\"format\":", "\"schema\":", "\"$schema\":"};

	for (size_t i = 0; i < BC_COUNT(keys); i++) {
		const char *at = memmem(start.at, start.len, keys[i], strlen(keys[i]));
		if (!at)
			continue;
		struct text rest = text_from(start, (size_t)(at - start.at) + strlen(keys[i]));
		struct text value =
			text_from(rest, text_find(rest, '"') + 1); /* empty if there is none */
		value = text_first(value, text_find(value, '"'));
		snprintf(out->json_format, sizeof(out->json_format), "%.*s",
			 (int)(value.len < 63 ? value.len : 63), value.at);
		return;
	}
}

static enum local_file local_file_of(const struct mapped_files *files, uint32_t number)
{
	struct text path = path_without_deleted(mapped_files_path(files, number));
	struct binary binary;
	struct bc_error err;

	char *name = path_kind_of(path) == PATH_FILE ? strndup(path.at, path.len) : NULL;
	if (!name || !binary_map_named(name, NAMED_BY_MAPPING, &binary, &err)) {
		free(name);
		return LOCAL_NONE;
	}
	bool same = build_of(files, number, &binary.image) != BUILD_OTHER;
	bool has_bat = binary_find_note(&binary, &err), is_bolted = binary.kind != BINARY_UNTOUCHED;
	binary_close(&binary);
	free(name);
	return !same ? LOCAL_OTHER : has_bat ? LOCAL_BAT : is_bolted ? LOCAL_LOST : LOCAL_PLAIN;
}

/* Opens each file that the recording names, once, and notes what it is. */
static void look_for_files(struct inspected *out)
{
	const struct recording *r = &out->recording;

	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		if (r->files.at[i].of < SHARE_UNKNOWN)
			out->local[i] = local_file_of(&r->mapped, (uint32_t)r->files.at[i].of);
}

static bool take_samples(struct inspected *out, struct input_progress progress,
			 struct carried *carried, struct bc_error *err)
{
	bool unknown = out->kind == FILE_UNKNOWN;

	if (!recording_read(out->path, progress, carried, &out->recording, err)) {
		if (unknown && err->code == BC_FORMAT && !recording_has_any(&out->recording))
			return bc_fail(err, BC_FORMAT,
				       "%s: is nothing that batconv, perf or BOLT reads or writes",
				       input_name(out->path));
		return false;
	}
	out->kind = FILE_SAMPLES;
	look_for_files(out);
	return true;
}

static bool look_at(const char *path, struct inspected *out, char *start, size_t *size,
		    struct bc_error *err)
{
	struct file_stream stream;
	uint64_t taken;

	if (!stream_open(path, &stream, err))
		return false;
	struct bc_error damaged; /* what reads all of it shows more */
	out->is_shard = shard_look(&stream, &out->is_shard, &out->shard, &damaged) && out->is_shard;
	stream.cut_will_do = true;
	bool ok = stream_read(&stream, start, FILE_KIND_LOOK, size, err);
	out->packing = stream_packing(&stream, &taken);
	stream_close(&stream);
	return ok;
}

bool inspect_file(const char *path, struct input_progress progress, struct carried *carried,
		  struct inspected *out, struct bc_error *err)
{
	char start[FILE_KIND_LOOK];
	size_t size = 0;

	out->path = path;
	if (is_recording_folder(path)) {
		out->kind = FILE_SAMPLES;
		return take_samples(out, progress, carried, err);
	}
	out->foreign = foreign_folder(path);
	if (out->foreign) {
		out->kind = FILE_FOREIGN;
		return true;
	}
	if (!look_at(path, out, start, &size, err))
		return false;
	if (!size)
		return bc_fail(err, BC_FORMAT, "%s: is empty", path);
	out->kind = file_kind_of((struct text){start, size}, &out->foreign);
	switch (out->kind) {
	case FILE_BINARY:
	case FILE_SIDE:
	case FILE_NOTE: return take_binary(out, err);
	case FILE_SAMPLES:
	case FILE_UNKNOWN: return take_samples(out, progress, carried, err);
	case FILE_FDATA:
	case FILE_YAML: return take_profile(out, err);
	case FILE_JSON: take_json(out, (struct text){start, size}); break;
	case FILE_FOREIGN:
	case FILE_BCMAPS:
	case FILE_MAPS:
	case FILE_STACKS:
	case FILE_RESOLVED:
	case FILE_PPROF:
	case FILE_RANGES:
	case FILE_COMPILER:
	case FILE_PAGE:
	case FILE_HEAT:
	case FILE_LISTING:
	case FILE_RINGS:
	case FILE_PERF_TEXT:
	case FILE_EMPTY:
	case FILE_SHARDS:
	case FILE_FOLDER:
	case FILE_KIND_COUNT: break;
	}
	return true;
}
