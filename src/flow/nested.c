/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls within inlined bodies.  Where llvm-bolt inlined a function, a copy of it ran, and what the
 * function calls was mostly inlined in turn: no code of the output has these calls.  A function
 * calls what all ways through its code call as often as its copies ran; so do the functions that it
 * calls, and callers come before what they call.  Recursion ends where it leads back.
 */
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/flow/restore_pass.h"

static bool count_less(const struct body_count *a, const struct body_count *b)
{
	return a->function != b->function ? a->function < b->function : a->place < b->place;
}
DEFINE_SORT(sort_counts, struct body_count, count_less)
DEFINE_SEARCH(counts_before, struct body_count, struct body_count, count_less(item, &key))

/* A function whose copies ran, or one that such a function always calls. */
struct body {
	uint32_t function;         /* the input's */
	uint32_t first, next, end; /* its calls, of nest.calls; `next` is the one to follow next */
	uint32_t order; /* callers have larger numbers than what they call; 0: not known yet */
	uint64_t runs;  /* of its copies */
};
DEFINE_VEC(body_vec, struct body);
DEFINE_VEC(number_vec, uint32_t);

struct nest {
	struct pass *pass;
	struct body_vec bodies;
	struct number_vec order; /* bodies, what is called first */
	struct known_call_vec calls;
	uint32_t *body_of; /* per function of the input: its body + 1; 0: none */
};

/* Adds the body of a function, if it is new; sets *out to its number.  Returns false when out of
 * memory. */
static bool find_body(struct nest *nest, uint32_t function, uint32_t *out, bool *is_new)
{
	*is_new = !nest->body_of[function];
	if (*is_new) {
		struct body body = {.function = function, .first = (uint32_t)nest->calls.len};
		if (!known_calls_always(nest->pass->calls, function, &nest->calls))
			return false;
		body.next = body.first;
		body.end = (uint32_t)nest->calls.len;
		if (!body_vec_push(&nest->bodies, body))
			return false;
		nest->body_of[function] = (uint32_t)nest->bodies.len;
	}
	*out = nest->body_of[function] - 1;
	return true;
}

/* Follows the calls of a function, in depth, so that each one comes into order behind all that it
 * calls. */
static bool follow(struct nest *nest, uint32_t function, struct number_vec *open)
{
	uint32_t number;
	bool is_new;

	if (!find_body(nest, function, &number, &is_new))
		return false;
	if (is_new && !number_vec_push(open, number))
		return false;
	while (open->len) {
		struct body *body = &nest->bodies.at[open->at[open->len - 1]];
		if (body->next == body->end) {
			if (!number_vec_push(&nest->order, open->at[--open->len]))
				return false;
			body->order = (uint32_t)nest->order.len;
			continue;
		}
		uint32_t callee = nest->calls.at[body->next++].callee;
		if (!find_body(nest, callee, &number, &is_new) ||
		    (is_new && !number_vec_push(open, number)))
			return false;
	}
	return true;
}

static uint64_t known_count(const struct body_count_vec *counts, uint32_t function, uint32_t place)
{
	struct body_count key = {function, place, 0};
	uint64_t sum = 0;

	for (size_t i = counts_before(counts->at, counts->len, key);
	     i < counts->len && !count_less(&key, &counts->at[i]); i++)
		sum = count_add_saturating(sum, counts->at[i].count);
	return sum;
}

/* Gives a function's runs to its calls. */
static void pass_on(struct nest *nest, const struct body *body)
{
	struct pass *pass = nest->pass;
	const struct pair *pair = pass->how->pair;
	const struct function *caller = pair_output_of(pair, &pair->functions.at[body->function]);

	for (uint32_t i = body->first; i < body->end; i++) {
		struct known_call call = nest->calls.at[i];
		struct body *callee = &nest->bodies.at[nest->body_of[call.callee] - 1];
		uint64_t known = known_count(&pass->copied_calls, body->function, call.place);
		if (body->runs <= known)
			continue;
		uint64_t count = body->runs - known;
		if (caller && pair->output_of[call.callee] != NO_FUNCTION)
			inlined_add_call(pass, caller, call, count);
		if (!call.to && callee->order < body->order)
			callee->runs = count_add_saturating(callee->runs, count);
	}
}

bool nested_restore(struct pass *pass)
{
	const struct body_count_vec *runs = &pass->copied_runs;
	struct nest nest = {
		.pass = pass,
		.body_of = calloc(pass->how->pair->functions.count + 1, sizeof(*nest.body_of))};
	struct number_vec open = {0};
	bool ok = nest.body_of;

	sort_counts(runs->at, runs->len);
	sort_counts(pass->copied_calls.at, pass->copied_calls.len);
	for (size_t i = 0; ok && i < runs->len; i++) {
		ok = follow(&nest, runs->at[i].function, &open);
		if (ok) {
			struct body *body = &nest.bodies.at[nest.body_of[runs->at[i].function] - 1];
			body->runs = count_add_saturating(body->runs, runs->at[i].count);
		}
	}
	for (size_t i = nest.order.len; ok && i; i--)
		pass_on(&nest, &nest.bodies.at[nest.order.at[i - 1]]);
	body_vec_free(&nest.bodies);
	number_vec_free(&nest.order);
	number_vec_free(&open);
	known_call_vec_free(&nest.calls);
	free(nest.body_of);
	return ok && !pass->out_of_memory;
}
