/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/open.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/samples/bcmaps.h"
#include "src/samples/file_kind.h"
#include "src/samples/history.h"
#include "src/samples/maps_text.h"
#include "src/samples/proc.h"
#include "src/samples/reader.h"

/* Text and .bcmaps are read as a whole, up to this. */
#define FILE_MOST (UINT64_C(256) << 20)

/* Each region of a .bcmaps file counts as so many bytes of that. */
#define BCMAPS_REGION_BYTES 4

/* ---- a recording ---- */

struct timeline {
	const char *path;
	struct snapshots *out;
	struct history history;
	struct carried *carried; /* or NULL */
	uint64_t until;
	uint64_t bytes_before,
		bytes; /* read: of files of a directory before this one, and of this one */
};

static void count_bytes(void *ctx, const struct file_stream *stream)
{
	struct timeline *r = ctx;

	if (stream->done < r->bytes)
		r->bytes_before += r->bytes;
	r->bytes = stream->done;
}

static bool take_sample(struct timeline *r, const struct event *event, struct bc_error *err)
{
	struct process *process = history_process(&r->history, event->sample->pid);

	return !process || history_snapshot(process, r->out, err);
}

/* What happened later is left out. */
static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct timeline *r = ctx;

	if (event->time)
		r->history.now = event->time;
	if (r->history.now > r->until)
		return true;
	switch (event->kind) {
	case EVENT_CONTINUES:
		return carried_give(r->carried, &r->history, err) &&
		       history_event(&r->history, event, err);
	case EVENT_MAP:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: return history_event(&r->history, event, err);
	case EVENT_SAMPLE:
		return history_event(&r->history, event, err) && take_sample(r, event, err);
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
		return bc_fail(err, BC_UNSUPPORTED, "%s: pre-aggregated records have no mappings",
			       input_name(r->path)) ||
		       bc_hint(err, "give the recording that they were made from");
	case EVENT_BEGIN:
	case EVENT_RAN:
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

static bool read_recording(const char *path, uint64_t until, struct carried *carried,
			   struct snapshots *out, struct reader_report *report,
			   struct bc_error *err)
{
	struct timeline r = {.path = path,
			     .out = out,
			     .history = {.files = &out->files},
			     .carried = carried,
			     .until = until};
	const struct event_sink sink = {&r, take_event};
	struct reader_options how = {
		.format = INPUT_AUTO,
		.cut_will_do = true,
		.expected =
			"expected maps (.bcmaps or text of /proc/PID/maps), perf.data or text of perf script",
		.recordings = carried ? &carried->recordings : NULL,
		.new_recording = carried && carried->new_recording};
	struct input_progress count = {count_bytes, &r};

	bool ok = input_run(path, &how, count, &sink, report, err) &&
		  history_snapshot_all(&r.history, out, err) &&
		  (!carried || carried_keep(carried, &r.history, err));
	history_free(&r.history);
	report->bytes = r.bytes_before + r.bytes;
	return ok;
}

/* ---- text ---- */

/* The set is not empty: what it has in common with the last map of this process is shared. */
static bool add_text(struct snapshots *out, const struct maps_head *head, struct map_set **maps,
		     struct bc_error *err)
{
	const struct snapshot *last = out->all.len ? &out->all.at[out->all.len - 1] : NULL;
	struct map_set *shared = map_set_share(last && last->pid == head->pid ? last->maps : NULL);
	struct maps all = {0};

	bool ok = (maps_of(*maps, &all) && map_set_update(&shared, all.at, all.len)) ||
		  bc_fail_nomem(err);
	maps_free(&all);
	ok = ok && snapshots_add(out, head->pid, head->id, head->time, shared, err);
	map_set_release(shared);
	return ok;
}

static bool read_map(struct text *rest, uint64_t *number, const struct maps_head *head,
		     struct snapshots *out, struct bc_error *err)
{
	struct map_set *maps = NULL;
	bool ok = maps_text_read(rest, number, &out->files, &maps, err) &&
		  add_text(out, head, &maps, err);

	map_set_release(maps);
	return ok;
}

static bool read_text(struct text rest, struct snapshots *out, struct bc_error *err)
{
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
		if (!read_map(&rest, &number, &head, out, err))
			return false;
		if (!number)
			break;
	}
	return true;
}

/* ---- any file ---- */

/* The text from the first line on that is neither blank nor a comment, as head lines are. */
static struct text skip_comments(struct text text)
{
	for (size_t len; text.len; text = text_from(text, len + 1)) {
		len = text_find(text, '\n');
		if (*text.at != '#' && text_trim(text_first(text, len)).len)
			break;
	}
	return text;
}

/* A line of /proc/PID/maps begins with hexadecimal digits and a dash; what has comments alone, as
 * far as is looked, can have some.  For a pipe nothing can be known: it is text or .bcmaps. */
static bool is_maps_text(const char *path, bool *out, struct bc_error *err)
{
	char start[4096];
	size_t got;
	uint64_t ignored;

	if (!file_peek(path, start, sizeof(start), &got, err))
		return false;
	struct text text = {start, got}, line = skip_comments(text);
	*out = !line.len || file_kind_of(text, NULL) == FILE_BCMAPS ||
	       (text_find(line, '-') < line.len &&
		text_hex(text_first(line, text_find(line, '-')), &ignored));
	return true;
}

static bool take_content(const char *path, struct text text, struct snapshots *out, uint64_t *bytes,
			 struct bc_error *err)
{
	*bytes = text.len;
	if (!text.len || samples_format_of(text_first(text, FILE_KIND_LOOK)) == INPUT_PERF_DATA)
		return bc_fail(
			err, BC_FORMAT, "%s: %s", input_name(path),
			text.len ? "perf.data through a pipe: its mappings are read from a file" :
				   "is empty");
	bool is_bcmaps = file_kind_of(text_first(text, FILE_KIND_LOOK), NULL) == FILE_BCMAPS;
	bool ok = is_bcmaps ? bcmaps_read((struct bytes){(const uint8_t *)text.at, text.len}, out,
					  err) :
			      read_text(text, out, err) && snapshots_index(out, err);
	for (size_t i = 0; ok && is_bcmaps && i < out->all.len; i++)
		*bytes += BCMAPS_REGION_BYTES * map_set_count(out->all.at[i].maps);
	return ok || bc_fail_prefix(err, input_name(path));
}

static bool read_content(const char *path, struct snapshots *out, uint64_t *bytes,
			 struct bc_error *err)
{
	size_t size;
	char *text = file_read_text(path, FILE_MOST, &size, err);
	bool ok = text && take_content(path, (struct text){text, size}, out, bytes, err);

	free(text);
	return ok;
}

bool maps_open(const char *path, uint64_t until, struct snapshots *out,
	       struct reader_report *report, struct bc_error *err)
{
	return maps_open_next(path, until, NULL, out, report, err);
}

bool maps_open_next(const char *path, uint64_t until, struct carried *carried,
		    struct snapshots *out, struct reader_report *report, struct bc_error *err)
{
	struct snapshots all = {0};
	bool is_text = true;

	*report = (struct reader_report){0};
	if (is_recording_folder(path))
		is_text = false;
	else if (strcmp(path, "-") && !is_maps_text(path, &is_text, err))
		return false;
	if (is_text && carried)
		carried->recordings = (struct recordings){0};
	bool ok = is_text ? read_content(path, &all, &report->bytes, err) :
			    read_recording(path, until, carried, &all, report, err) &&
				    snapshots_index(&all, err);

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
	struct map_set *maps = NULL;
	struct snapshots all = {0};
	int fd;

	bool ok = proc_maps(pid, &all.files, &maps, err);
	if (ok) {
		struct memory memory = proc_memory(pid, &fd);
		ok = proc_build_ids(&memory, &all.files, &maps) || bc_fail_nomem(err);
		if (fd >= 0)
			close(fd);
	}
	ok = ok && snapshots_add(&all, pid, 0, now(), maps, err) && snapshots_index(&all, err);
	map_set_release(maps);
	if (ok)
		*out = all;
	else
		snapshots_free(&all);
	return ok;
}

/* ---- adding to a file ---- */

/* Writes snapshots to a file.  new: the file must not exist yet, also if another process makes one
 * meanwhile. */
static bool write_bcmaps(const struct snapshots *all, const char *path, bool new,
			 struct bc_error *err)
{
	struct output output;
	uint8_t *data;
	size_t size;

	if (!bcmaps_write(all, &data, &size, err))
		return false;
	bool ok = output_open(path, &output, err);
	if (ok) {
		fwrite(data, 1, size, output.file);
		ok = new ? output_commit_new(&output, err) : output_commit(&output, err);
	}
	free(data);
	return ok;
}

/* How many bytes there were, or -1. */
static ssize_t read_start(int fd, char *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = pread(fd, to + got, size - got, (off_t)got);
		if (!more)
			break;
		if (more > 0)
			got += (size_t)more;
		else if (errno != EINTR)
			return -1;
	}
	return (ssize_t)got;
}

/* Checks that the file holds snapshots, by its own first bytes: a compressed file of them would no
 * longer be compressed afterwards.  fd: -1 for what is no regular file; that is not even opened,
 * because a FIFO would wait for its writer. */
static bool is_bcmaps(const char *path, int fd, struct bc_error *err)
{
	char start[BCMAPS_MAGIC_SIZE];
	ssize_t got = fd < 0 ? 0 : read_start(fd, start, sizeof(start));

	if (got < 0)
		return bc_fail_errno(err, "%s: cannot read", path);
	return text_starts((struct text){start, (size_t)got}, BCMAPS_MAGIC) ||
	       bc_fail(err, BC_FORMAT, "%s: no snapshots (.bcmaps): it is not replaced", path);
}

/* Adds the snapshots once.  A file that cannot be read is an error, not an empty file, and a
 * recording is never replaced. */
static bool add_once(const char *path, const struct update *update, const struct snapshots *more,
		     struct bc_error *err)
{
	struct snapshots all = {0};
	struct reader_report report = {0};
	bool ok = (update->absent || (is_bcmaps(path, update->fd, err) &&
				      maps_open(path, UINT64_MAX, &all, &report, err))) &&
		  snapshots_merge(&all, more, err) &&
		  write_bcmaps(&all, update->path ? update->path : path, update->absent, err);

	snapshots_free(&all);
	return ok;
}

bool maps_add(const char *path, const struct snapshots *more, struct bc_error *err)
{
	struct update update = {.absent = true, .fd = -1};

	if (!strcmp(path, "-"))
		return add_once(path, &update, more, err);
	for (;;) {
		if (!update_begin(path, &update, err))
			return false;
		bool ok = add_once(path, &update, more, err);
		update_end(&update);
		if (ok || err->code != BC_EXISTS)
			return ok;
	}
}
