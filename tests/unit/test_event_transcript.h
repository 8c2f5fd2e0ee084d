/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sink that writes down what it is told, one line each, so that a test can
 * compare it with text; and readers run on text. */
#ifndef TEST_INPUT_TRANSCRIPT_H
#define TEST_INPUT_TRANSCRIPT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/event/reader.h"

struct transcript {
	FILE *out;
	char *text;
	size_t size;
	struct bc_error err;
	struct reader_report report;
};

static bool write_map(void *ctx, const struct map_event *e, struct bc_error *err)
{
	struct transcript *t = ctx;
	char id[2 * BUILD_ID_MAX + 1];

	(void)err;
	build_id_format(&e->build_id, id);
	fprintf(t->out, "map %" PRIu32 " %" PRIx64 "+%" PRIx64 " @%" PRIx64 " %c '%.*s' <%s>\n",
		e->pid, e->start.v, e->size, e->offset.v, e->executable ? 'x' : '-',
		(int)e->path.len, e->path.at, id);
	return true;
}

static bool write_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out, "exec %" PRIu32 "\n", pid);
	return true;
}

static bool write_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out, "fork %" PRIu32 " %" PRIu32 "\n", parent, child);
	return true;
}

static bool write_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out, "exit %" PRIu32 " %" PRIu32 "\n", pid, tid);
	return true;
}

static bool write_sample(void *ctx, const struct sample *s, struct bc_error *err)
{
	struct transcript *t = ctx;

	(void)err;
	fprintf(t->out, "sample %" PRIu32 " %" PRIx64 " '%.*s'", s->pid, s->ip.v,
		(int)s->event.len, s->event.at);
	if (!s->has_stack)
		fputs(" no stack", t->out);
	for (size_t i = 0; i < s->branch_count; i++)
		fprintf(t->out, " %" PRIx64 ">%" PRIx64 "%s", s->branches[i].from,
			s->branches[i].to,
			s->branches[i].flags & BRANCH_MISPREDICTED ? "!" : "");
	fputc('\n', t->out);
	return true;
}

static bool write_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
			uint64_t mispredicted, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out,
		"%s %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
		is_return ? "return" : "trace", trace->branch, trace->from, trace->to, count,
		mispredicted);
	return true;
}

static bool write_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out, "basic %" PRIx64 " %" PRIu64 "\n", at.v, count);
	return true;
}

static bool write_event(void *ctx, struct text name, struct bc_error *err)
{
	(void)err;
	fprintf(((struct transcript *)ctx)->out, "event '%.*s'\n", (int)name.len, name.at);
	return true;
}

static inline void transcript_free(struct transcript *t)
{
	free(t->text);
	t->text = NULL;
}

/* Run reader_run() on bytes that come from a file called "input". */
static inline bool transcript_bytes(struct transcript *t, const char *bytes, size_t size,
				    const struct reader_options *options)
{
	FILE *file = tmpfile();
	struct sample_sink sink = {
		.ctx = t, .map = write_map, .exec = write_exec, .fork = write_fork, .exit = write_exit,
		.sample = write_sample, .trace = write_trace, .basic = write_basic, .event = write_event,
	};

	*t = (struct transcript){0};
	if (!file || fwrite(bytes, 1, size, file) != size || fflush(file) || fseek(file, 0, SEEK_SET))
		abort();
	t->out = open_memstream(&t->text, &t->size);
	if (!t->out)
		abort();
	struct file_stream stream = {.name = "input", .fd = fileno(file)};
	bool ok = reader_run(&stream, options, &sink, &t->report, &t->err);
	fclose(t->out);
	fclose(file);
	return ok;
}

static inline bool transcript_text(struct transcript *t, const char *text,
				   enum input_format format)
{
	struct reader_options options = {.format = format};

	return transcript_bytes(t, text, strlen(text), &options);
}

#endif
