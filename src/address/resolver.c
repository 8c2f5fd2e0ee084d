/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/resolver.h"

#include <inttypes.h>

#include "src/base/lines.h"
#include "src/samples/perf_script/perf_script.h"

void resolver_init(struct resolver *r, struct snapshots *snapshots)
{
	*r = (struct resolver){.snapshots = snapshots};
	r->libraries.files = &snapshots->files;
	r->history.files = &snapshots->files;
}

void resolver_free(struct resolver *r)
{
	for (size_t i = 0; i < RESOLVER_VIEWS; i++)
		view_free(&r->views[i]);
	libraries_free(&r->libraries);
	history_free(&r->history);
	frame_vec_free(&r->frames);
	address_list_free(&r->chain);
}

/* The view of a set, kept until another one needs its slot.  It holds a share: while it does,
 * the set is what it was. */
static struct view *view_of(struct resolver *r, struct map_set *set)
{
	size_t slot =
		(size_t)((uintptr_t)set * UINT64_C(0x9e3779b97f4a7c15) >> 32) % RESOLVER_VIEWS;
	struct view *view = &r->views[slot];

	if (view->set != set) {
		view_free(view);
		view_init(view, set);
	}
	return view;
}

static bool resolve(struct resolver *r, struct view *view, const uint64_t *addresses, size_t count,
		    struct stack *stack, struct bc_error *err)
{
	while (r->frames.len < count)
		if (!frame_vec_push(&r->frames, (struct frame){0}))
			return bc_fail_nomem(err);
	if (!frames_resolve(&r->libraries, view, &r->options, addresses, count, r->frames.at, err))
		return false;
	stack->frames = r->frames.at;
	stack->count = count;
	r->counts.stacks++;
	r->counts.frames += count;
	r->counts.no_map += !view;
	for (size_t i = 0; i < count; i++) {
		bool kernel = text_is(r->frames.at[i].library, FRAME_KERNEL);
		bool impossible = text_is(r->frames.at[i].library, FRAME_IMPOSSIBLE);
		r->counts.kernel += kernel;
		r->counts.impossible += impossible;
		r->counts.unknown += !r->frames.at[i].mapping && !kernel && !impossible;
	}
	return r->take(r->ctx, stack, err);
}

/* Without a process: the only one there is. */
static uint32_t only_process(const struct snapshots *s)
{
	for (size_t i = 1; i < s->all.len; i++)
		if (s->all.at[i].pid != s->all.at[0].pid)
			return RAW_ANY;
	return s->all.len ? s->all.at[0].pid : RAW_ANY;
}

bool resolver_raw(struct resolver *r, const struct raw_stack *raw, struct bc_error *err)
{
	uint32_t pid = raw->pid == RAW_ANY ? only_process(r->snapshots) : raw->pid;
	const struct snapshot *snapshot = NULL;
	struct view *view = NULL;

	if (r->snapshots->all.len && (raw->pid != RAW_ANY || pid != RAW_ANY))
		snapshot = raw->map == RAW_ANY ? snapshots_at(r->snapshots, pid, raw->time) :
						 snapshots_of_id(r->snapshots, pid, raw->map);
	if (snapshot)
		view = view_of(r, snapshot->maps);
	struct stack stack = {raw->time, pid,  snapshot ? snapshot->id : raw->map,
			      snapshot,  NULL, 0};
	return resolve(r, view, raw->addresses.at, raw->addresses.len, &stack, err);
}

static bool raw_lines(struct resolver *r, struct lines *lines, struct bc_error *err)
{
	struct raw_stack raw = {0};
	struct text text;
	const char *wrong;
	bool ok = true;

	err->code = BC_OK;
	while (ok && lines_next(lines, &text, err)) {
		switch (raw_stack_parse(text, &raw, &wrong)) {
		case RAW_STACK: ok = resolver_raw(r, &raw, err); break;
		case RAW_NOTHING: lines_skip_blank(lines); break;
		case RAW_BAD:
			if (perf_dump_fits(text))
				wrong = PERF_DUMP_WHY;
			ok = wrong ? bc_fail(err, BC_FORMAT, "%s: line %" PRIu64 ": %s",
					     lines->stream->name, lines->number, wrong) :
				     bc_fail_nomem(err);
		}
	}
	address_list_free(&raw.addresses);
	return ok && err->code == BC_OK;
}

bool resolver_raw_file(struct resolver *r, const char *path, struct bc_error *err)
{
	BC_AUTO(lines_fini) struct lines lines = {0};
	struct file_stream stream;

	if (!stream_open(path, &stream, err))
		return false;
	bool ok = lines_init(&lines, &stream, err) && raw_lines(r, &lines, err);
	stream_close(&stream);
	return ok;
}

/* perf script prints a user frame as an offset in its file; the mapping with that offset gives
 * the run-time address. */
static uint64_t run_address(const struct resolver *r, const struct view *view, uint64_t at,
			    struct text file)
{
	uint64_t from = 0;

	for (const struct mapping *m; view && file.len && (m = map_set_above(view->set, from));
	     from = m->end)
		if (at - m->offset < m->end - m->start &&
		    text_equal(mapped_files_path(r->history.files, m->file), file))
			return at - m->offset + m->start;
	return at;
}

/* The run-time addresses of a sample's chain, or of the sample. */
static bool collect_chain(struct resolver *r, const struct view *view, const struct sample *sample)
{
	r->chain.len = 0;
	for (size_t i = 0; i < sample->callchain_count; i++) {
		uint64_t at = sample->callchain[i];
		if (sample->callchain_files && at < USER_END)
			at = run_address(r, view, at, sample->callchain_files[i]);
		if (!address_list_push(&r->chain, at))
			return false;
	}
	return r->chain.len || address_list_push(&r->chain, sample->ip.v);
}

/* For a process of which the recording has no mapping. */
static struct map_set *given_maps(struct resolver *r, uint32_t pid, uint64_t time)
{
	const struct snapshot *found = snapshots_near(r->snapshots, pid, time);

	r->counts.given += found != NULL;
	return found ? found->maps : NULL;
}

static bool take_sample(struct resolver *r, const struct event *event, struct bc_error *err)
{
	const struct sample *sample = event->sample;
	const struct process *process = history_process(&r->history, sample->pid);
	struct stack stack = {.time = event->time, .pid = sample->pid, .map = RAW_ANY};
	struct view *view = NULL;

	if (sample->no_ip && !sample->callchain_count) {
		r->counts.no_address++;
		return true;
	}
	struct map_set *maps =
		process && process->maps ? process->maps : given_maps(r, sample->pid, event->time);
	if (maps)
		view = view_of(r, maps);
	if (!collect_chain(r, view, sample))
		return bc_fail_nomem(err);
	return resolve(r, view, r->chain.at, r->chain.len, &stack, err);
}

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct resolver *r = ctx;

	switch (event->kind) {
	case EVENT_BEGIN: /* each recording has its own processes */
		history_forget(&r->history);
		return true;
	case EVENT_CONTINUES:
	case EVENT_MAP:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: return history_event(&r->history, event, err);
	case EVENT_SAMPLE: return take_sample(r, event, err);
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: pre-aggregated records have no call stacks",
			       input_name(r->path)) ||
		       bc_hint(err, "give the recording that they were made from");
	case EVENT_RAN: /* has no stacks */
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

bool resolver_recording(struct resolver *r, const char *path, struct reader_report *report,
			struct bc_error *err)
{
	const struct event_sink sink = {r, take_event};
	struct reader_options how = {.format = INPUT_AUTO,
				     .cut_will_do = true,
				     .recordings = &r->recordings,
				     .new_recording = r->new_recording};
	struct input_progress none = {0};

	r->path = path;
	return input_run(path, &how, none, &sink, report, err);
}

/* ---- raw call stacks ---- */

/* m3, p77 or p77m3 */
static bool parse_map(struct text word, struct raw_stack *out)
{
	uint64_t pid = RAW_ANY, map = RAW_ANY;
	size_t m = text_find(word, 'm');

	if (text_starts(word, "p") && !text_dec(text_from(text_first(word, m), 1), &pid))
		return false;
	if (m < word.len && !text_dec(text_from(word, m + 1), &map))
		return false;
	if (!word.len || (*word.at != 'p' && *word.at != 'm') || pid > RAW_ANY || map > RAW_ANY)
		return false;
	out->pid = (uint32_t)pid;
	out->map = (uint32_t)map;
	return true;
}

enum raw_line raw_stack_parse(struct text line, struct raw_stack *out, const char **wrong)
{
	struct text rest = text_trim(line);
	uint64_t at;

	out->addresses.len = 0;
	if (!rest.len || *rest.at == '#')
		return RAW_NOTHING;
	*wrong = "expected a time in ns";
	if (!text_dec(text_word(&rest), &out->time))
		return RAW_BAD;
	*wrong = "expected a map: m3, p77 or p77m3";
	if (!parse_map(text_word(&rest), out))
		return RAW_BAD;
	for (struct text word; (word = text_word(&rest)).len;) {
		*wrong = "expected a hexadecimal address";
		if (!text_hex(word, &at))
			return RAW_BAD;
		*wrong = NULL;
		if (!address_list_push(&out->addresses, at))
			return RAW_BAD;
	}
	*wrong = "expected addresses";
	return out->addresses.len ? RAW_STACK : RAW_BAD;
}
