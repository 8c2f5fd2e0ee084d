/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples of any format, through the whole reader: what is delivered, and in which
 * order, what is counted, and how it is refused, does not depend on how the bytes
 * arrive: whole, in short reads, interrupted ones between them, as a file or, for text,
 * through a pipe.
 *
 * Byte 0 chooses the format (0: it is recognised) and how short the reads are.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/event/reader.h"
#include "tests/fuzz/support/mutators.h"

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

/* Everything that was delivered, in one number. */
struct seen {
	uint64_t hash, events;
	bool failed;
	char text[sizeof(((struct bc_error *)0)->text)];
	uint64_t lines, ignored, delivered;
};

static void add(struct seen *seen, uint64_t value)
{
	seen->hash = (seen->hash ^ value) * 0x100000001b3u;
	seen->hash ^= seen->hash >> 29;
}

static void add_text(struct seen *seen, struct text text)
{
	add(seen, text.len);
	for (size_t i = 0; i < text.len; i++)
		add(seen, (unsigned char)text.at[i]);
}

static bool on_map(void *ctx, const struct map_event *e, struct bc_error *err)
{
	(void)err;
	add(ctx, 1);
	add(ctx, e->pid);
	add(ctx, e->start.v);
	add(ctx, e->size);
	add(ctx, e->offset.v);
	add(ctx, e->executable);
	add_text(ctx, e->path);
	add_text(ctx, (struct text){(const char *)e->build_id.data, e->build_id.size});
	return true;
}

static bool on_task(void *ctx, uint32_t a, uint32_t b, struct bc_error *err)
{
	(void)err;
	add(ctx, 2);
	add(ctx, a);
	add(ctx, b);
	return true;
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	return on_task(ctx, pid, 3, err);
}

static bool on_sample(void *ctx, const struct sample *s, struct bc_error *err)
{
	struct seen *seen = ctx;

	(void)err;
	seen->delivered++;
	add(seen, 4);
	add(seen, s->pid);
	add(seen, s->time);
	add(seen, s->ip.v);
	add(seen, s->data.v);
	add(seen, (uint64_t)s->has_stack + 2 * (uint64_t)s->partial);
	for (size_t i = 0; i < s->branch_count; i++) {
		add(seen, s->branches[i].from);
		add(seen, s->branches[i].to);
		add(seen, s->branches[i].flags);
	}
	for (size_t i = 0; i < s->chain_count; i++)
		add(seen, s->chain[i]);
	add_text(seen, s->event);
	return true;
}

static bool on_trace(void *ctx, const struct trace *t, bool is_return, uint64_t count, uint64_t mispredicted,
		     struct bc_error *err)
{
	(void)err;
	add(ctx, 5);
	add(ctx, t->branch);
	add(ctx, t->from);
	add(ctx, t->to);
	add(ctx, is_return);
	add(ctx, count);
	add(ctx, mispredicted);
	return true;
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	(void)err;
	add(ctx, 6);
	add(ctx, at.v);
	add(ctx, count);
	return true;
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	(void)err;
	add(ctx, 7);
	add_text(ctx, name);
	return true;
}

/* Reads what the descriptor leads to, which is closed. */
static struct seen run(int fd, uint64_t size, enum input_format format, size_t shortest)
{
	struct seen seen = {0};
	struct sample_sink sink = {.ctx = &seen, .map = on_map, .exec = on_exec, .fork = on_task, .exit = on_task,
				   .sample = on_sample, .trace = on_trace, .basic = on_basic, .event = on_event};
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
	assert(a->hash == b->hash && a->delivered == b->delivered);
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
