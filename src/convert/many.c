/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/convert/many.h"

/* Hands what a reader delivers to everyone who has not failed yet. */
struct fan {
	struct conversion_one *ones;
	struct sample_sink *sinks; /* of the present input */
	size_t count;
};

static void fail_one(struct conversion_one *one, const struct bc_error *err)
{
	if (one->failed)
		return;
	one->failed = true;
	one->err = *err;
}

static bool still_wants(const struct fan *fan, size_t i)
{
	return !fan->ones[i].failed;
}

/* Call FUNCTION of every sink; true while there is one left. */
#define FAN_OUT(fan, function, err, ...)                                       \
	bool any = false;                                                      \
	for (size_t i = 0; i < (fan)->count; i++) {                            \
		const struct sample_sink *sink = &(fan)->sinks[i];             \
		if (!still_wants(fan, i))                                      \
			continue;                                              \
		if (sink->function(sink->ctx, __VA_ARGS__, err))               \
			any = true;                                            \
		else                                                           \
			fail_one(&(fan)->ones[i], err);                        \
	}                                                                      \
	return any

static bool on_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	struct fan *fan = ctx;
	FAN_OUT(fan, map, err, event);
}

static bool on_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	struct fan *fan = ctx;
	FAN_OUT(fan, exec, err, pid);
}

static bool on_fork(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err)
{
	struct fan *fan = ctx;
	FAN_OUT(fan, fork, err, parent, child);
}

static bool on_exit(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err)
{
	struct fan *fan = ctx;
	FAN_OUT(fan, exit, err, pid, tid);
}

static bool on_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	struct fan *fan = ctx;
	FAN_OUT(fan, sample, err, sample);
}

static bool fail_aggregated(struct bc_error *err)
{
	return bc_fail(err, BC_UNSUPPORTED, "pre-aggregated records are of one binary: convert them by themselves");
}

static bool on_trace(void *ctx, const struct trace *trace, bool is_return, uint64_t count,
		     uint64_t mispredicted, struct bc_error *err)
{
	(void)ctx, (void)trace, (void)is_return, (void)count, (void)mispredicted;
	return fail_aggregated(err);
}

static bool on_basic(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err)
{
	(void)ctx, (void)at, (void)count;
	return fail_aggregated(err);
}

static bool on_event(void *ctx, struct text name, struct bc_error *err)
{
	(void)ctx, (void)name;
	return fail_aggregated(err);
}

static void on_recording(void *ctx)
{
	struct fan *fan = ctx;

	for (size_t i = 0; i < fan->count; i++)
		if (still_wants(fan, i) && fan->sinks[i].recording)
			fan->sinks[i].recording(fan->sinks[i].ctx);
}

/* Who has failed may still hold memory; who fails now fails alone. */
static bool on_settle(void *ctx, struct bc_error *err)
{
	struct fan *fan = ctx;

	(void)err;
	for (size_t i = 0; i < fan->count; i++) {
		struct bc_error own = {0};
		if (fan->sinks[i].settle && !fan->sinks[i].settle(fan->sinks[i].ctx, &own))
			fail_one(&fan->ones[i], &own);
	}
	return true;
}

/* Who is contradicted fails alone, in the end. */
static bool on_late_ids(void *ctx, const struct file_id *files, size_t count, struct bc_error *err)
{
	struct fan *fan = ctx;

	(void)err;
	for (size_t i = 0; i < fan->count; i++) {
		struct bc_error own = {0};
		if (still_wants(fan, i) &&
		    !conversion_late_ids(&fan->ones[i].conversion, files, count, &own))
			fail_one(&fan->ones[i], &own);
	}
	return true;
}

/* Of one of the binaries; else of none, and so of nothing that is ever mapped. */
static struct run_addr find_place(void *ctx, uint32_t pid, struct text file, uint64_t place)
{
	const struct fan *fan = ctx;
	struct run_addr at = {1};

	for (size_t i = 0; i < fan->count; i++)
		if (still_wants(fan, i) &&
		    conversion_find_place(&fan->ones[i].conversion, pid, file, place, &at))
			break;
	return at;
}

static struct sample_sink fan_sink(struct fan *fan)
{
	for (size_t i = 0; i < fan->count; i++)
		fan->sinks[i] = conversion_sink(&fan->ones[i].conversion);
	return (struct sample_sink){
		.ctx = fan, .map = on_map, .exec = on_exec, .fork = on_fork, .exit = on_exit,
		.sample = on_sample, .trace = on_trace, .basic = on_basic, .event = on_event,
		.recording = on_recording, .settle = on_settle,
	};
}

static void fail_all(struct fan *fan, const struct bc_error *err)
{
	for (size_t i = 0; i < fan->count; i++)
		fail_one(&fan->ones[i], err);
}

/* Whether there is one to read for. */
static bool open_all(struct fan *fan)
{
	struct bc_error err;
	bool any = false;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (conversion_begin(&one->options, &one->conversion, &err))
			any = true;
		else
			fail_one(one, &err);
	}
	return any;
}

static bool read_one(struct fan *fan, const char *path, struct bc_error *err)
{
	const struct conversion_options *options = &fan->ones[0].options;
	struct reader_options how = {
		.format = options->format,
		.late_ids = {fan, on_late_ids},
		.places = {fan, find_place},
		.cut_will_do = true,
	};
	struct reader_report report = {0};
	struct sample_sink sink = fan_sink(fan);

	if (!input_run(path, &how, options->progress, &sink, &report, err))
		return false;
	for (size_t i = 0; i < fan->count; i++)
		if (still_wants(fan, i) && !conversion_note_input(&fan->ones[i].conversion, &report, err))
			return false;
	return true;
}

static void read_all(struct fan *fan)
{
	const struct conversion_options *options = &fan->ones[0].options;
	struct bc_error err = {0};

	for (size_t s = 0; s < options->sample_count; s++) {
		if (!read_one(fan, options->samples[s], &err)) {
			fail_all(fan, &err);
			return;
		}
	}
}

static void end_all(struct fan *fan)
{
	struct bc_error err;

	for (size_t i = 0; i < fan->count; i++) {
		struct conversion_one *one = &fan->ones[i];
		if (!one->failed && !conversion_end(&one->options, &one->conversion, &err))
			fail_one(one, &err);
	}
}

void conversion_run_many(struct conversion_one *ones, size_t count)
{
	struct fan fan = {ones, calloc(count + 1, sizeof(*fan.sinks)), count};
	struct bc_error err;

	if (!fan.sinks) {
		bc_fail_nomem(&err);
		fail_all(&fan, &err);
	} else if (open_all(&fan)) {
		read_all(&fan);
		end_all(&fan);
	}
	free(fan.sinks);
}
