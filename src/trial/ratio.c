/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

#define BY_SIZE(a, b) (*(a) < *(b))
DEFINE_SORT(real_sort, double, BY_SIZE);
DEFINE_SEARCH(real_search, double, double, *item <= key);

/* What a bet has of what it may lose, in shares of all that it has. */
static const double sizes[] = {0.2, 0.5, 0.8, 0.97};
#define SIZES BC_COUNT(sizes)
/* Ends of an interval are found to this factor. */
#define FINE 1e-5

/* The logarithms of what the bets have: by sign and by rank, above and below. */
struct bets {
	double by_sign[2][SIZES], by_rank[2][SIZES];
};

static void bet(struct bets *bets, bool above, double rank)
{
	for (size_t i = 0; i < SIZES; i++) {
		bets->by_sign[above][i] += log1p(sizes[i]);
		bets->by_sign[!above][i] += log1p(-sizes[i]);
		bets->by_rank[above][i] += log1p(sizes[i] * rank);
		bets->by_rank[!above][i] += log1p(-sizes[i] * rank);
	}
}

/* The logarithm of their mean. */
static double bets_have(const struct bets *bets)
{
	const double *all = bets->by_sign[0];
	const size_t count = sizeof(*bets) / sizeof(*all);
	double values[sizeof(struct bets) / sizeof(double)], most = -INFINITY, sum = 0;

	memcpy(values, bets, sizeof(values));
	for (size_t i = 0; i < count; i++)
		most = values[i] > most ? values[i] : most;
	for (size_t i = 0; i < count; i++)
		sum += exp(values[i] - most);
	return most + log(sum / (double)count);
}

/* What the bets against log ratio `at` have after all rounds.
 * sorted  room for as many numbers as there are rounds */
static double against(const struct ratio *ratio, double at, double *sorted)
{
	struct bets bets = {0};
	size_t count = 0;

	for (size_t i = 0; i < ratio->logs.len; i++) {
		double distance = ratio->logs.at[i] - at, size = fabs(distance);
		if (distance == 0)
			continue; /* nobody wins */
		size_t low = real_search(sorted, count, size);
		memmove(sorted + low + 1, sorted + low, (count - low) * sizeof(*sorted));
		sorted[low] = size;
		count++;
		bet(&bets, distance > 0, (double)(low + 1) / (double)count);
	}
	return bets_have(&bets);
}

/* The end of the interval on one side (direction: 1 or -1) of `middle`; infinite if nothing on
 * that side is refuted. */
static double find_end(const struct ratio *ratio, double middle, double direction, double *sorted)
{
	const double wins = -log(RATIO_DOUBT);
	double within = 0, beyond = FINE;

	while (against(ratio, middle + direction * beyond, sorted) < wins) {
		within = beyond;
		beyond *= 2;
		if (beyond > 64) /* larger than any ratio of two times */
			return direction * INFINITY;
	}
	while (beyond - within > FINE) {
		double half = (within + beyond) / 2;
		if (against(ratio, middle + direction * half, sorted) < wins)
			within = half;
		else
			beyond = half;
	}
	return middle + direction * beyond;
}

static double positive(double value)
{
	return value > 1e-9 ? value : 1e-9;
}

bool ratio_add(struct ratio *ratio, double a, double b)
{
	return real_vec_push(&ratio->logs, log(positive(b) / positive(a)));
}

bool ratio_estimate(const struct ratio *ratio, struct ratio_estimate *out)
{
	size_t count = ratio->logs.len;
	double *sorted = calloc(count + 1, sizeof(*sorted));

	*out = (struct ratio_estimate){1, 0, INFINITY};
	if (!sorted || !count) {
		free(sorted);
		return count == 0;
	}
	memcpy(sorted, ratio->logs.at, count * sizeof(*sorted));
	real_sort(sorted, count);
	double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	double low = find_end(ratio, middle, -1, sorted);
	double high = find_end(ratio, middle, 1, sorted);
	free(sorted);
	*out = (struct ratio_estimate){exp(middle), exp(low), exp(high)};
	return true;
}

size_t ratio_rounds_for(size_t rounds, const struct ratio_estimate *estimate, double share)
{
	if (estimate->low <= 0 || isinf(estimate->high) || share <= 0)
		return 0;
	double half = (log(estimate->high) - log(estimate->low)) / 2;
	double factor = half / log1p(share); /* widths shrink as the root of the rounds grows */
	double all = (double)rounds * factor * factor;

	return all < 1e9 ? (size_t)ceil(all > (double)rounds ? all : (double)rounds) : 0;
}

void ratio_free(struct ratio *ratio)
{
	real_vec_free(&ratio->logs);
}
