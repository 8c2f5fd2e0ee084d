/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_data.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "src/samples/perf_data/deliver.h"
#include "src/samples/perf_data/perf_records.h"
#include "src/samples/perf_data/processor_trace.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_file.h"

/* One of the files that are read at the same time. */
struct data_file {
	struct perf_file file;
	struct perf_stream stream;
	uint64_t newest; /* the latest time of its records so far */
	bool ended;
};

struct perf_reader {
	const struct perf_data_input *input;
	struct perf_setup setup;
	struct perf_delivery delivery;
	struct perf_pool pool;
	struct perf_order order;
	struct perf_traces traces;
	struct data_file *files;
	size_t file_count;
	struct reader_report *report;
	struct perf_data_report *details;
	bool begun; /* a time was read */
};

static void reader_fini(struct perf_reader *reader)
{
	perf_order_fini(&reader->order);
	for (size_t i = 0; i < reader->file_count; i++) {
		perf_stream_fini(&reader->files[i].stream);
		perf_file_fini(&reader->files[i].file);
	}
	free(reader->files);
	perf_traces_fini(&reader->traces);
	perf_pool_fini(&reader->pool);
	perf_delivery_fini(&reader->delivery);
	perf_setup_fini(&reader->setup);
}

/* Put the file's name before an error about its content.  Errors of the system and of the sink
 * have a name already. */
static bool name_file(const struct file_stream *stream, struct bc_error *err)
{
	if (err->code == BC_FORMAT || err->code == BC_UNSUPPORTED)
		bc_fail_prefix(err, stream->name);
	return false;
}

static bool is_counted(uint32_t type)
{
	return type < PERF_COUNTED_TYPES;
}

static void count(struct perf_reader *reader, const struct perf_record *record)
{
	if (is_counted(record->type))
		reader->details->records[record->type]++;
	else
		reader->details->other_records++;
}

/* Called before the first record with a time is delivered: does this recording continue the one
 * before? */
static bool begin_time(struct perf_reader *reader, uint64_t first_ns, struct bc_error *err)
{
	const struct event event = {.kind = EVENT_CONTINUES, .time = first_ns};
	const struct recordings *before = reader->input->recordings;

	reader->begun = true;
	if (before)
		reader->report->continuation =
			recordings_judge(before, &reader->setup.features.info.origin, first_ns);
	return reader->report->continuation != CONTINUATION_OF_LAST ||
	       event_deliver(reader->delivery.sink, &event, err);
}

/* A process event or a sample.  One with a time is sorted, one without is delivered at
 * once. */
static bool take_timed(struct perf_reader *reader, struct data_file *data,
		       const struct perf_record *record, struct bc_error *err)
{
	if (!perf_setup_settle(&reader->setup, err))
		return name_file(data->file.stream, err);
	uint64_t time = perf_delivery_time(&reader->delivery, record);
	if (!time || time == UINT64_MAX)
		return perf_delivery_record(&reader->delivery, 0, record, err);
	if (!reader->begun && !begin_time(reader, time, err))
		return false;
	if (time > data->newest)
		data->newest = time;
	return perf_order_put(&reader->order, time, record, err);
}

/* Counts a record that is neither a process event nor a sample. */
static bool ignore_record(struct perf_reader *reader, const struct perf_record *record)
{
	struct perf_data_report *details = reader->details;

	reader->report->ignored++;
	if (perf_record_type_is_known(record->type))
		return true;
	if (!details->unknown_records++) {
		details->unknown_type = record->type;
		details->unknown_at = record->offset;
	}
	return true;
}

static void note_trace(struct perf_data_report *details)
{
	details->trace_records++;
	details->trace.found = true;
}

static bool take_kernel_record(struct perf_reader *reader, struct data_file *data,
			       const struct perf_record *record, struct bc_error *err)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return take_timed(reader, data, record, err);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return perf_delivery_lost(&reader->delivery, record, err);
	case PERF_RECORD_AUX:
		note_trace(reader->details);
		return perf_traces_aux(&reader->traces, record, err) ||
		       name_file(data->file.stream, err);
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return perf_traces_number(&reader->traces, record, err) &&
		       ignore_record(reader, record);
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		reader->report->ignored++;
		return !reader->traces.decodes || take_timed(reader, data, record, err);
	default: return ignore_record(reader, record);
	}
}

static bool take_setup(struct perf_reader *reader, struct data_file *data,
		       const struct perf_record *record, struct bc_error *err)
{
	if (!perf_setup_record(&reader->setup, record, err))
		return name_file(data->file.stream, err);
	data->stream.ring_size = reader->setup.features.info.mmap_size;
	return true;
}

/* Where the records of the first file begin. */
static uint64_t data_begin(const struct perf_header *header)
{
	return header->pipe ? header->size : header->data.offset;
}

static bool take_trace_info(struct perf_reader *reader, struct data_file *data,
			    const struct perf_record *record, struct bc_error *err)
{
	struct perf_file *file = data == reader->files ? &data->file : NULL;

	return perf_traces_info(&reader->traces, record, file, data_begin(&reader->setup.header),
				data->stream.end, err) ||
	       name_file(data->file.stream, err);
}

static bool take_trace(struct perf_reader *reader, struct data_file *data,
		       const struct perf_record *record, struct bc_error *err)
{
	struct perf_order *order = &reader->order;
	struct perf_traces *traces = &reader->traces;

	note_trace(reader->details);
	if (!perf_traces_take(traces, record, &data->stream, data == reader->files, order->newest,
			      err))
		return name_file(data->file.stream, err);
	return !perf_traces_full(traces) ||
	       (perf_order_flush(order, order->newest, err) &&
		perf_traces_deliver(traces, UINT64_MAX, reader->delivery.event_time, err));
}

/* What traces have up to the time that rounds have come to. */
static bool take_round(struct perf_reader *reader, struct bc_error *err)
{
	uint64_t until = reader->order.round_limit;

	if (reader->file_count > 1)
		return true; /* not across files */
	return perf_order_round(&reader->order, err) &&
	       (!reader->traces.decodes || reader->traces.indexed ||
		perf_traces_deliver(&reader->traces, until, reader->delivery.event_time, err));
}

static bool take_record(struct perf_reader *reader, struct data_file *data,
			const struct perf_record *record, struct bc_error *err)
{
	count(reader, record);
	if (record->type < PERF_USER_TYPES)
		return take_kernel_record(reader, data, record, err);
	switch (record->type) {
	case PERF_USER_FINISHED_ROUND: return take_round(reader, err);
	case PERF_USER_AUXTRACE: return take_trace(reader, data, record, err);
	case PERF_USER_AUXTRACE_INFO:
		return take_trace_info(reader, data, record, err) && ignore_record(reader, record);
	case PERF_USER_TIME_CONV:
		perf_traces_clock(&reader->traces, record);
		return ignore_record(reader, record);
	case PERF_USER_ATTR:
	case PERF_USER_FEATURE:
	case PERF_USER_EVENT_UPDATE:
	case PERF_USER_BUILD_ID: return take_setup(reader, data, record, err);
	default: return ignore_record(reader, record);
	}
}

static void end_data_file(struct perf_reader *reader, struct data_file *data)
{
	struct perf_data_report *details = reader->details;

	data->ended = true;
	details->skipped_bytes += data->stream.skipped;
	if (data->stream.truncated && data->stream.skip < details->trace.bytes)
		details->trace.bytes -= data->stream.skip; /* the last part is cut */
	if (data->stream.truncated && !details->truncated) {
		details->truncated = true;
		details->truncated_at = data->stream.truncated_at;
	}
}

/* Read a data file up to a record after the time `until`, or to its end. */
static bool read_data_file(struct perf_reader *reader, struct data_file *data, uint64_t until,
			   struct bc_error *err)
{
	struct perf_record record;

	while (data->newest <= until) {
		if (!perf_stream_next(&data->stream, &record, err)) {
			if (err->code != BC_OK)
				return name_file(data->file.stream, err);
			end_data_file(reader, data);
			return true;
		}
		if (!take_record(reader, data, &record, err))
			return false;
	}
	return true;
}

/* The data file whose last record read is the oldest, or NULL if all have ended.  *next is the time
 * of the second oldest. */
static struct data_file *last_data_file(struct perf_reader *reader, uint64_t *next)
{
	struct data_file *last = NULL;

	*next = UINT64_MAX;
	for (size_t i = 0; i < reader->file_count; i++) {
		struct data_file *data = &reader->files[i];
		if (data->ended)
			continue;
		if (!last || data->newest < last->newest) {
			*next = last ? last->newest : UINT64_MAX;
			last = data;
		} else if (data->newest < *next) {
			*next = data->newest;
		}
	}
	return last;
}

/* Reads several files side by side.  Each is sorted by time, except for records of interrupts
 * that came between taking the time of a record and writing it: perf_order puts these in
 * order. */
static bool read_all(struct perf_reader *reader, struct bc_error *err)
{
	uint64_t next;

	for (struct data_file *data; (data = last_data_file(reader, &next));)
		if (!read_data_file(reader, data, next, err))
			return false;
	if (!perf_order_flush(&reader->order, UINT64_MAX, err) ||
	    !perf_traces_deliver(&reader->traces, UINT64_MAX, reader->delivery.event_time, err))
		return false;
	perf_traces_end(&reader->traces);
	return true;
}

/* Delivers the build-id table without the files that have two different build-ids. */
static bool deliver_late_build_ids(struct perf_reader *reader, struct bc_error *err)
{
	struct perf_build_ids *table = &reader->setup.features.build_ids;
	struct file_id *files = calloc(table->all.len + 1, sizeof(*files));
	size_t count = 0;

	if (!files)
		return bc_fail_nomem(err);
	perf_build_ids_sort(table);
	for (size_t i = 0; i < table->all.len; i++) {
		const struct perf_build_id *entry = &table->all.at[i];
		if (!entry->ambiguous && entry->id.size)
			files[count++] = (struct file_id){text_of(entry->path), &entry->id};
	}
	const struct event event = {.kind = EVENT_BUILD_IDS, .build_ids = {files, count}};
	bool ok = event_deliver(reader->delivery.sink, &event, err);
	free(files);
	return ok;
}

/* The features of a file that came through a pipe are after its data. */
static bool read_late_features(struct perf_reader *reader, struct bc_error *err)
{
	struct data_file *data = &reader->files[0];

	return !reader->setup.features_late || data->stream.truncated ||
	       perf_setup_late(&reader->setup, &data->file, err) ||
	       name_file(data->file.stream, err);
}

/* Delivers the build-ids that are after the data, if mappings were delivered before they were
 * known. */
static bool settle_build_ids(struct perf_reader *reader, struct bc_error *err)
{
	return !reader->delivery.ids_may_come || deliver_late_build_ids(reader, err);
}

static bool open_more(struct perf_reader *reader, struct bc_error *err)
{
	const struct perf_data_input *input = reader->input;

	for (size_t i = 0; i < input->more_count; i++) {
		struct data_file *data = &reader->files[reader->file_count++];
		if (!perf_file_init(&data->file, &input->more[i], (struct bytes){0}, err) ||
		    !perf_stream_init(&data->stream, &data->file, &reader->pool, 0, UINT64_MAX,
				      err))
			return name_file(&input->more[i], err);
		data->stream.ring_size = reader->setup.features.info.mmap_size;
	}
	reader->order.most.blocks += 2 * input->more_count;
	return true;
}

static bool open_main(struct perf_reader *reader, struct bc_error *err)
{
	struct data_file *data = &reader->files[reader->file_count++];
	struct perf_setup *setup = &reader->setup;
	const struct perf_header *header = &setup->header;

	if (!perf_file_init(&data->file, reader->input->stream, reader->input->head, err) ||
	    !perf_setup_file(setup, &data->file, err))
		return name_file(reader->input->stream, err);
	reader->details->pipe = header->pipe;
	reader->details->unfinished = !header->pipe && !header->data.size;
	bool open_end = header->pipe || !header->data.size;
	uint64_t begin = data_begin(header);
	uint64_t end = open_end ? UINT64_MAX : begin + header->data.size;
	if (!perf_stream_init(&data->stream, &data->file, &reader->pool, begin, end, err))
		return name_file(reader->input->stream, err);
	data->stream.ring_size = setup->features.info.mmap_size;
	if (header->features[0] >> PERF_FEATURE_AUXTRACE & 1)
		perf_traces_announce(&reader->traces);
	return true;
}

static bool reader_init(struct perf_reader *reader, const struct event_sink *sink,
			struct bc_error *err)
{
	size_t count = 1 + reader->input->more_count;

	reader->setup.damaged_features = &reader->details->damaged_features;
	reader->files = calloc(count, sizeof(*reader->files));
	if (!reader->files ||
	    !perf_delivery_init(&reader->delivery, &reader->setup, sink, reader->details))
		return bc_fail_nomem(err);
	perf_traces_init(&reader->traces, &reader->setup, sink, reader->input->flow, &reader->pool,
			 reader->details);
	reader->delivery.traces = &reader->traces;
	perf_order_init(&reader->order, &reader->pool,
			(struct perf_deliver){&reader->delivery, perf_delivery_record},
			PERF_ORDER_PLAIN, PERF_ORDER_ROUNDS);
	reader->delivery.file = reader->input->stream->name;
	return open_main(reader, err) && open_more(reader, err);
}

/* The next input may continue from here. */
static void note_recording(struct perf_reader *reader)
{
	struct recordings *to = reader->input->recordings;

	if (!to)
		return;
	*to = (struct recordings){.origin = reader->setup.features.info.origin};
	for (size_t i = 0; i < reader->file_count; i++)
		if (reader->files[i].newest > to->last_ns)
			to->last_ns = reader->files[i].newest;
}

bool perf_data_read(const struct perf_data_input *input, const struct event_sink *sink,
		    struct reader_report *report, struct bc_error *err)
{
	struct perf_data_report *details = &report->perf;
	BC_AUTO(reader_fini)
	struct perf_reader reader = {.input = input, .report = report, .details = details};

	*details = (struct perf_data_report){0};
	err->code = BC_OK;
	const struct event begin = {.kind = EVENT_BEGIN, .recording = true};
	bool ok = event_deliver(sink, &begin, err) && reader_init(&reader, sink, err) &&
		  read_all(&reader, err) && read_late_features(&reader, err) &&
		  settle_build_ids(&reader, err);
	if (!event_end(sink, ok, err))
		return false;
	note_recording(&reader);
	details->info = reader.setup.features.info;
	details->has_stacks = perf_setup_has_stacks(&reader.setup) || reader.traces.decodes;
	details->has_partial_stacks = perf_setup_has_partial_stacks(&reader.setup);
	report->timeless = perf_setup_is_timeless(&reader.setup);
	return true;
}
