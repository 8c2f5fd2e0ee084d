/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/many.h"

#include <stdlib.h>

/* The consumer that hands each event on to the conversions of all binaries. */
struct fan {
	struct conversion_one *ones;
	size_t count;
	struct recordings recordings; /* read so far */
	struct flow_walk *walk;
};

static void fail_one(struct conversion_one *one, const struct bc_error *err)
{
	if (one->failed)
		return;
	one->failed = true;
	one->err = *err;
}

static bool is_aggregated(enum event_kind kind)
{
	return kind == EVENT_TRACES || kind == EVENT_ADDRESSES || kind == EVENT_NAME;
}

/* Delivers an event to each conversion that has not failed.  EVENT_END goes to failed ones, too,
 * because they may hold memory that they free then.  Fails when all have failed. */
static bool deliver_to_all(void *ctx, const struct event *event, struct bc_error *err)
{
	struct fan *fan = ctx;
	bool any = event->kind == EVENT_END;

	if (is_aggregated(event->kind))
		return bc_fail(err, BC_UNSUPPORTED, "pre-aggregated records are of one binary: convert them by themselves");
	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		struct bc_error own;
		if (one->failed && event->kind != EVENT_END)
			continue;
		if (aggregate_event(&one->conversion.aggregate, event, &own))
			any = true;
		else
			fail_one(one, &own);
	}
	return any || bc_fail(err, BC_MISMATCH, "no binary is left to convert for");
}

/* Returns how many did not fail before. */
static size_t fail_all(struct fan *fan, const struct bc_error *err)
{
	size_t left = 0;

	for (size_t i = 0; i < fan->count; i++) {
		fan->ones[i].unread = !fan->ones[i].failed;
		left += fan->ones[i].unread;
		fail_one(&fan->ones[i], err);
	}
	return left;
}

/* Opens all binaries.  False: none could be opened, so that the samples need not be read. */
static bool open_all(struct fan *fan)
{
	struct bc_error err;
	bool any = false;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (conversion_open(&one->conversion, &err))
			any = true;
		else
			fail_one(one, &err);
	}
	return any;
}

static bool read_one(struct fan *fan, size_t number, struct bc_error *err)
{
	const struct conversion_options *options = &fan->ones[0].conversion.options;
	struct reader_options how = conversion_reader_options(options, number, &fan->recordings);
	struct reader_report report = {0};
	const struct event_sink sink = flow_walk_sink(fan->walk);

	how.flow = flow_walk_taker(fan->walk);
	if (!input_run(options->samples[number], &how, options->progress, &sink, &report, err))
		return false;
	for (size_t i = 0; i < fan->count; i++)
		if (!fan->ones[i].failed && !conversion_note_input(&fan->ones[i].conversion, &report, err))
			return false;
	return true;
}

/* NULL: out of memory.  Those that failed are not opened. */
static struct flow_walk *make_walk(struct fan *fan)
{
	const struct conversion *first = &fan->ones[0].conversion;
	struct given_code *codes = calloc(fan->count, sizeof(*codes));
	struct flow_walk_options options = {.given = codes, .dirs = &first->options.debug, .sink = {fan, deliver_to_all}, .threads = 1};
	struct flow_walk *walk = NULL;

	for (size_t i = 0; codes && i < fan->count; i++)
		if (!fan->ones[i].failed) {
			codes[options.given_count++] = conversion_code(&fan->ones[i].conversion);
			options.threads = fan->ones[i].conversion.threads;
		}
	if (codes)
		walk = flow_walk_make(&options);
	free(codes);
	return walk;
}

static void note_walk(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++)
		if (!fan->ones[i].failed && !conversion_note_walk(&fan->ones[i].conversion, fan->walk, &err))
			fail_one(&fan->ones[i], &err);
}

static size_t read_all(struct fan *fan)
{
	const struct conversion_options *options = &fan->ones[0].conversion.options;
	struct bc_error err = {0};
	size_t unread = 0;

	fan->walk = make_walk(fan);
	if (!fan->walk) {
		bc_fail_nomem(&err);
		fail_all(fan, &err);
	}
	for (size_t s = 0; fan->walk && s < options->sample_count && !unread; s++)
		if (!read_one(fan, s, &err)) {
			unread = fail_all(fan, &err) && err.code != BC_NOMEM ? s + 1 : 0;
			break;
		}
	if (fan->walk)
		note_walk(fan);
	flow_walk_free(fan->walk);
	return unread;
}

static void end_all(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (!one->failed && !(conversion_count(&one->conversion, &err) && conversion_convert(&one->conversion, &err)))
			fail_one(one, &err);
	}
}

size_t conversion_run_many(struct conversion_one *ones, size_t count)
{
	struct fan fan = {.ones = ones, .count = count};

	if (!open_all(&fan))
		return 0;
	size_t unread = read_all(&fan);
	end_all(&fan);
	return unread;
}
