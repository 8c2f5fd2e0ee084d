/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/event/perf_data/perf_data.h"

/* The files of a directory: data, data.0, data.1 ... */
struct folder {
	char **paths;
	struct file_stream *streams;
	size_t count;
};

static void folder_free(struct folder *folder)
{
	for (size_t i = 0; i < folder->count; i++) {
		stream_close(&folder->streams[i]);
		free(folder->paths[i]);
	}
	free(folder->paths);
	free(folder->streams);
}

static char *join(const char *path, const char *name)
{
	size_t size = strlen(path) + strlen(name) + 2;
	char *joined = malloc(size);

	if (joined)
		snprintf(joined, size, "%s/%s", path, name);
	return joined;
}

static bool folder_room(struct folder *folder)
{
	char **paths = realloc(folder->paths, (folder->count + 1) * sizeof(*paths));

	if (!paths)
		return false;
	folder->paths = paths;
	struct file_stream *streams =
		realloc(folder->streams, (folder->count + 1) * sizeof(*streams));
	if (!streams)
		return false;
	folder->streams = streams;
	return true;
}

static bool folder_add(struct folder *folder, char *path, struct input_progress progress,
		       struct bc_error *err)
{
	if (!path || !folder_room(folder)) {
		free(path);
		return bc_fail_nomem(err);
	}
	struct file_stream *stream = &folder->streams[folder->count];
	if (!stream_open_named(path, NAMED_BY_FOLDER, stream, err)) {
		free(path);
		return false;
	}
	stream->on_read = progress.show;
	stream->ctx = progress.ctx;
	stream->cut_will_do = true;
	folder->paths[folder->count++] = path;
	return true;
}

static bool folder_open(const char *path, struct input_progress progress, struct folder *folder,
			struct bc_error *err)
{
	char name[32] = "data";

	for (unsigned i = 0;; i++) {
		char *file = join(path, name);
		if (i && file && access(file, F_OK)) {
			free(file);
			return true;
		}
		if (!folder_add(folder, file, progress, err))
			return false;
		snprintf(name, sizeof(name), "data.%u", i);
	}
}

/* If compressed data ends early, its whole samples are used, as those of a plain file that
 * was cut are: they are a shorter recording.  Pre-aggregated records have no order in time, so that
 * a part of them would be a different profile. */
static bool note_packing(const struct file_stream *stream, bool cut_will_do, struct reader_report *report,
			 struct bc_error *err)
{
	uint64_t taken;

	report->packing = stream_packing(stream, &taken);
	if (!stream->cut)
		return true;
	report->packed_cut = true;
	report->packed_cut_at = taken;
	return (cut_will_do && report->format != INPUT_PREAGG && report->format != INPUT_AUTO) ||
	       stream_fail_cut(stream, err);
}

static bool run_folder(const char *path, const struct reader_options *options,
		       struct input_progress progress, const struct event_sink *sink,
		       struct reader_report *report, struct bc_error *err)
{
	BC_AUTO(folder_free) struct folder folder = {0};

	*report = (struct reader_report){.format = INPUT_PERF_DATA};
	if (!folder_open(path, progress, &folder, err))
		return false;
	struct perf_data_input input = {.stream = &folder.streams[0],
					.more = folder.streams + 1,
					.more_count = folder.count - 1,
					.recordings = options->recordings};
	bool ok = perf_data_read(&input, sink, report, err);
	for (size_t i = 0; ok && i < folder.count; i++)
		ok = note_packing(&folder.streams[folder.count - 1 - i], true, report, err); /* so that the report is the first file's */
	return ok;
}

static bool run_file(const char *path, const struct reader_options *options,
		     struct input_progress progress, const struct event_sink *sink,
		     struct reader_report *report, struct bc_error *err)
{
	struct file_stream stream;

	if (!stream_open(path, &stream, err))
		return false;
	stream.on_read = progress.show;
	stream.ctx = progress.ctx;
	stream.cut_will_do = true;
	bool ok = reader_run(&stream, options, sink, report, err);
	bool too_early = stream.cut && (report->format == INPUT_PREAGG || report->format == INPUT_AUTO);
	if (ok || (too_early && err->code == BC_FORMAT))
		ok = note_packing(&stream, options->cut_will_do, report, err);
	stream_close(&stream);
	return ok;
}

/* A directory without a file `data` is opened like a file, so that the error names the directory. */
bool is_recording_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	char *data = join(path, "data");
	bool has_data = !data || !access(data, F_OK); /* no memory is told below */
	free(data);
	return has_data;
}

bool input_run(const char *path, const struct reader_options *options,
	       struct input_progress progress, const struct event_sink *sink,
	       struct reader_report *report, struct bc_error *err)
{
	if (options->new_recording && options->recordings)
		*options->recordings = (struct recordings){0};
	return is_recording_folder(path)
		       ? run_folder(path, options, progress, sink, report, err)
		       : run_file(path, options, progress, sink, report, err);
}
