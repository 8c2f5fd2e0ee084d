/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code that was executed by a hardware trace, in all files: walk_tool [--threads=N]
 * [--debug-dir=DIR] [--answers] PERF.DATA
 *
 * stdout   PID FROM TO END COUNT, addresses in hexadecimal, 0: not known; `r` after returns
 * stderr   branch outcomes, and what was lost, by reason and file
 * --answers   without a walk: how fast branch outcomes come
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/reader.h"
#include "src/samples/flow_walk.h"

static bool print_event(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)ctx;
	(void)err;
	if (event->kind != EVENT_RAN)
		return true;
	for (size_t i = 0; i < event->ran.count; i++) {
		const struct ran_trace *row = &event->ran.at[i];
		printf("%" PRIu32 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 "%s\n",
		       event->ran.pid, row->from, row->to, row->end, row->count,
		       row->is_return ? " r" : "");
	}
	return true;
}

static bool ignore_flow(void *ctx, const struct trace_flow *flow, struct bc_error *err)
{
	(void)err;
	*(uint64_t *)ctx += flow->count;
	return true;
}

static void print_report(const struct flow_walk_report *report)
{
	fprintf(stderr,
		"answers %" PRIu64 " walked %" PRIu64 " branches %" PRIu64 " rows %" PRIu64 "\n",
		report->answers, report->sums.walked, report->branches, report->rows);
	fprintf(stderr, "mismatches %" PRIu64 " loops %" PRIu64 " gaps %" PRIu64 "\n",
		report->sums.mismatches, report->sums.loops, report->sums.gaps);
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (report->sums.lost[i])
			fprintf(stderr, "lost %s %" PRIu64 "\n", walk_loss_key((enum walk_loss)i),
				report->sums.lost[i]);
	for (size_t i = 0; i < report->files.len; i++)
		fprintf(stderr, "file %s %s %" PRIu64 "\n", report->files.at[i].path,
			walk_loss_key(report->files.at[i].loss), report->files.at[i].answers);
}

static int read_answers(const char *path, struct bc_error *err)
{
	uint64_t count = 0;
	const struct flow_taker taker = {&count, ignore_flow, NULL};
	const struct reader_options how = {.cut_will_do = true, .flow = &taker};
	const struct event_sink sink = {NULL, print_event};
	struct reader_report report = {0};
	bool ok = input_run(path, &how, (struct input_progress){0}, &sink, &report, err);

	if (ok)
		fprintf(stderr, "%" PRIu64 " answers\n", count);
	return !ok;
}

int main(int argc, char **argv)
{
	struct flow_walk_options options = {.threads = 1, .sink = {NULL, print_event}};
	const char *dirs[8], *path = argc > 1 ? argv[argc - 1] : NULL;
	struct debug_dirs debug = {dirs, 0};
	struct flow_walk_report report = {0};
	struct reader_report read = {0};
	struct bc_error err = {0};
	bool answers = false;

	for (int i = 1; i < argc - 1; i++) {
		if (!strncmp(argv[i], "--threads=", 10))
			options.threads = (unsigned)atoi(argv[i] + 10);
		else if (!strncmp(argv[i], "--debug-dir=", 12) && debug.count < 8)
			dirs[debug.count++] = argv[i] + 12;
		else
			answers = !strcmp(argv[i], "--answers");
	}
	if (!path)
		return 2;
	options.dirs = &debug;
	struct flow_walk *walk = answers ? NULL : flow_walk_make(&options);
	if (answers ? read_answers(path, &err) : !walk)
		return 1;
	if (answers)
		return 0;
	const struct event_sink sink = flow_walk_sink(walk);
	const struct reader_options how = {.cut_will_do = true, .flow = flow_walk_taker(walk)};
	bool ok = input_run(path, &how, (struct input_progress){0}, &sink, &read, &err) &&
		  flow_walk_tell(walk, &report, &err);
	if (ok)
		print_report(&report);
	else
		fprintf(stderr, "%s\n", err.text);
	flow_walk_report_free(&report);
	flow_walk_free(walk);
	return !ok;
}
