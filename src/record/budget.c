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
	atomic_init(&budget->looked, 0);
	atomic_init(&budget->waits, false);
}

uint64_t budget_cpu(const struct budget *budget)
{
	return budget_process_cpu() - budget->before;
}

static double allowed(const struct budget *budget, uint64_t now)
{
	return budget->share * (double)(now - budget->began);
}

bool budget_has_samples(const struct budget *budget, uint64_t now, bool on)
{
	double most = allowed(budget, now), looked = (double)atomic_load(&budget->looked);
	double spent =
		(double)(budget_cpu(budget) + atomic_load(&budget->samples) * BUDGET_SAMPLE_COST);
	/* What is to be looked at has its half kept for it. */
	double kept = atomic_load(&budget->waits) && looked < most / 2 ? most / 2 - looked : 0;

	return budget->share <= 0 || spent + kept < most - (on ? 0 : budget->share * SECOND / 2);
}

bool budget_may_look(const struct budget *budget, uint64_t now)
{
	uint64_t looked = atomic_load(&budget->looked);

	return budget->share <= 0 || looked < BUDGET_LOOK_ALWAYS ||
	       (double)looked < allowed(budget, now) / 2;
}
