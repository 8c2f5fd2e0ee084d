/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sink that writes down what it receives, one line each, so that a test can
 * compare it with text; and readers run on text. */
#ifndef TESTS_SAMPLES_TEST_SAMPLES_TRANSCRIPT_H
#define TESTS_SAMPLES_TEST_SAMPLES_TRANSCRIPT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/samples/reader.h"

struct transcript {
	FILE *out;
	char *text;
	size_t size;
	struct bc_error err;
	struct reader_report report;
};

static inline void write_map(FILE *out, const struct map_event *e)
{
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&e->build_id, id);
	fprintf(out, "map %" PRIu32 " %" PRIx64 "+%" PRIx64 " @%" PRIx64 " %c '%.*s' <%s>\n",
		e->pid, e->start.v, e->size, e->offset.v, e->executable ? 'x' : '-',
		(int)e->path.len, e->path.at, id);
}

static inline const char *type_word(uint64_t flags)
{
	if ((flags & BRANCH_TYPE) == BRANCH_TYPE_RETURN)
		return "=return";
	return flags & BRANCH_TYPE ? "=other" : "";
}

static inline void write_sample(FILE *out, const struct sample *s)
{
	fprintf(out, "sample %" PRIu32 " %" PRIx64, s->pid, s->ip.v);
	if (s->ip_file.len)
		fprintf(out, "@%.*s", (int)s->ip_file.len, s->ip_file.at);
	fprintf(out, " '%.*s'", (int)s->event.len, s->event.at);
	if (!s->has_stack)
		fputs(" no stack", out);
	for (size_t i = 0; i < s->branch_count; i++)
		fprintf(out, " %" PRIx64 ">%" PRIx64 "%s%s%s", s->branches[i].from,
			s->branches[i].to, s->branches[i].flags & BRANCH_MISPREDICTED ? "!" : "",
			s->branches[i].flags & BRANCH_NOT_TAKEN ? "-" : "",
			type_word(s->branches[i].flags));
	fputc('\n', out);
}

static inline void write_trace(FILE *out, const struct trace_record *r)
{
	fprintf(out, "%s %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
		r->is_return ? "return" : "trace", r->trace.branch.word, r->trace.from.word,
		r->trace.to.word, r->count, r->mispredicted);
}

static inline bool write_event(void *ctx, const struct event *e, struct bc_error *err)
{
	FILE *out = ((struct transcript *)ctx)->out;

	(void)err;
	switch (e->kind) {
	case EVENT_MAP: write_map(out, e->map); break;
	case EVENT_EXEC: fprintf(out, "exec %" PRIu32 "\n", e->task.pid); break;
	case EVENT_FORK:
		fprintf(out, "fork %" PRIu32 " %" PRIu32 "\n", e->task.parent, e->task.pid);
		break;
	case EVENT_EXIT:
		fprintf(out, "exit %" PRIu32 " %" PRIu32 "\n", e->task.pid, e->task.tid);
		break;
	case EVENT_SAMPLE: write_sample(out, e->sample); break;
	case EVENT_RAN: fail_msg("no reader delivers what was walked"); break;
	case EVENT_TRACES:
		for (size_t i = 0; i < e->traces.count; i++)
			write_trace(out, &e->traces.at[i]);
		break;
	case EVENT_ADDRESSES:
		for (size_t i = 0; i < e->addresses.count; i++)
			fprintf(out, "basic %" PRIx64 " %" PRIu64 "\n", e->addresses.at[i].at.v,
				e->addresses.at[i].count);
		break;
	case EVENT_NAME: fprintf(out, "event '%.*s'\n", (int)e->name.len, e->name.at); break;
	case EVENT_BEGIN:
	case EVENT_CONTINUES:
	case EVENT_BUILD_IDS:
	case EVENT_END: break;
	}
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
	const struct event_sink sink = {t, write_event};

	*t = (struct transcript){0};
	if (!file || fwrite(bytes, 1, size, file) != size || fflush(file) ||
	    fseek(file, 0, SEEK_SET))
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

static inline bool transcript_text(struct transcript *t, const char *text, enum input_format format)
{
	struct reader_options options = {.format = format};

	return transcript_bytes(t, text, strlen(text), &options);
}

#endif
