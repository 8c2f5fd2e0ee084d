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
	atomic_init(&budget->samples, 0);
	for (size_t i = 0; i < BUDGET_PARTS; i++) {
		atomic_init(&budget->parts[i].spent, 0);
		atomic_init(&budget->parts[i].waits, false);
	}
}

uint64_t budget_cpu(const struct budget *budget)
{
	return budget_process_cpu() - budget->before;
}

static double allowed(const struct budget *budget, uint64_t now)
{
	return budget->share * (double)(now - budget->began);
}

static double most_of(enum budget_part part, double all)
{
	return all / (part == BUDGET_DIGESTS ? 2 : part == BUDGET_PROC ? 8 : 4);
}

/* What looks at something gets what those leave that come before it. */
static double spent_on(const struct budget *budget, enum budget_part part)
{
	uint64_t spent = atomic_load(&budget->parts[part].spent);

	for (enum budget_part before = BUDGET_PROC; before < part; before++)
		spent += atomic_load(&budget->parts[before].spent);
	return (double)spent;
}

/* What waits has its part kept for it. */
static double kept(const struct budget *budget, double all)
{
	double kept = 0;

	for (enum budget_part part = 0; part < BUDGET_PARTS; part++) {
		double left = most_of(part, all) - spent_on(budget, part);
		if (atomic_load(&budget->parts[part].waits) && left > kept)
			kept = left;
	}
	return kept;
}

bool budget_has_samples(const struct budget *budget, uint64_t now, bool on)
{
	double most = allowed(budget, now);
	double spent =
		(double)(budget_cpu(budget) + atomic_load(&budget->samples) * BUDGET_SAMPLE_COST);

	return budget->share <= 0 ||
	       spent + kept(budget, most) < most - (on ? 0 : budget->share * SECOND / 2);
}

bool budget_may(const struct budget *budget, enum budget_part part, uint64_t now)
{
	static const uint64_t always[BUDGET_PARTS] = {
		[BUDGET_PROC] = BUDGET_PROC_ALWAYS, [BUDGET_DIGESTS] = BUDGET_DIGESTS_ALWAYS};

	return budget->share <= 0 || atomic_load(&budget->parts[part].spent) < always[part] ||
	       spent_on(budget, part) < most_of(part, allowed(budget, now));
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
