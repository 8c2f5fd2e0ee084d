/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/curve.h"

#include <math.h>

#include "src/base/sort.h"

/* The points of a curve: numbers that grow by the same factor, from 1 to `all`. */
struct points {
	uint64_t all, next;
	double factor;
};

static struct points points_to(uint64_t all)
{
	return (struct points){all, 1, all > 1 ? exp(log((double)all) / (CURVE_POINTS - 2)) : 2};
}

static void step(struct points *points)
{
	double next = (double)points->next * points->factor;
	uint64_t grown = next < (double)points->all ? (uint64_t)next : points->all;

	if (points->next == points->all)
		points->next = UINT64_MAX;
	else
		points->next = grown > points->next ? grown : points->next + 1;
}

static void write_point(struct json *json, uint64_t count, double percent)
{
	json_open(json, NULL, '[');
	json_number(json, NULL, count);
	json_real(json, NULL, percent);
	json_close(json, ']');
}

/* runs: things of equal value, the most valuable ones first */
static void write_curve(struct json *json, const char *key, const struct heat_run_vec *runs, uint64_t unit)
{
	struct points points = {0};
	uint64_t all = 0, count = 0;
	double sum = 0, seen = 0;

	for (size_t i = 0; i < runs->len; i++) {
		all += runs->at[i].count;
		sum += (double)runs->at[i].count * (double)runs->at[i].hits;
	}
	points = points_to(all);
	json_open(json, key, '[');
	for (size_t i = 0; i < runs->len; i++) {
		const struct heat_run *run = &runs->at[i];
		for (; points.next <= all && points.next - count <= run->count; step(&points)) {
			double part = seen + (double)(points.next - count) * (double)run->hits;
			write_point(json, points.next * unit, sum > 0 ? 100 * part / sum : 0);
		}
		count += run->count;
		seen += (double)run->count * (double)run->hits;
	}
	json_close(json, ']');
}

static bool run_more(const struct heat_run *a, const struct heat_run *b)
{
	return a->hits > b->hits;
}
DEFINE_SORT(sort_runs, struct heat_run, run_more)

/* Functions as runs of one. */
static bool list_functions(const struct flat_profile *profile, struct heat_run_vec *out)
{
	for (size_t i = 1; i < profile->functions.len; i++)
		if (profile->functions.at[i].samples &&
		    !heat_run_vec_push(out, (struct heat_run){i, 1, profile->functions.at[i].samples}))
			return false;
	if (out->len)
		sort_runs(out->at, out->len);
	return true;
}

bool curve_write(struct json *json, const char *key, const struct quality_sources *sources)
{
	BC_AUTO(heat_run_vec_free) struct heat_run_vec functions = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec bytes = {0};

	if (!list_functions(&sources->flat, &functions) || !heat_hottest(&sources->heat, &bytes))
		return false;
	json_open(json, key, '{');
	write_curve(json, "functions", &functions, 1);
	write_curve(json, "bytes", &bytes, HEAT_BUCKET);
	json_close(json, '}');
	return true;
}
