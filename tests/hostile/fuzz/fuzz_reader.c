/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples of any format, through the whole reader: what is delivered, and in which
 * order, what is counted, and how it is refused, does not depend on how the bytes
 * arrive: whole, in short reads, interrupted ones between them, as a file or, for text,
 * through a pipe.
 *
 * Byte 0 chooses the format (0: it is recognized) and how short the reads are.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/samples/reader.h"
#include "tests/hostile/fuzz/support/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Linked with --wrap: the program's own reads go through these. */
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t at);
ssize_t __real_pread(int fd, void *buffer, size_t size, off_t at);

static size_t most; /* of one read; 0: as asked for */
static unsigned reads;

static bool is_interrupted(size_t *size)
{
	if (!most)
		return false;
	if (*size > most)
		*size = most;
	if (++reads % 5)
		return false;
	errno = EINTR;
	return true;
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	return is_interrupted(&size) ? -1 : __real_read(fd, buffer, size);
}

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t at)
{
	return is_interrupted(&size) ? -1 : __real_pread(fd, buffer, size, at);
}

/* Everything that was delivered, in a number for each kind: of text that was aggregated, which
 * kind comes first depends on where its blocks end. */
struct seen {
	uint64_t hash[EVENT_END + 1];
	enum event_kind kind; /* at hand */
	bool failed;
	char text[sizeof(((struct bc_error *)0)->text)];
	uint64_t lines, ignored, delivered;
};

static void add(struct seen *seen, uint64_t value)
{
	uint64_t *hash = &seen->hash[seen->kind];

	*hash = (*hash ^ value) * 0x100000001b3u;
	*hash ^= *hash >> 29;
}

static void add_text(struct seen *seen, struct text text)
{
	add(seen, text.len);
	for (size_t i = 0; i < text.len; i++)
		add(seen, (unsigned char)text.at[i]);
}

static void add_map(struct seen *seen, const struct map_event *e)
{
	add(seen, e->pid);
	add(seen, e->start.v);
	add(seen, e->size);
	add(seen, e->offset.v);
	add(seen, e->executable);
	add_text(seen, e->path);
	add_text(seen, (struct text){(const char *)e->build_id.data, e->build_id.size});
}

static void add_sample(struct seen *seen, const struct event *event)
{
	const struct sample *s = event->sample;

	seen->delivered++;
	add(seen, s->pid);
	add(seen, event->time);
	add(seen, s->ip.v);
	add_text(seen, s->ip_file);
	add(seen, s->data.v);
	add(seen, (uint64_t)s->has_stack + 2 * (uint64_t)s->partial);
	for (size_t i = 0; i < s->branch_count; i++) {
		add(seen, s->branches[i].from);
		add(seen, s->branches[i].to);
		add(seen, s->branches[i].flags);
	}
	for (size_t i = 0; i < s->callchain_count; i++)
		add(seen, s->callchain[i]);
	add_text(seen, s->event);
}

static void add_trace(struct seen *seen, const struct trace_record *r)
{
	add(seen, r->trace.branch.word);
	add(seen, r->trace.from.word);
	add(seen, r->trace.to.word);
	add(seen, r->is_return);
	add(seen, r->count);
	add(seen, r->mispredicted);
}

static bool take(void *ctx, const struct event *event, struct bc_error *err)
{
	struct seen *seen = ctx;

	(void)err;
	/* Which of these comes first is shown by one number. */
	seen->kind = event->kind < EVENT_TRACES ? EVENT_BEGIN : event->kind;
	if (event->kind < EVENT_TRACES)
		add(seen, event->kind);
	switch (event->kind) {
	case EVENT_MAP: add_map(seen, event->map); break;
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT:
		add(seen, event->task.pid);
		add(seen, event->task.tid);
		add(seen, event->task.parent);
		break;
	case EVENT_SAMPLE: add_sample(seen, event); break;
	case EVENT_RAN: abort(); /* of no reader */
	case EVENT_TRACES:
		for (size_t i = 0; i < event->traces.count; i++)
			add_trace(seen, &event->traces.at[i]);
		break;
	case EVENT_ADDRESSES:
		for (size_t i = 0; i < event->addresses.count; i++) {
			add(seen, event->addresses.at[i].at.v);
			add(seen, event->addresses.at[i].count);
		}
		break;
	case EVENT_NAME: add_text(seen, event->name); break;
	case EVENT_BEGIN:
	case EVENT_CONTINUES:
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
	return true;
}

/* Reads what the descriptor leads to, which is closed. */
static struct seen run(int fd, uint64_t size, enum input_format format, size_t shortest)
{
	struct seen seen = {0};
	const struct event_sink sink = {&seen, take};
	struct file_stream stream = {.name = "samples", .fd = fd, .size = size};
	struct reader_options options = {.format = format};
	struct reader_report report = {0};
	struct bc_error err = {0};

	reads = 0;
	most = shortest;
	seen.failed = !reader_run(&stream, &options, &sink, &report, &err);
	assert(!shortest || reads);
	most = 0;
	assert(close(fd) == 0);
	if (seen.failed) {
		assert(err.code != BC_OK && *err.text && !strchr(err.text, '\n'));
		memcpy(seen.text, err.text, sizeof(seen.text));
	} else {
		assert(report.format != INPUT_AUTO);
		assert(report.format != INPUT_PERF_DATA || report.perf.delivered == seen.delivered);
	}
	seen.lines = report.lines;
	seen.ignored = report.ignored;
	return seen;
}

static void check_same(const struct seen *a, const struct seen *b)
{
	assert(a->failed == b->failed && !strcmp(a->text, b->text));
	assert(!memcmp(a->hash, b->hash, sizeof(a->hash)) && a->delivered == b->delivered);
	assert(a->lines == b->lines && a->ignored == b->ignored);
}

static int file_of(const uint8_t *data, size_t size)
{
	FILE *file = tmpfile();

	assert(file && fwrite(data, 1, size, file) == size && !fflush(file));
	int fd = dup(fileno(file));
	assert(fd >= 0 && !fclose(file) && !lseek(fd, 0, SEEK_SET));
	return fd;
}

static int pipe_of(const uint8_t *data, size_t size)
{
	int ends[2];

	assert(!pipe(ends) && write(ends[1], data, size) == (ssize_t)size && !close(ends[1]));
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What a pipe holds without a reader. */
	if (size < 2 || size > 60000)
		return 0;
	enum input_format format = (enum input_format)(data[0] % 4);
	size_t shortest = 1 + data[0] / 4;
	data++;
	size--;
	struct seen file = run(file_of(data, size), size, format, 0);
	struct seen pieces = run(file_of(data, size), size, format, shortest);
	check_same(&file, &pieces);
	struct seen pipe = run(pipe_of(data, size), 0, format, 0);
	pieces = run(pipe_of(data, size), 0, format, 7 * shortest);
	check_same(&pipe, &pieces);
	bool is_text = size < 8 || (memcmp(data, "PERFILE2", 8) && memcmp(data, "2ELIFREP", 8));
	if (is_text && format != INPUT_PERF_DATA)
		check_same(&file, &pipe);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most_size, unsigned seed)
{
	if (size < 2 || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, most_size);
	return 1 + mutate_perf_data(data + 1, size - 1, most_size - 1, seed / 8);
}
