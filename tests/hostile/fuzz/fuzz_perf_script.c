/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A text is read to its end or refused with the position.  Mappings stay inside
 * the address space, no stack has more entries than its text has room for, and
 * each sample, written down in the plainest form, reads as the same sample.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_script/perf_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRY_SHORTEST 9 /* 0x1/0x2/P */

/* What the sinks see. */
struct seen {
	size_t size;                /* of the text */
	const struct sample *first; /* to compare with, or NULL */
	size_t samples;
};

static void check_map(const struct seen *seen, const struct map_event *event)
{
	assert(!event->size || event->start.v + (event->size - 1) >= event->start.v);
	assert(event->path.len < seen->size && event->build_id.size <= BUILD_ID_MAX);
}

static bool compare_sample(void *ctx, const struct event *event, struct bc_error *err)
{
	struct seen *seen = ctx;
	const struct sample *a = seen->first, *b = event->sample;

	(void)err;
	assert(event->kind == EVENT_SAMPLE);
	seen->samples++;
	assert(a->pid == b->pid && a->ip.v == b->ip.v && a->branch_count == b->branch_count);
	for (size_t i = 0; i < a->branch_count; i++) {
		assert(a->branches[i].from == b->branches[i].from);
		assert(a->branches[i].to == b->branches[i].to);
		assert(a->branches[i].flags == b->branches[i].flags);
	}
	return true;
}

static void print_branch(const struct branch *b, FILE *out)
{
	uint64_t type = b->flags & BRANCH_TYPE;

	fprintf(out, " 0x%" PRIx64 "/0x%" PRIx64 "/%c%s", b->from, b->to,
		b->flags & BRANCH_MISPREDICTED ? 'M' :
		b->flags & 2                   ? 'P' :
						 '-',
		b->flags & BRANCH_NOT_TAKEN ? "N" : "");
	if (type)
		fprintf(out, "/-/-/0/%s", type == BRANCH_TYPE_RETURN ? "RET" : "IND");
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
		print_branch(&s->branches[i], out);
	fclose(out);
	return text;
}

static void check_sample(const struct seen *seen, const struct sample *sample, struct bc_error *err)
{
	struct seen again = {seen->size, sample, 0};
	const struct event_sink sink = {&again, compare_sample};
	struct reader_report report = {0};
	struct perf_script script;
	struct line line = {.file = "fuzz", .number = 1};

	assert(sample->event.len <= EVENT_NAME_MAX);
	assert(sample->has_stack || !sample->branch_count);
	assert(sample->branch_count <= seen->size / ENTRY_SHORTEST);
	char *text = print(sample, &line.text.len);
	line.text.at = text;
	perf_script_init(&script, &sink, &report);
	assert(perf_script_line(&script, &line, stack_find(line.text), NULL, err));
	assert(perf_script_end(&script, err));
	assert(again.samples == 1);
	perf_script_fini(&script);
	free(text);
}

static bool take(void *ctx, const struct event *event, struct bc_error *err)
{
	const struct seen *seen = ctx;

	switch (event->kind) {
	case EVENT_MAP: check_map(seen, event->map); break;
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT: assert(event->task.pid != NO_PID); break;
	case EVENT_SAMPLE: check_sample(seen, event->sample, err); break;
	case EVENT_BEGIN:
	case EVENT_CONTINUES:
	case EVENT_RAN:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
	case EVENT_BUILD_IDS:
	case EVENT_END: abort(); /* of a line alone */
	}
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
		if (!perf_script_line(script, &line, stack_find(line.text), NULL, err))
			return false;
		rest = text_from(rest, len + 1);
	}
	return perf_script_end(script, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = {size, NULL, 0};
	const struct event_sink sink = {&seen, take};
	struct reader_report report = {0};
	struct perf_script script;
	struct bc_error err = {0};

	perf_script_init(&script, &sink, &report);
	if (!read_all(&script, (struct text){(const char *)data, size}, &err))
		check_error(&err);
	perf_script_fini(&script);
	return 0;
}
