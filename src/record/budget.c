/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/budget.h"

#include <time.h>

#define SECOND 1e9

static uint64_t clock_of(clockid_t clock)
{
	struct timespec t = {0};

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t budget_process_cpu(void)
{
	return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t budget_thread_cpu(void)
{
	return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

void budget_begin(struct budget *budget, double share, uint64_t now)
{
	budget->share = share;
	budget->began = now;
	budget->before = budget_process_cpu();
	budget->forgotten = 0;
	atomic_init(&budget->samples, 0);
	for (size_t i = 0; i < BUDGET_PARTS; i++) {
		atomic_init(&budget->parts[i].spent, 0);
		atomic_init(&budget->parts[i].forgotten, 0);
		atomic_init(&budget->parts[i].waits, false);
	}
}

uint64_t budget_cpu(const struct budget *budget)
{
	return budget_process_cpu() - budget->before;
}

/* Processors that it may use. */
static double share_of(const struct budget *budget, enum budget_part part)
{
	static const double eighths[BUDGET_PARTS] = {
		[BUDGET_MAPPINGS] = 2, [BUDGET_PROC] = 1,    [BUDGET_LARGE] = 2,
		[BUDGET_OPENS] = 3,    [BUDGET_DIGESTS] = 4, [BUDGET_GAIN] = 2};

	return budget->share * eighths[part] / 8;
}

/* What looks at something gets what those leave that come before it. */
static double spent_on(const struct budget *budget, enum budget_part part)
{
	uint64_t spent = atomic_load(&budget->parts[part].spent);

	for (enum budget_part before = BUDGET_PROC; before < part; before++)
		spent += atomic_load(&budget->parts[before].spent);
	return (double)spent;
}

/* What can be spent on a part, or is owed if it is negative. */
static double left_of(const struct budget *budget, enum budget_part part, uint64_t now)
{
	uint64_t time = now - budget->began - atomic_load(&budget->parts[part].forgotten);

	return share_of(budget, part) * (double)time - spent_on(budget, part);
}

/* The same of all. */
static double left(const struct budget *budget, uint64_t now)
{
	uint64_t time = now - budget->began - budget->forgotten,
		 spent = budget_cpu(budget) + atomic_load(&budget->samples) * BUDGET_SAMPLE_COST;

	return budget->share * (double)time - (double)spent;
}

/* The time for which `saved` was saved and is to be forgotten. */
static uint64_t too_long(double saved, double share)
{
	double time = saved / share;

	return time > (double)BUDGET_SAVED ? (uint64_t)time - BUDGET_SAVED : 0;
}

void budget_forget(struct budget *budget, uint64_t now)
{
	if (budget->share <= 0)
		return;
	budget->forgotten += too_long(left(budget, now), budget->share);
	for (enum budget_part part = 0; part < BUDGET_PARTS; part++)
		(void)atomic_fetch_add(
			&budget->parts[part].forgotten,
			too_long(left_of(budget, part, now), share_of(budget, part)));
}

/* What waits has its part kept for it. */
static double kept(const struct budget *budget, uint64_t now)
{
	double kept = 0;

	for (enum budget_part part = 0; part < BUDGET_PARTS; part++) {
		double more = left_of(budget, part, now);
		if (atomic_load(&budget->parts[part].waits) && more > kept)
			kept = more;
	}
	return kept;
}

bool budget_has_samples(const struct budget *budget, uint64_t now, bool on)
{
	return budget->share <= 0 ||
	       left(budget, now) > kept(budget, now) + (on ? 0 : budget->share * SECOND / 2);
}

uint64_t budget_left(const struct budget *budget, enum budget_part part, uint64_t now)
{
	static const uint64_t always[BUDGET_PARTS] = {[BUDGET_PROC] = BUDGET_PROC_ALWAYS,
						      [BUDGET_OPENS] = BUDGET_OPENS_ALWAYS,
						      [BUDGET_DIGESTS] = BUDGET_DIGESTS_ALWAYS};
	uint64_t spent = atomic_load(&budget->parts[part].spent);
	double left = left_of(budget, part, now);

	if (budget->share <= 0)
		return UINT64_MAX;
	uint64_t at_first = spent < always[part] ? always[part] - spent : 0;
	return left > (double)at_first ? (uint64_t)left : at_first;
}

bool budget_may(const struct budget *budget, enum budget_part part, uint64_t now)
{
	return budget_left(budget, part, now) > 0;
}

bool budget_may_go_on(const struct budget *budget, uint64_t now)
{
	for (enum budget_part part = 0; part < BUDGET_PARTS; part++)
		if (atomic_load(&budget->parts[part].waits) && budget_may(budget, part, now))
			return true;
	return false;
}

void budget_add(struct budget *budget, enum budget_part part, uint64_t ns)
{
	(void)atomic_fetch_add(&budget->parts[part].spent, ns);
}

void budget_spend(struct budget *budget, enum budget_part part, uint64_t *since)
{
	uint64_t now = budget_thread_cpu();

	budget_add(budget, part, now - *since);
	*since = now;
}
