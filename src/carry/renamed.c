/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/renamed.h"

#include <stdlib.h>

#include "src/base/map.h"
#include "src/base/sort.h"

/* The kinds of so many instructions after each other are a feature, and so is what refers to
 * something. */
#define GRAM 3

/* What more functions of a build have says nothing of any of them. */
#define OWNERS_MOST 8

/* The share of the weight that two functions are to have in common, and what another candidate may
 * have of that at most.  In mawk, zstd and Lua those that were renamed had shares of 0.27 and more,
 * and others up to 0.07.  Functions that were split have a second candidate with 0.7 of the share:
 * by the profile of the whole for one half, zstd took 14 % more branches. */
#define SHARE_LEAST  0.25
#define SECOND_SHARE 0.5

struct feature {
	uint64_t key;
	uint32_t owner;
	bool second; /* it is of b */
};
DEFINE_VEC(feature_vec, struct feature);

static bool feature_less(const struct feature *x, const struct feature *y)
{
	return x->key != y->key       ? x->key < y->key :
	       x->second != y->second ? y->second :
					x->owner < y->owner;
}
DEFINE_SORT(sort_features, struct feature, feature_less)

/* How much two functions have in common. */
struct common {
	uint32_t a, b;
	double weight;
};
DEFINE_VEC(common_vec, struct common);

static bool common_less(const struct common *x, const struct common *y)
{
	return x->a != y->a ? x->a < y->a : x->b < y->b;
}
DEFINE_SORT(sort_commons, struct common, common_less)

static bool add_features(struct token_span span, uint32_t owner, bool second,
			 struct feature_vec *out)
{
	for (uint32_t i = 0; i < span.count; i++) {
		uint64_t gram = 0;
		if (span.at[i].refers &&
		    !feature_vec_push(out, (struct feature){span.at[i].exact, owner, second}))
			return false;
		if (span.count - i < GRAM)
			continue;
		for (uint32_t k = 0; k < GRAM; k++)
			gram = hash_mix(gram, span.at[i + k].shape);
		if (!feature_vec_push(out, (struct feature){hash_end(gram), owner, second}))
			return false;
	}
	return true;
}

static bool is_next(const struct feature *x, const struct feature *y)
{
	return x->key == y->key && x->second == y->second && x->owner == y->owner;
}

/* Sorts them, and keeps one of each function. */
static void keep_distinct(struct feature_vec *features)
{
	size_t kept = 0;

	sort_features(features->at, features->len);
	for (size_t i = 0; i < features->len; i++)
		if (!kept || !is_next(&features->at[kept - 1], &features->at[i]))
			features->at[kept++] = features->at[i];
	features->len = kept;
}

struct search {
	struct feature_vec features;
	struct common_vec commons;
	double *weights[2]; /* of all features of each function */
};

/* Features [first, end) are of one key; those of b begin at `middle`. */
static bool add_key(struct search *s, size_t first, size_t middle, size_t end)
{
	const struct feature *at = s->features.at;
	double weight = 1.0 / (double)(end - first);

	if (middle - first > OWNERS_MOST || end - middle > OWNERS_MOST)
		return true;
	for (size_t i = first; i < end; i++)
		s->weights[at[i].second][at[i].owner] += weight;
	for (size_t i = first; i < middle; i++)
		for (size_t k = middle; k < end; k++)
			if (!common_vec_push(&s->commons,
					     (struct common){at[i].owner, at[k].owner, weight}))
				return false;
	return true;
}

static bool find_commons(struct search *s)
{
	const struct feature_vec *f = &s->features;

	for (size_t i = 0, middle, end; i < f->len; i = end) {
		for (end = i; end < f->len && f->at[end].key == f->at[i].key;)
			end++;
		for (middle = i; middle < end && !f->at[middle].second;)
			middle++;
		if (!add_key(s, i, middle, end))
			return false;
	}
	sort_commons(s->commons.at, s->commons.len);
	size_t kept = 0;
	for (size_t i = 0; i < s->commons.len; i++) {
		const struct common *common = &s->commons.at[i];
		struct common *last = &s->commons.at[kept ? kept - 1 : 0];
		if (kept && last->a == common->a && last->b == common->b)
			last->weight += common->weight;
		else
			s->commons.at[kept++] = *common;
	}
	s->commons.len = kept;
	return true;
}

/* The best candidate of a function, and how good the best two are. */
struct best {
	uint32_t other;
	double share, second;
};

static void offer(struct best *best, uint32_t other, double share)
{
	if (share > best->share)
		*best = (struct best){other, share, best->share};
	else if (share > best->second)
		best->second = share;
}

static bool is_sure(const struct best *best)
{
	return best->share >= SHARE_LEAST && best->second <= best->share * SECOND_SHARE;
}

static void choose(const struct search *s, struct best *best_of_a, struct best *best_of_b,
		   uint32_t a_count, uint32_t *partner)
{
	for (size_t i = 0; i < s->commons.len; i++) {
		const struct common *c = &s->commons.at[i];
		double share = 2 * c->weight / (s->weights[0][c->a] + s->weights[1][c->b]);
		offer(&best_of_a[c->a], c->b, share);
		offer(&best_of_b[c->b], c->a, share);
	}
	for (uint32_t i = 0; i < a_count; i++) {
		const struct best *best = &best_of_a[i];
		partner[i] = is_sure(best) && is_sure(&best_of_b[best->other]) &&
					     best_of_b[best->other].other == i ?
				     best->other :
				     RENAMED_NONE;
	}
}

bool renamed_find(const struct token_span *a, uint32_t a_count, const struct token_span *b,
		  uint32_t b_count, uint32_t *partner)
{
	struct search s = {.weights = {calloc((size_t)a_count + 1, sizeof(double)),
				       calloc((size_t)b_count + 1, sizeof(double))}};
	struct best *best_of_a = calloc((size_t)a_count + 1, sizeof(*best_of_a)),
		    *best_of_b = calloc((size_t)b_count + 1, sizeof(*best_of_b));
	bool ok = s.weights[0] && s.weights[1] && best_of_a && best_of_b;

	for (uint32_t i = 0; ok && i < a_count; i++)
		ok = add_features(a[i], i, false, &s.features);
	for (uint32_t i = 0; ok && i < b_count; i++)
		ok = add_features(b[i], i, true, &s.features);
	if (ok) {
		keep_distinct(&s.features);
		ok = find_commons(&s);
	}
	if (ok)
		choose(&s, best_of_a, best_of_b, a_count, partner);
	feature_vec_free(&s.features);
	common_vec_free(&s.commons);
	free(s.weights[0]);
	free(s.weights[1]);
	free(best_of_a);
	free(best_of_b);
	return ok;
}
