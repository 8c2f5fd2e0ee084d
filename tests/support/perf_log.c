/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/perf_log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static void log_map(FILE *log, const struct map_event *e)
{
	fprintf(log, "MAP %" PRIu32 " %" PRIx64 "+%" PRIx64 " @%" PRIx64 " %c %.*s", e->pid,
		e->start.v, e->size, e->offset.v, e->executable ? 'x' : '-', (int)e->path.len,
		e->path.at);
	for (size_t i = 0; i < e->build_id.size; i++)
		fprintf(log, "%s%02x", i ? "" : " ", e->build_id.data[i]);
	fputc('\n', log);
}

static char verdict(uint64_t flags)
{
	return flags & 1 ? 'M' : flags & 2 ? 'P' : '-';
}

static void log_sample(FILE *log, const struct sample *s)
{
	fprintf(log, "SAMPLE %" PRIu32 " %.*s %" PRIx64, s->pid, (int)s->event.len, s->event.at,
		s->ip.v);
	for (size_t i = 0; i < s->branch_count; i++)
		fprintf(log, " 0x%" PRIx64 "/0x%" PRIx64 "/%c", s->branches[i].from,
			s->branches[i].to, verdict(s->branches[i].flags));
	fputc('\n', log);
}

static void log_build_ids(FILE *log, const struct event *e)
{
	for (size_t i = 0; i < e->build_ids.count; i++) {
		const struct file_id *file = &e->build_ids.at[i];
		fprintf(log, "BUILD-ID %.*s %zu %02x\n", (int)file->path.len, file->path.at,
			(size_t)file->id->size, file->id->data[0]);
	}
}

bool perf_log_event(void *ctx, const struct event *e, struct bc_error *err)
{
	(void)err;
	switch (e->kind) {
	case EVENT_MAP: log_map(ctx, e->map); break;
	case EVENT_EXEC: fprintf(ctx, "EXEC %" PRIu32 "\n", e->task.pid); break;
	case EVENT_FORK:
		fprintf(ctx, "FORK %" PRIu32 " %" PRIu32 "\n", e->task.parent, e->task.pid);
		break;
	case EVENT_EXIT:
		fprintf(ctx, "EXIT %" PRIu32 " %" PRIu32 "\n", e->task.pid, e->task.tid);
		break;
	case EVENT_SAMPLE: log_sample(ctx, e->sample); break;
	case EVENT_BUILD_IDS: log_build_ids(ctx, e); break;
	case EVENT_BEGIN: assert_true(e->recording); break;
	case EVENT_CONTINUES: fprintf(ctx, "CONTINUES\n"); break;
	case EVENT_END: break;
	case EVENT_RAN:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME: fail_msg("perf.data has nothing that was aggregated");
	}
	return true;
}

static void log_number(FILE *log, uint32_t number)
{
	fprintf(log, number == NO_PID ? " -" : " %" PRIu32, number);
}

bool perf_log_flow(void *ctx, const struct trace_flow *flow, struct bc_error *err)
{
	static const char *const names[] = {
		[FLOW_TARGET] = "target", [FLOW_AT] = "at",       [FLOW_LEAVE] = "leave",
		[FLOW_STOP] = "stop",     [FLOW_BEGIN] = "begin", [FLOW_FROM] = "from"};

	(void)err;
	fprintf(ctx, "FLOW %" PRIu32, flow->lane);
	log_number(ctx, flow->pid);
	log_number(ctx, flow->tid);
	fprintf(ctx, " %" PRIu64 " %s%s", flow->time,
		flow->rules == FLOW_PT  ? "pt" :
		flow->rules == FLOW_ETM ? "etm" :
					  "etm-returns",
		flow->waits_ask ? "-waits" : "");
	for (size_t i = 0; i < flow->count; i++) {
		const struct flow_answer *answer = &flow->at[i];
		fputc(' ', ctx);
		if (answer->kind == FLOW_LOST)
			fputs("lost", ctx);
		else if (answer->kind != FLOW_BITS)
			fprintf(ctx, "%s:%" PRIx64, names[answer->kind], answer->value);
		for (unsigned bit = 0; answer->kind == FLOW_BITS && bit < answer->count; bit++)
			fputc(answer->value >> bit & 1 ? 'T' : 'N', ctx);
	}
	fputc('\n', ctx);
	return true;
}

void perf_read_input(const struct perf_data_input *input, struct read_result *out)
{
	size_t size;
	FILE *log = open_memstream(&out->log, &size);

	assert_non_null(log);
	const struct event_sink sink = {log, perf_log_event};
	const struct flow_taker flow = {log, perf_log_flow, NULL};
	struct perf_data_input taken = *input;
	if (!taken.flow)
		taken.flow = &flow;
	out->report = (struct reader_report){0};
	out->ok = perf_data_read(&taken, &sink, &out->report, &out->err);
	fclose(log);
}

/* Reads bytes as if they had been read from a stream already, which is no file. */
void perf_read_bytes(struct bytes bytes, struct read_result *out)
{
	struct file_stream stream = {.name = "x.data", .fd = open("/dev/null", O_RDONLY)};
	struct perf_data_input input = {.stream = &stream, .head = bytes};

	perf_read_input(&input, out);
	close(stream.fd);
}

void perf_read_built(const struct build_perf *b, struct read_result *out)
{
	perf_read_bytes(build_perf_bytes(b), out);
}
