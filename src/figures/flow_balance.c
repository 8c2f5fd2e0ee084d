/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/flow_balance.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/share.h"
#include "src/base/sort.h"
#include "src/figures/flow_function.h"
#include "src/figures/flow_gaps.h"

/* These are the numbers of llvm-bolt. */
#define FUNCTIONS_LOOKED_AT 1000
#define PERCENTILE 95
#define BIAS_COUNT 100

DEFINE_VEC(share_vec, double);

static bool share_less(const double *a, const double *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_shares, double, share_less)

static double percentile(struct share_vec *shares)
{
	if (!shares->len)
		return 0;
	sort_shares(shares->at, shares->len);
	return 100 * shares->at[shares->len * PERCENTILE / 100];
}

struct taking {
	const struct flat_profile *profile;
	const struct flow_code *code;
	struct flow_function function;
	struct flow_figures *out;
	struct share_vec biases;  /* of the blocks of which the mean is taken */
	struct share_vec entries; /* of entries, which only the deviation has */
	uint64_t lost, counted;
	struct share_vec discontinuities, call_gaps, flow_gaps, worst_gaps;
	struct flow_calls *calls;
};

static void taking_free(struct taking *t)
{
	flow_function_free(&t->function);
	share_vec_free(&t->biases);
	share_vec_free(&t->entries);
	share_vec_free(&t->discontinuities);
	share_vec_free(&t->call_gaps);
	share_vec_free(&t->flow_gaps);
	share_vec_free(&t->worst_gaps);
}

bool flow_has(const struct flow_code *code, const struct flat_function *function)
{
	if (function->plt || !(function->count || function->executed))
		return false;
	if (code->graphs) {
		const struct graph *graph = flow_graph(code, function);
		return graph && !graph->unknown_jumps && !graph->takes_own;
	}
	return !code->left_out.at || !*name_marks_of(&code->left_out, function->number);
}

/* ---- bias ---- */

static bool note_biases(struct taking *t)
{
	for (size_t i = 0; i < t->function.blocks.len; i++) {
		const struct balance_block *block = &t->function.blocks.at[i];
		double in = (double)block->in, out = (double)block->out;
		if (block->in < BIAS_COUNT || !block->out)
			continue;
		if (!share_vec_push(flow_is_entry(&t->function, i) ? &t->entries : &t->biases, fabs(out - in) / in))
			return false;
	}
	return true;
}

static double squares(const struct share_vec *shares, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < shares->len; i++)
		sum += (shares->at[i] - mean) * (shares->at[i] - mean);
	return sum;
}

static void settle_bias(struct taking *t)
{
	double sum = 0;
	size_t all = t->biases.len + t->entries.len;

	for (size_t i = 0; i < t->biases.len; i++)
		sum += t->biases.at[i];
	double mean = t->biases.len ? sum / (double)t->biases.len : 0;
	t->out->blocks = t->biases.len;
	t->out->bias = 100 * mean;
	if (all)
		t->out->deviation = 100 * sqrt((squares(&t->biases, mean) + squares(&t->entries, mean)) / (double)all);
}

/* ---- what is one number a function ---- */

struct executed_function {
	uint32_t number;
	uint64_t executed;
};
DEFINE_VEC(executed_vec, struct executed_function);

static bool executed_more(const struct executed_function *a, const struct executed_function *b)
{
	return a->executed != b->executed ? a->executed > b->executed : a->number < b->number;
}
DEFINE_SORT(sort_executed, struct executed_function, executed_more)

static bool note_reach(struct taking *t)
{
	uint64_t lost, all;

	if (!flow_function_reach(&t->function, &lost, &all))
		return false;
	t->lost = count_add_saturating(t->lost, lost);
	t->counted = count_add_saturating(t->counted, all);
	bool one = t->function.blocks.len < 2;
	return share_vec_push(&t->discontinuities, one || !all ? 0 : (double)lost / (double)all);
}

static bool note_gaps(struct taking *t, uint32_t number)
{
	const struct flat_function *function = &t->profile->functions.at[number];
	struct flow_gaps gaps;

	if (!t->out->has_gaps || !t->function.graph)
		return true;
	gaps = flow_gaps_take(&t->function, flow_code_of(t->code, function)->address, t->calls->counts[number]);
	return share_vec_push(&t->call_gaps, gaps.call) && share_vec_push(&t->flow_gaps, gaps.weighted) &&
	       share_vec_push(&t->worst_gaps, gaps.worst);
}

static bool look_at(struct taking *t, const struct executed_vec *functions)
{
	for (size_t i = 0; i < functions->len && i < FUNCTIONS_LOOKED_AT; i++) {
		uint32_t number = functions->at[i].number;
		if (!flow_function_make(&t->function, t->profile, number, t->code) || !note_reach(t) ||
		    !note_gaps(t, number))
			return false;
		t->out->functions++;
	}
	return true;
}

/* Takes all functions that have blocks, and the bias of each. */
static bool take_functions(struct taking *t, struct executed_vec *functions)
{
	for (uint32_t i = 1; i < t->profile->functions.len; i++) {
		const struct flat_function *function = &t->profile->functions.at[i];
		if (!flow_has(t->code, function))
			continue;
		if (!flow_function_make(&t->function, t->profile, i, t->code) || !note_biases(t))
			return false;
		if (t->out->has_gaps)
			flow_calls_add(t->calls, &t->function, t->profile, i, t->code);
		if (t->function.blocks.len &&
		    !executed_vec_push(functions, (struct executed_function){i, function->executed}))
			return false;
	}
	if (functions->len)
		sort_executed(functions->at, functions->len);
	return true;
}

bool flow_take(const struct flat_profile *profile, const struct flow_code *code, struct flow_calls *calls,
	       struct flow_figures *out, struct bc_error *err)
{
	struct taking t = {.profile = profile, .code = code, .out = out, .calls = calls};
	struct executed_vec functions = {0};

	*out = (struct flow_figures){.has_gaps = code->graphs};
	bool ok = flow_calls_init(t.calls, profile, code) && take_functions(&t, &functions) && look_at(&t, &functions);
	if (ok) {
		settle_bias(&t);
		out->discontinuity = percentile(&t.discontinuities);
		out->unreachable = percent_of(t.lost, t.counted);
		out->call_gap = percentile(&t.call_gaps);
		out->flow_gap = percentile(&t.flow_gaps);
		out->worst_gap = percentile(&t.worst_gaps);
	}
	executed_vec_free(&functions);
	taking_free(&t);
	return ok || bc_fail_nomem(err);
}
