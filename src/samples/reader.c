/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/samples/file_kind.h"
#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_script/perf_script.h"
#include "src/samples/preagg_read.h"

typedef bool read_fn(struct lines *lines, const struct reader_options *options,
		     const struct event_sink *sink, struct reader_report *report,
		     struct bc_error *err);

static read_fn perf_data_lines;

static read_fn *const readers[] = {
	[INPUT_PREAGG] = preagg_read,
	[INPUT_PERF_SCRIPT] = perf_script_read,
	[INPUT_PERF_DATA] = perf_data_lines,
};

static bool perf_data_lines(struct lines *lines, const struct reader_options *options,
			    const struct event_sink *sink, struct reader_report *report,
			    struct bc_error *err)
{
	struct perf_data_input input = {
		.stream = lines->stream, .recordings = options->recordings, .flow = options->flow};
	struct text head;

	/* For a pipe, the sections after the data can be used for the data only if they were
	 * read already. */
	size_t most = stream_position(lines->stream) < 0 ? LINES_LONGEST : 0;

	if (!lines_peek(lines, most, &head, err))
		return false;
	input.head = (struct bytes){(const uint8_t *)head.at, head.len};
	return perf_data_read(&input, sink, report, err);
}

/* Is it pre-aggregated, or not known yet? */
static bool can_be_preagg(enum input_format format)
{
	return format == INPUT_AUTO || format == INPUT_PREAGG;
}

static bool recognize(struct lines *lines, const struct reader_options *options,
		      enum input_format *out, struct bc_error *err)
{
	struct line first = {.file = lines->stream->name};
	struct text start;

	if (!lines_peek(lines, SAMPLES_MAGIC_MOST, &start, err))
		return false;
	/* Nothing at all is what --format=preagg writes where it kept nothing. */
	if (!start.len && !can_be_preagg(options->format))
		return bc_fail(err, BC_FORMAT, "%s: is empty", first.file);
	*out = samples_format_of(start);
	if (*out)
		return true;
	if (file_kind_of(start, NULL) == FILE_BINARY)
		return bc_fail(err, BC_FORMAT, "%s: is a binary (ELF), not samples", first.file);
	if (!lines_peek(lines, LINES_LONGEST, &start, err))
		return false;
	uint64_t dump = samples_dump_line(start, lines->at_end);
	if (dump)
		return bc_fail(err, BC_UNSUPPORTED, "%s: line %" PRIu64 ": " PERF_DUMP_WHY,
			       first.file, dump);
	*out = options->format;
	if (!*out)
		*out = samples_format_of_text(start, lines->at_end, &first);
	if (!*out && !first.number && lines->at_end)
		*out = INPUT_PREAGG;
	if (*out)
		return true;
	if (!first.number)
		return bc_fail(err, BC_FORMAT,
			       "%s: has no samples, only comments or one endless line", first.file);
	return line_fail(
		err, BC_FORMAT, &first, text_trim(first.text).at,
		options->expected ?
			options->expected :
			"expected perf.data, text of perf script or pre-aggregated records");
}

/* Addresses mean nothing in other code, and nothing in the records shows it. */
static bool check_code(const struct file_stream *stream, const struct reader_options *options,
		       enum input_format format, struct bc_error *err)
{
	const struct build_id *code = format == INPUT_PREAGG ? stream_shard_identity(stream) : NULL;
	const struct code_owner *owner = &options->owner;

	return !code || !owner->owns || owner->owns(owner->ctx, code, stream->name, err);
}

bool reader_run(struct file_stream *stream, const struct reader_options *options,
		const struct event_sink *sink, struct reader_report *report, struct bc_error *err)
{
	BC_AUTO(lines_fini) struct lines lines = {0};
	*report = (struct reader_report){0};
	err->code = BC_OK;
	if (!lines_init(&lines, stream, err) || !recognize(&lines, options, &report->format, err))
		return false;
	if (!check_code(stream, options, report->format, err))
		return false;
	if (report->format != INPUT_PERF_DATA && options->recordings)
		*options->recordings = (struct recordings){0}; /* text says not where it is from */
	return readers[report->format](&lines, options, sink, report, err);
}

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
static bool note_packing(const struct file_stream *stream, bool cut_will_do,
			 struct reader_report *report, struct bc_error *err)
{
	uint64_t taken;

	report->packing = stream_packing(stream, &taken);
	if (!stream->cut)
		return true;
	report->packed_cut = true;
	report->packed_cut_at = taken;
	return (cut_will_do && !can_be_preagg(report->format)) || stream_fail_cut(stream, err);
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
					.recordings = options->recordings,
					.flow = options->flow};
	bool ok = perf_data_read(&input, sink, report, err);
	for (size_t i = 0; ok && i < folder.count; i++)
		ok = note_packing(&folder.streams[folder.count - 1 - i], true, report,
				  err); /* so that the report is the first file's */
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
	bool too_early = stream.cut && can_be_preagg(report->format);
	if (ok || (too_early && err->code == BC_FORMAT))
		ok = note_packing(&stream, options->cut_will_do, report, err);
	stream_close(&stream);
	return ok;
}

/* A directory without a file `data` is opened like a file, so that the error names the directory.
 */
bool is_recording_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	char *data = join(path, "data");
	bool has_data = !data || !access(data, F_OK); /* no memory is reported below */
	free(data);
	return has_data;
}

bool input_run(const char *path, const struct reader_options *options,
	       struct input_progress progress, const struct event_sink *sink,
	       struct reader_report *report, struct bc_error *err)
{
	if (options->new_recording && options->recordings)
		*options->recordings = (struct recordings){0};
	return is_recording_folder(path) ? run_folder(path, options, progress, sink, report, err) :
					   run_file(path, options, progress, sink, report, err);
}
