/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as perf.data.  Properties: errors are of the input's kind and name an
 * offset inside it; every sample that was read is delivered or has a named
 * reason; the records and what was skipped add up to the bytes that were read.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_data/perf_file.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/bytes_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* zstd makes much of little: such input is only slow. */
#define MOST_OUTPUT (UINT64_C(4) << 20)

struct seen {
	uint64_t samples;
	uint64_t sum; /* so that everything is read */
	bool begun, ended;
};

static void read_text(struct seen *seen, struct text text)
{
	for (size_t i = 0; i < text.len; i++)
		seen->sum += (unsigned char)text.at[i];
}

static void see_map(struct seen *seen, const struct map_event *event)
{
	assert(event->build_id.size <= BUILD_ID_MAX);
	read_text(seen, event->path);
}

static void see_sample(struct seen *seen, const struct sample *sample)
{
	seen->samples++;
	assert(sample->has_stack || !sample->branch_count);
	for (size_t i = 0; i < sample->branch_count; i++)
		seen->sum += sample->branches[i].from ^ sample->branches[i].to ^
			     sample->branches[i].flags;
	read_text(seen, sample->event);
}

static void see_build_ids(struct seen *seen, const struct event *event)
{
	for (size_t i = 0; i < event->build_ids.count; i++) {
		const struct file_id *file = &event->build_ids.at[i];
		assert(file->path.len && file->id->size && file->id->size <= BUILD_ID_MAX);
		read_text(seen, file->path);
	}
}

static bool see(void *ctx, const struct event *event, struct bc_error *err)
{
	struct seen *seen = ctx;

	(void)err;
	assert(!seen->ended && seen->begun == (event->kind != EVENT_BEGIN));
	switch (event->kind) {
	case EVENT_BEGIN: seen->begun = true; break;
	case EVENT_MAP: see_map(seen, event->map); break;
	case EVENT_SAMPLE: see_sample(seen, event->sample); break;
	case EVENT_BUILD_IDS: see_build_ids(seen, event); break;
	case EVENT_CONTINUES:
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: break;
	case EVENT_RAN:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME: abort();
	case EVENT_END: seen->ended = true; break;
	}
	return true;
}

static void check_error(const struct bc_error *err, size_t size)
{
	assert(err->code == BC_FORMAT || err->code == BC_UNSUPPORTED || err->code == BC_NOMEM);
	const char *byte = strstr(err->text, ", byte ");
	/* Sections can be asked for beyond the end. */
	if (byte && !strstr(err->text, "section") && !strstr(err->text, "event") &&
	    !strstr(err->text, "the data"))
		assert(strtoull(byte + 7, NULL, 10) <= size);
}

static void check_input(const struct perf_data_input *input, size_t size)
{
	struct seen seen = {0};
	const struct event_sink sink = {&seen, see};
	struct reader_report report = {0};
	struct bc_error err = {0};

	bool ok = perf_data_read(input, &sink, &report, &err);
	assert(seen.ended);
	if (!ok) {
		check_error(&err, size);
		return;
	}
	const struct perf_data_report *perf = &report.perf;
	assert(perf->delivered == seen.samples);
	assert(perf->records[9] + perf->trace.branches ==
	       perf->delivered + perf->late + perf->of_guests + perf->of_unknown_events);
	assert(perf->trace.branches <= perf->trace.operations && perf->trace.operations <= size);
	assert(!perf->truncated || perf->truncated_at <= size);
}

/* Bytes that were read already and cannot be read again; and a file, in which all chunks of traces
 * are found first. */
static void check_reader(int fd, const uint8_t *data, size_t size)
{
	struct file_stream stream = {.name = "fuzz", .fd = fd};
	struct bytes_file file = bytes_file_open(data, size);
	struct bc_error err = {0};

	check_input(&(struct perf_data_input){.stream = &stream, .head = {data, size}}, size);
	assert(stream_open(file.path, &stream, &err));
	stream.name = "fuzz";
	check_input(&(struct perf_data_input){.stream = &stream}, size);
	stream_close(&stream);
	bytes_file_close(&file);
}

/* Through a pipe, of which nothing is at hand: features come after the samples.  What a
 * pipe holds without a reader. */
#define PIPE_MOST 65536

static void check_pipe(const uint8_t *data, size_t size)
{
	struct seen seen = {0};
	const struct event_sink sink = {&seen, see};
	struct reader_report report = {0};
	struct bc_error err = {0};
	int ends[2];

	if (size > PIPE_MOST || pipe(ends))
		return;
	assert(write(ends[1], data, size) == (ssize_t)size);
	close(ends[1]);
	struct file_stream stream = {.name = "fuzz", .fd = ends[0]};
	struct perf_data_input input = {.stream = &stream};
	if (!perf_data_read(&input, &sink, &report, &err))
		check_error(&err, size);
	else
		assert(report.perf.delivered == seen.samples &&
		       report.perf.unknown_records <= report.ignored);
	close(ends[0]);
}

/* All bytes as records, from the first on. */
static void check_stream(int fd, const uint8_t *data, size_t size)
{
	struct file_stream file_stream = {.name = "fuzz", .fd = fd};
	struct perf_file file;
	struct perf_pool pool = {0};
	struct perf_stream stream;
	struct perf_record record;
	struct bc_error err = {0};
	uint64_t accounted = 0, plain = 0;

	if (!perf_file_init(&file, &file_stream, (struct bytes){data, size}, &err) ||
	    !perf_stream_init(&stream, &file, &pool, 0, UINT64_MAX, &err))
		abort();
	uint64_t last = UINT64_MAX;
	while (perf_stream_next(&stream, &record, &err) && plain < MOST_OUTPUT) {
		assert(record.offset < size);
		assert(last == UINT64_MAX || record.offset >= last);
		if (!stream.inflating) {
			assert(accounted <= record.offset);
			accounted = record.offset + PERF_RECORD_HEADER_SIZE + record.body.size;
			assert(accounted <= size);
		} else {
			plain += record.body.size + PERF_RECORD_HEADER_SIZE;
		}
		last = record.offset;
	}
	if (err.code != BC_OK)
		check_error(&err, size);
	else if (stream.truncated)
		assert(stream.truncated_at <= size);
	perf_stream_fini(&stream);
	perf_file_fini(&file);
	assert(!pool.in_use);
	perf_pool_fini(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (packing_of(data, size) != PACKING_NONE)
		return 0; /* that is for fuzz_unpack */
	if (fd < 0)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (size > 1u << 18)
		return 0;
	check_reader(fd, data, size);
	check_pipe(data, size);
	check_stream(fd, data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_perf_data(data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t most, unsigned seed)
{
	return cross_perf_data(a, a_size, b, b_size, out, most, seed);
}
