/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/open.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/event/input.h"
#include "src/addrspace/bcmaps.h"
#include "src/addrspace/live.h"
#include "src/addrspace/maps_text.h"
#include "src/addrspace/proc.h"

/* Text and .bcmaps are read as a whole, up to this. */
#define FILE_MOST (UINT64_C(256) << 20)

/* ---- a recording ---- */

struct recording {
	struct snapshots *out;
	struct live live;
	uint64_t until;
};

static bool fail_aggregated(struct bc_error *err)
{
	return bc_fail(err, BC_UNSUPPORTED, "records that were aggregated before have no mappings");
}

/* A process had no maps that an event told: nothing to keep. */
static bool keep(struct recording *r, struct live_process *process, struct bc_error *err)
{
	if (!process || !process->changed || !process->maps.len)
		return true;
	process->changed = false;
	return snapshots_add(r->out, process->pid, snapshots_next_id(r->out, process->pid),
			     process->since, &process->maps, err);
}

/* What happened later is left out. */
static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct recording *r = ctx;
	const struct task_event *task = &event->task;

	if (event->time)
		r->live.now = event->time;
	bool late = r->live.now > r->until;
	switch (event->kind) {
	case EVENT_MAP: return late || event->map->pid == NO_PID || live_map(&r->live, event->map, err);
	case EVENT_EXEC: return late || live_exec(&r->live, task->pid, err);
	case EVENT_FORK: return late || live_fork(&r->live, task->parent, task->pid, err);
	case EVENT_SAMPLE: return late || keep(r, live_find(&r->live, event->sample->pid), err);
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME: return fail_aggregated(err);
	case EVENT_BEGIN:
	case EVENT_EXIT: /* a late sample still finds what was mapped */
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct live_process *const *x = a, *const *y = b;

	return ((*x)->pid > (*y)->pid) - ((*x)->pid < (*y)->pid);
}

/* What stands at the end, by pid. */
static bool keep_rest(struct recording *r, struct bc_error *err)
{
	struct live_process **rows = malloc((r->live.used + 1) * sizeof(struct live_process *));
	size_t count = 0;
	bool ok = true;

	if (!rows)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < r->live.capacity; i++)
		if (r->live.rows[i].used)
			rows[count++] = &r->live.rows[i];
	if (count)
		qsort(rows, count, sizeof(struct live_process *), by_pid);
	for (size_t i = 0; i < count && ok; i++)
		ok = keep(r, rows[i], err);
	free(rows);
	return ok;
}

static bool read_recording(const char *path, uint64_t until, struct snapshots *out,
			   struct reader_report *report, struct bc_error *err)
{
	struct recording r = {.out = out, .live = {.strings = &out->strings}, .until = until};
	const struct event_sink sink = {&r, take_event};
	struct reader_options how = {.format = INPUT_AUTO, .cut_will_do = true};
	struct input_progress none = {0};

	bool ok = input_run(path, &how, none, &sink, report, err) && keep_rest(&r, err);
	live_free(&r.live);
	return ok;
}

/* ---- text ---- */

static bool read_text(struct text rest, struct snapshots *out, struct bc_error *err)
{
	BC_AUTO(maps_free) struct maps maps = {0};
	struct maps_head head = {0};
	uint64_t number = 0;
	bool has_head = false;

	while (rest.len || !number) {
		size_t len = text_find(rest, '\n');
		if (maps_head_parse(text_first(rest, len), &head)) {
			rest = text_from(rest, len + 1);
			number++;
			has_head = true;
		} else if (has_head) {
			break; /* read already: only a head ends a map */
		}
		if (!maps_text_read(&rest, &number, &out->strings, &maps, err) ||
		    !snapshots_add(out, head.pid, head.id, head.time, &maps, err))
			return false;
		if (!number)
			break;
	}
	return true;
}

/* ---- any file ---- */

DEFINE_VEC(content_vec, char);

static bool read_whole(const char *path, struct content_vec *out, struct bc_error *err)
{
	struct file_stream stream;
	char buffer[65536];
	size_t got;

	if (!stream_open(path, &stream, err))
		return false;
	bool ok = true;
	for (got = 1; ok && got;) {
		ok = stream_read(&stream, buffer, sizeof(buffer), &got, err);
		if (ok && out->len + got > FILE_MOST)
			ok = bc_fail(err, BC_UNSUPPORTED, "%s: more than %d MiB", stream.name,
				     (int)(FILE_MOST >> 20));
		for (size_t i = 0; i < got && ok; i++)
			ok = content_vec_push(out, buffer[i]) || bc_fail_nomem(err);
	}
	stream_close(&stream);
	return ok;
}

/* A line of /proc/PID/maps begins with hexadecimal digits and a dash; a head or
 * comment with #.  Of a pipe nothing can be told: it is text or .bcmaps. */
static bool is_maps_text(const char *path, bool *out, struct bc_error *err)
{
	char start[24];
	size_t got;
	uint64_t ignored;

	if (!file_peek(path, start, sizeof(start), &got, err))
		return false;
	struct text text = {start, got};
	*out = !text.len || *start == '#' || text_starts(text, BCMAPS_MAGIC) ||
	       (text_find(text, '-') < text.len && text_hex(text_first(text, text_find(text, '-')), &ignored));
	return true;
}

static bool read_content(const char *path, struct snapshots *out, struct bc_error *err)
{
	BC_AUTO(content_vec_free) struct content_vec content = {0};
	struct text text;

	if (!read_whole(path, &content, err))
		return false;
	text = (struct text){content.at, content.len};
	if (!text.len || text_starts(text, "PERFILE2"))
		return bc_fail(err, BC_FORMAT, "%s: %s", input_name(path),
			       text.len ? "perf.data through a pipe: its mappings are read from a file" : "is empty");
	bool ok = text_starts(text, BCMAPS_MAGIC)
			  ? bcmaps_read((struct bytes){(const uint8_t *)content.at, content.len}, out, err)
			  : read_text(text, out, err) && snapshots_index(out, err);
	return ok || bc_fail_prefix(err, input_name(path));
}

bool maps_open(const char *path, uint64_t until, struct snapshots *out,
	       struct reader_report *report, struct bc_error *err)
{
	struct snapshots all = {0};
	bool is_text = true;

	*report = (struct reader_report){0};
	if (is_recording_folder(path))
		is_text = false;
	else if (strcmp(path, "-") && !is_maps_text(path, &is_text, err))
		return false;
	bool ok = is_text ? read_content(path, &all, err)
			  : read_recording(path, until, &all, report, err) && snapshots_index(&all, err);

	if (!ok) {
		snapshots_free(&all);
		return false;
	}
	*out = all;
	return true;
}

/* ---- a process ---- */

static uint64_t now(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool maps_open_process(uint32_t pid, struct snapshots *out, struct bc_error *err)
{
	BC_AUTO(maps_free) struct maps maps = {0};
	struct snapshots all = {0};
	int fd;

	bool ok = proc_maps(pid, &all.strings, &maps, err);
	if (ok) {
		struct memory memory = proc_memory(pid, &fd);
		ok = proc_build_ids(&memory, &all.strings, &maps) || bc_fail_nomem(err);
		if (fd >= 0)
			close(fd);
	}
	if (ok && snapshots_add(&all, pid, 0, now(), &maps, err) && snapshots_index(&all, err)) {
		*out = all;
		return true;
	}
	snapshots_free(&all);
	return false;
}

/* ---- together ---- */

/* The same region with the strings of another set. */
static bool translate(const struct snapshots *from, struct snapshots *into, struct region *region)
{
	return strings_intern(&into->strings, strings_at(&from->strings, region->path),
			      &region->path) &&
	       strings_intern(&into->strings, strings_at(&from->strings, region->build_id),
			      &region->build_id);
}

static bool has_id(const struct snapshots *s, uint32_t pid, uint32_t id)
{
	for (size_t i = 0; i < s->all.len; i++)
		if (s->all.at[i].pid == pid && s->all.at[i].id == id)
			return true;
	return false;
}

bool snapshots_merge(struct snapshots *into, const struct snapshots *from, struct bc_error *err)
{
	for (size_t i = 0; i < from->all.len; i++) {
		const struct snapshot *s = &from->all.at[i];
		BC_AUTO(maps_free) struct maps maps = {0};
		uint32_t id = has_id(into, s->pid, s->id) ? snapshots_next_id(into, s->pid) : s->id;
		if (!snapshots_maps(from, s, &maps))
			return bc_fail_nomem(err);
		for (size_t r = 0; r < maps.len; r++)
			if (!translate(from, into, &maps.at[r]))
				return bc_fail_nomem(err);
		if (!snapshots_add(into, s->pid, id, s->time, &maps, err))
			return false;
	}
	return snapshots_index(into, err);
}
