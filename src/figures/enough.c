/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/enough.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/count/rules.h"
#include "src/figures/quality.h"
#include "src/record/budget.h"

/* One measurement. */
struct measured {
	struct gain gain;
	struct bc_error err; /* why it is not known */
};

struct enough_work {
	const char *binary, *input;
	struct recorded_counts *counts;
	uint64_t samples, cpu;
	struct measured measured;
	atomic_bool done;
	pthread_t thread;
};

/* ---- one measurement ---- */

static bool quality_of_counts(struct conversion *c, const struct recorded_counts *counts,
			      struct quality *out, struct bc_error *err)
{
	BC_AUTO(quality_sources_free) struct quality_sources sources = {0};
	const struct quality_options how = {DENSITY_CUTOFF, DENSITY_ENOUGH};
	const struct event_sink sink = {&c->aggregate, aggregate_event};

	return conversion_open(c, err) && recorded_deliver(counts, &sink, err) &&
	       quality_of_opened(&how, c, &sources, out, err);
}

static struct measured measure(const char *binary, const char *input,
			       const struct recorded_counts *counts)
{
	BC_AUTO(conversion_free)
	struct conversion c = {
		.options = {.wants = WANT_RECORDS | WANT_EXECUTED | WANT_GRAPHS | WANT_HALVES,
			    .binary = binary,
			    .input = input,
			    .force = true,
			    .threads = 1,
			    .aggregate = {.erratum = true, .rules = best_rules}}};
	struct measured out = {0};
	struct quality quality = {0};

	c.options.aggregate.rules.infer = false; /* of which quality makes figures */
	if (!quality_of_counts(&c, counts, &quality, &out.err))
		return out;
	out.gain = quality.gain;
	if (!out.gain.known)
		bc_fail(&out.err, BC_UNSUPPORTED, "%s",
			c.not_inferred.code ? c.not_inferred.text :
					      "the samples show too few branches");
	return out;
}

static void note(struct enough *e, const struct measured *measured, uint64_t samples)
{
	e->gain = measured->gain;
	e->failed = measured->err;
	e->samples = samples;
	atomic_store(&e->reached, e->gain.known && e->gain.verdict == GAIN_ENOUGH);
}

void enough_measure(struct enough *e, const struct recorded_counts *counts, uint64_t samples)
{
	const struct measured measured = measure(e->binary, e->input, counts);

	note(e, &measured, samples);
}

/* ---- in a thread ---- */

static void *work(void *ctx)
{
	struct enough_work *work = ctx;

	work->measured = measure(work->binary, work->input, work->counts);
	work->cpu = budget_thread_cpu();
	atomic_store(&work->done, true);
	return NULL;
}

static void free_work(struct enough_work *work)
{
	recorded_counts_free(work->counts);
	free(work);
}

void enough_begin(struct enough *e, struct recorded_counts *counts, uint64_t samples)
{
	struct enough_work *begun = calloc(1, sizeof(*begun));

	if (!begun) {
		recorded_counts_free(counts);
		return;
	}
	begun->binary = e->binary;
	begun->input = e->input;
	begun->counts = counts;
	begun->samples = samples;
	if (pthread_create(&begun->thread, NULL, work, begun) != 0) {
		free_work(begun);
		return;
	}
	e->work = begun;
}

bool enough_take(struct enough *e, bool wait, uint64_t *cpu)
{
	struct enough_work *done = e->work;

	if (!done || !(wait || atomic_load(&done->done)))
		return false;
	pthread_join(done->thread, NULL);
	note(e, &done->measured, done->samples);
	*cpu = done->cpu;
	free_work(done);
	e->work = NULL;
	return true;
}

/* ---- when ---- */

void enough_open(struct enough *out, const char *binary, const char *input, uint64_t each,
		 uint64_t now)
{
	out->binary = binary;
	out->input = input;
	out->each = each;
	out->began = now;
	out->least = ENOUGH_LEAST;
}

void enough_close(struct enough *e)
{
	uint64_t cpu;

	(void)enough_take(e, true, &cpu);
}

bool enough_is_due(struct enough *e, uint64_t kept, uint64_t now)
{
	if (e->work || kept < e->least || now - e->began < e->each)
		return false;
	e->began = now;
	e->least = kept + kept / 2;
	return true;
}
