/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/align.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

/* What a match weighs.  A jump says little: there are many, and any of one kind are the same. */
#define WEIGHT_REFERS   16
#define WEIGHT_EXACT    6
#define WEIGHT_SHAPE    3
#define WEIGHT_JUMP     2
#define WEIGHT_MNEMONIC 1
#define WEIGHT_FOLLOWS  3 /* the ones before are matched, too */

/* Neighbors that are matched weigh so much together, or they are not. */
#define RUN_LEAST 12

/* A table has at most so many cells, a byte each. */
#define CELLS_MOST ((uint64_t)1 << 24)

/* How long an anchor is, a sequence that is in both once. */
#define ANCHOR 3

static uint32_t weight(const struct token *a, const struct token *b)
{
	if (a->exact == b->exact)
		return a->refers ? WEIGHT_REFERS : a->jump ? WEIGHT_JUMP : WEIGHT_EXACT;
	if (a->shape == b->shape)
		return WEIGHT_SHAPE;
	return a->mnemonic == b->mnemonic ? WEIGHT_MNEMONIC : 0;
}

/* ---- the best alignment ---- */

enum { MATCHED_FROM_MATCH = 1, BEST_IS_MATCH = 2, BEST_IS_ABOVE = 4 };

struct best {
	uint32_t match, best; /* of the alignments that end with this pair, and of all up to it */
};

static void fill(struct token_span a, struct token_span b, struct best *row, uint8_t *cells)
{
	for (uint32_t i = 0; i < a.count; i++) {
		struct best before = {0}; /* of the row above and the column to the left */
		for (uint32_t k = 0; k < b.count; k++) {
			struct best above = row[k + 1], now = {0};
			uint8_t *cell = &cells[(size_t)i * b.count + k];
			uint32_t here = weight(&a.at[i], &b.at[k]);
			*cell = 0;
			if (here) {
				uint32_t follows = before.match ? before.match + WEIGHT_FOLLOWS : 0;
				bool from_match = follows && follows >= before.best;
				*cell = from_match ? MATCHED_FROM_MATCH : 0;
				now.match = here + (from_match ? follows : before.best);
			}
			now.best = row[k].best > above.best ? row[k].best : above.best;
			if (now.match && now.match >= now.best) {
				now.best = now.match;
				*cell |= BEST_IS_MATCH;
			} else if (above.best >= row[k].best) {
				*cell |= BEST_IS_ABOVE;
			}
			before = above;
			row[k + 1] = now;
		}
	}
}

static void read_back(struct token_span a, struct token_span b, const uint8_t *cells, uint32_t *to)
{
	bool match = false;

	for (uint32_t i = a.count, k = b.count; i && k;) {
		uint8_t cell = cells[(size_t)(i - 1) * b.count + k - 1];
		if (match || cell & BEST_IS_MATCH) {
			to[--i] = --k;
			match = cell & MATCHED_FROM_MATCH;
		} else if (cell & BEST_IS_ABOVE) {
			i--;
		} else {
			k--;
		}
	}
}

/* Matches of which too few are side by side can be by chance. */
static void drop_weak(struct token_span a, struct token_span b, uint32_t *to)
{
	for (uint32_t i = 0, end; i < a.count; i = end) {
		uint32_t sum = 0;
		end = i + 1;
		if (to[i] == ALIGN_NONE)
			continue;
		sum = weight(&a.at[i], &b.at[to[i]]);
		for (; end < a.count && to[end] == to[i] + (end - i); end++)
			sum += weight(&a.at[end], &b.at[to[end]]) + WEIGHT_FOLLOWS;
		for (uint32_t k = i; sum < RUN_LEAST && k < end; k++)
			to[k] = ALIGN_NONE;
	}
}

static bool align_all(struct token_span a, struct token_span b, uint32_t *to)
{
	struct best *row = calloc((size_t)b.count + 1, sizeof(*row));
	uint8_t *cells = malloc((size_t)a.count * b.count + 1);
	bool ok = row && cells;

	if (ok) {
		fill(a, b, row, cells);
		read_back(a, b, cells, to);
	}
	free(row);
	free(cells);
	return ok;
}

/* ---- what is in both once ---- */

struct gram {
	uint64_t key;
	uint32_t at;
	bool second; /* it is of b */
};
DEFINE_VEC(gram_vec, struct gram);

static bool gram_less(const struct gram *x, const struct gram *y)
{
	return x->key != y->key       ? x->key < y->key :
	       x->second != y->second ? y->second :
					x->at < y->at;
}
DEFINE_SORT(sort_grams, struct gram, gram_less)

/* Adds the sequences of so many tokens that have no match. */
static bool add_grams(struct token_span span, const uint32_t *matched, uint32_t length, bool second,
		      struct gram_vec *out)
{
	for (uint32_t i = 0; i + length <= span.count; i++) {
		uint64_t key = 0;
		uint32_t k = 0;
		for (; k < length && (!matched || matched[i + k] == ALIGN_NONE); k++)
			key = hash_mix(key, span.at[i + k].exact);
		if (k == length && !gram_vec_push(out, (struct gram){key, i, second}))
			return false;
	}
	return true;
}

struct anchor {
	uint32_t a, b;
};
DEFINE_VEC(anchor_vec, struct anchor);

static bool anchor_less(const struct anchor *x, const struct anchor *y)
{
	return x->a < y->a;
}
DEFINE_SORT(sort_anchors, struct anchor, anchor_less)

/* Finds the sequences that are in both once, by their positions in a. */
static bool find_anchors(struct token_span a, struct token_span b, const uint32_t *to,
			 const uint32_t *from, uint32_t length, struct anchor_vec *out)
{
	struct gram_vec grams = {0};
	bool ok =
		add_grams(a, to, length, false, &grams) && add_grams(b, from, length, true, &grams);

	if (ok)
		sort_grams(grams.at, grams.len);
	for (size_t i = 0, end; ok && i < grams.len; i = end) {
		for (end = i + 1; end < grams.len && grams.at[end].key == grams.at[i].key;)
			end++;
		if (end - i == 2 && !grams.at[i].second && grams.at[i + 1].second)
			ok = anchor_vec_push(out,
					     (struct anchor){grams.at[i].at, grams.at[i + 1].at});
	}
	gram_vec_free(&grams);
	if (ok)
		sort_anchors(out->at, out->len);
	return ok;
}

/* Keeps the longest part of the anchors that ascends in b, too. */
static bool keep_ascending(struct anchor_vec *anchors)
{
	size_t count = anchors->len, len = 0;
	uint32_t *last = malloc((count + 1) * sizeof(*last)),
		 *before = malloc((count + 1) * sizeof(*before));
	bool ok = last && before;

	for (uint32_t i = 0; ok && i < count; i++) {
		size_t low = 0, high = len;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (anchors->at[last[middle]].b < anchors->at[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? last[low - 1] : UINT32_MAX;
		last[low] = i;
		len += low == len;
	}
	/* The chain is read from its end, and those kept move to the front once all are marked. */
	uint32_t at = ok && len ? last[len - 1] : UINT32_MAX;
	for (size_t i = len; ok && i-- > 0; at = before[at])
		last[i] = at;
	for (size_t i = 0; ok && i < len; i++)
		anchors->at[i] = anchors->at[last[i]];
	anchors->len = ok ? len : anchors->len;
	free(last);
	free(before);
	return ok;
}

/* ---- both ---- */

static struct token_span part(struct token_span span, uint32_t first, uint32_t end)
{
	return (struct token_span){span.at + first, end - first};
}

static bool align_gap(struct token_span a, struct token_span b, uint64_t *budget, uint32_t *to)
{
	uint64_t cells = (uint64_t)a.count * b.count;

	if (!cells || cells > CELLS_MOST || cells > *budget)
		return true;
	*budget -= cells;
	return align_all(a, b, to);
}

static void shift(uint32_t *to, uint32_t count, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] += to[i] == ALIGN_NONE ? 0 : by;
}

static bool align_between(struct token_span a, struct token_span b, uint64_t *budget, uint32_t *to)
{
	struct anchor_vec anchors = {0};
	bool ok = find_anchors(a, b, NULL, NULL, ANCHOR, &anchors) && keep_ascending(&anchors);
	uint32_t done_a = 0, done_b = 0;

	for (size_t i = 0; ok && i <= anchors.len; i++) {
		struct anchor next =
			i < anchors.len ? anchors.at[i] : (struct anchor){a.count, b.count};
		if (next.a < done_a || next.b < done_b)
			continue;
		ok = align_gap(part(a, done_a, next.a), part(b, done_b, next.b), budget,
			       to + done_a);
		shift(to + done_a, next.a - done_a, done_b);
		for (uint32_t k = 0; i < anchors.len && k < ANCHOR; k++)
			to[next.a + k] = next.b + k;
		done_a = next.a + ANCHOR;
		done_b = next.b + ANCHOR;
	}
	anchor_vec_free(&anchors);
	return ok;
}

bool align(struct token_span a, struct token_span b, bool weak, uint64_t *budget, uint32_t *to)
{
	uint32_t both = a.count < b.count ? a.count : b.count, head = 0, tail = 0;

	for (uint32_t i = 0; i < a.count; i++)
		to[i] = ALIGN_NONE;
	for (; head < both && a.at[head].exact == b.at[head].exact; head++)
		to[head] = head;
	for (;
	     tail < both - head && a.at[a.count - tail - 1].exact == b.at[b.count - tail - 1].exact;
	     tail++)
		to[a.count - tail - 1] = b.count - tail - 1;
	struct token_span rest_a = part(a, head, a.count - tail),
			  rest_b = part(b, head, b.count - tail);
	uint64_t cells = (uint64_t)rest_a.count * rest_b.count;
	bool ok = cells > CELLS_MOST || cells > *budget ?
			  align_between(rest_a, rest_b, budget, to + head) :
			  align_gap(rest_a, rest_b, budget, to + head);
	shift(to + head, rest_a.count, head);
	if (!weak)
		drop_weak(a, b, to);
	return ok;
}

/* Extends a match in both directions, as far as the shapes are the same. */
static void extend(struct token_span a, struct token_span b, struct anchor at, uint32_t *to,
		   uint32_t *from)
{
	for (int step = -1; step <= 1; step += 2) {
		for (uint32_t i = at.a, k = at.b;
		     i < a.count && k < b.count && to[i] == ALIGN_NONE && from[k] == ALIGN_NONE &&
		     a.at[i].shape == b.at[k].shape;
		     i += (uint32_t)step, k += (uint32_t)step) {
			to[i] = k;
			from[k] = i;
		}
		at.a += step < 0;
		at.b += step < 0;
	}
}

bool align_moved(struct token_span a, struct token_span b, uint32_t *to, uint32_t *from)
{
	struct anchor_vec anchors = {0};
	bool ok = find_anchors(a, b, to, from, ANCHOR, &anchors);

	for (size_t i = 0; ok && i < anchors.len; i++)
		extend(a, b, anchors.at[i], to, from);
	anchor_vec_free(&anchors);
	return ok;
}
