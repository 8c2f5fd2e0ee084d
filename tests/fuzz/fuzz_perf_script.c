/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A text is read to its end or refused with the place.  Mappings stay inside
 * the address space, no stack has more entries than its text has room for, and
 * each sample, written down in the plainest form, reads as the same sample.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/event/perf_script/perf_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRY_SHORTEST 9 /* 0x1/0x2/P */

/* What the sinks see. */
struct seen {
	size_t size;                /* of the text */
	const struct sample *first; /* to compare with, or NULL */
	size_t samples;
};

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	const struct seen *seen = ctx;

	(void)err;
	assert(event->pid != NO_PID);
	assert(!event->size || event->start.v + (event->size - 1) >= event->start.v);
	assert(event->path.len < seen->size && event->build_id.size <= BUILD_ID_MAX);
	return true;
}

static bool on_task(void *ctx, uint32_t pid, struct bc_error *err)
{
	(void)ctx, (void)err;
	assert(pid != NO_PID);
	return true;
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	(void)parent;
	return on_task(ctx, child, err);
}

static bool on_exit_of(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	(void)tid;
	return on_task(ctx, pid, err);
}

static bool compare_sample(void *ctx, const struct sample *b, struct bc_error *err)
{
	struct seen *seen = ctx;
	const struct sample *a = seen->first;

	(void)err;
	seen->samples++;
	assert(a->pid == b->pid && a->ip.v == b->ip.v && a->branch_count == b->branch_count);
	for (size_t i = 0; i < a->branch_count; i++) {
		assert(a->branches[i].from == b->branches[i].from);
		assert(a->branches[i].to == b->branches[i].to);
		assert(a->branches[i].flags == b->branches[i].flags);
	}
	return true;
}

static char *print(const struct sample *s, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert(out);
	if (s->pid == NO_PID)
		fprintf(out, "-1/-1 %" PRIx64, s->ip.v);
	else
		fprintf(out, "%" PRIu32 "/1 %" PRIx64, s->pid, s->ip.v);
	for (size_t i = 0; i < s->branch_count; i++)
		fprintf(out, " 0x%" PRIx64 "/0x%" PRIx64 "/%c", s->branches[i].from,
			s->branches[i].to,
			s->branches[i].flags & BRANCH_MISPREDICTED ? 'M'
			: s->branches[i].flags                     ? 'P'
								   : '-');
	fclose(out);
	return text;
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	const struct seen *seen = ctx;
	struct seen again = {seen->size, sample, 0};
	struct sample_sink sink = {.ctx = &again, .sample = compare_sample};
	struct reader_report report = {0};
	struct perf_script script;
	struct line line = {.file = "fuzz", .number = 1};

	assert(sample->event.len <= EVENT_NAME_MAX);
	assert(sample->has_stack || !sample->branch_count);
	assert(sample->branch_count <= seen->size / ENTRY_SHORTEST);
	char *text = print(sample, &line.text.len);
	line.text.at = text;
	perf_script_init(&script, &sink, &report);
	assert(perf_script_line(&script, &line, err));
	assert(perf_script_end(&script, err));
	assert(again.samples == 1);
	perf_script_fini(&script);
	free(text);
	return true;
}

static void check_error(const struct bc_error *err)
{
	assert(err->code == BC_FORMAT || err->code == BC_UNSUPPORTED);
	assert(!strncmp(err->text, "fuzz: line ", 11));
	assert(!strchr(err->text, '\n'));
}

static bool read_all(struct perf_script *script, struct text rest, struct bc_error *err)
{
	struct line line = {.file = "fuzz"};

	while (rest.len) {
		size_t len = text_find(rest, '\n');
		line.text = text_first(rest, len);
		line.number++;
		(void)perf_script_fits(&line);
		if (!perf_script_line(script, &line, err))
			return false;
		rest = text_from(rest, len + 1);
	}
	return perf_script_end(script, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = {size, NULL, 0};
	struct sample_sink sink = {.ctx = &seen, .map = on_map, .exec = on_task, .fork = on_fork,
				   .exit = on_exit_of, .sample = on_sample};
	struct reader_report report = {0};
	struct perf_script script;
	struct bc_error err = {0};

	perf_script_init(&script, &sink, &report);
	if (!read_all(&script, (struct text){(const char *)data, size}, &err))
		check_error(&err);
	perf_script_fini(&script);
	return 0;
}
