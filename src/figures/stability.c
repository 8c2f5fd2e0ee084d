/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/stability.h"

#include <stdlib.h>

#include "src/base/sort.h"

#define NO_BLOCK UINT32_MAX
#define HOT_SHARE 0.9 /* the fewest blocks that hold so much are hot */

/* A block begins where control arrived in one of the halves, and at the beginning of its function. */
struct place {
	uint32_t function; /* its number, by name, in the binary */
	uint32_t at;
	uint64_t counts[2]; /* how often control arrived there */
	bool hot[2];
};
DEFINE_VEC(place_vec, struct place);

/* From a block to another, and how often in each half. */
struct block_edge {
	uint32_t from, to; /* numbers of places */
	uint64_t counts[2];
};
DEFINE_VEC(block_edge_vec, struct block_edge);

/* The layout of a half: chains of blocks, each of which falls through to the next. */
struct chains {
	uint32_t *next, *before; /* by place; NO_BLOCK: none */
	uint32_t *head;          /* by place: a place that is nearer to the first of its chain, or that itself */
	bool *seen;              /* by place: the half has counts of what it led to */
};

struct taking {
	struct place_vec places; /* by function, then by offset */
	struct block_edge_vec edges;
	double calls[2]; /* which are taken in every layout, and return */
};

static bool place_less(const struct place *a, const struct place *b)
{
	return a->function != b->function ? a->function < b->function : a->at < b->at;
}
DEFINE_SORT(sort_places, struct place, place_less)

static bool edge_less(const struct block_edge *a, const struct block_edge *b)
{
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}
DEFINE_SORT(sort_edges, struct block_edge, edge_less)

/* ---- blocks ---- */

/* Within a function, but not to its first block: before that nothing falls through. */
static bool is_way(const struct record *record)
{
	return record->kind == RECORD_BRANCH && record->from.function == record->to.function && record->to.offset;
}

static uint32_t number_of(const struct profile *profile, const struct function *function)
{
	return (uint32_t)functions_name_number(&profile->binary->functions, function).v;
}

static bool list_places(const struct profile *half, struct place_vec *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (!is_way(&record))
			continue;
		uint32_t function = number_of(half, record.from.function);
		ok = place_vec_push(out, (struct place){.function = function}) && place_vec_push(out, (struct place){.function = function, .at = record.to.offset});
	}
	return ok;
}

static void sort_once(struct place_vec *places)
{
	size_t kept = 0;

	if (places->len)
		sort_places(places->at, places->len);
	for (size_t i = 0; i < places->len; i++)
		if (!kept || place_less(&places->at[kept - 1], &places->at[i]))
			places->at[kept++] = places->at[i];
	places->len = kept;
}

DEFINE_SEARCH(place_behind, struct place, const struct place *, !place_less(key, item))

/* The block that holds an offset of a function that has blocks. */
static uint32_t block_at(const struct place_vec *places, uint32_t function, uint32_t at)
{
	const struct place wanted = {.function = function, .at = at};

	return (uint32_t)(place_behind(places->at, places->len, &wanted) - 1);
}

/* ---- edges ---- */

static bool list_edges(struct taking *t, const struct profile *half, int which)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (!is_way(&record)) {
			t->calls[which] += record.kind == RECORD_BRANCH ? (double)record.count : 0;
			continue;
		}
		uint32_t function = number_of(half, record.from.function);
		struct block_edge edge = {block_at(&t->places, function, record.from.offset), block_at(&t->places, function, record.to.offset), {0}};
		edge.counts[which] = record.count;
		struct place *to = &t->places.at[edge.to];
		to->counts[which] = count_add_saturating(to->counts[which], record.count);
		ok = block_edge_vec_push(&t->edges, edge);
	}
	return ok;
}

static void add_up(struct block_edge_vec *edges)
{
	size_t kept = 0;

	if (edges->len)
		sort_edges(edges->at, edges->len);
	for (size_t i = 0; i < edges->len; i++) {
		struct block_edge *last = kept ? &edges->at[kept - 1] : NULL;
		if (!last || edge_less(last, &edges->at[i])) {
			edges->at[kept++] = edges->at[i];
			continue;
		}
		for (int k = 0; k < 2; k++)
			last->counts[k] = count_add_saturating(last->counts[k], edges->at[i].counts[k]);
	}
	edges->len = kept;
}

/* ---- layouts ---- */

static uint32_t head_of(const struct chains *chains, uint32_t place)
{
	while (chains->head[place] != place) {
		chains->head[place] = chains->head[chains->head[place]];
		place = chains->head[place];
	}
	return place;
}

static bool chains_make(size_t places, struct chains *out)
{
	out->next = malloc((places + 1) * sizeof(*out->next));
	out->before = malloc((places + 1) * sizeof(*out->before));
	out->head = malloc((places + 1) * sizeof(*out->head));
	out->seen = calloc(places + 1, sizeof(*out->seen));
	if (!out->next || !out->before || !out->head || !out->seen)
		return false;
	for (uint32_t i = 0; i < places; i++) {
		out->next[i] = out->before[i] = NO_BLOCK;
		out->head[i] = i;
	}
	return true;
}

static void chains_free(struct chains *chains)
{
	free(chains->next);
	free(chains->before);
	free(chains->head);
	free(chains->seen);
}

static bool more_in_first(const struct block_edge *a, const struct block_edge *b)
{
	return a->counts[0] != b->counts[0] ? a->counts[0] > b->counts[0] : edge_less(a, b);
}
DEFINE_SORT(sort_by_first, struct block_edge, more_in_first)

static bool more_in_second(const struct block_edge *a, const struct block_edge *b)
{
	return a->counts[1] != b->counts[1] ? a->counts[1] > b->counts[1] : edge_less(a, b);
}
DEFINE_SORT(sort_by_second, struct block_edge, more_in_second)

/* Lays a half out: the edge with the highest count first, a block is put behind another one if nothing stands between them yet. */
static void lay_out(struct block_edge_vec *edges, int which, struct chains *out)
{
	if (edges->len)
		(which ? sort_by_second : sort_by_first)(edges->at, edges->len);
	for (size_t i = 0; i < edges->len && edges->at[i].counts[which]; i++) {
		const struct block_edge *edge = &edges->at[i];
		uint32_t head = head_of(out, edge->from);
		out->seen[edge->from] = true;
		if (out->next[edge->from] != NO_BLOCK || out->before[edge->to] != NO_BLOCK || head == edge->to)
			continue;
		out->next[edge->from] = edge->to;
		out->before[edge->to] = edge->from;
		out->head[edge->to] = head;
	}
}

/* Taken branches of a half in a layout.  A block that the layout's half has not seen stands anywhere: every second of its branches is taken. */
static double taken(const struct taking *t, int which, const struct chains *layout)
{
	double sum = 2 * t->calls[which];

	for (size_t i = 0; i < t->edges.len; i++) {
		const struct block_edge *edge = &t->edges.at[i];
		double count = (double)edge->counts[which];
		if (!layout->seen[edge->from])
			sum += count / 2;
		else if (layout->next[edge->from] != edge->to)
			sum += count;
	}
	return sum;
}

static bool compare_layouts(struct taking *t, struct stability *out)
{
	struct chains layouts[2] = {0};
	bool ok = chains_make(t->places.len, &layouts[0]) && chains_make(t->places.len, &layouts[1]);

	for (int which = 0; ok && which < 2; which++)
		lay_out(&t->edges, which, &layouts[which]);
	for (int which = 0; ok && which < 2; which++) {
		double others = taken(t, which, &layouts[!which]);
		out->layout += others > 0 ? 50 * taken(t, which, &layouts[which]) / others : 0;
	}
	out->layout = out->layout > 100 ? 100 : out->layout; /* a layout is made step by step, so that another one can be better by chance */
	chains_free(&layouts[0]);
	chains_free(&layouts[1]);
	return ok;
}

/* ---- counts of blocks ---- */

static bool hotter_in_first(const struct place *a, const struct place *b)
{
	return a->counts[0] != b->counts[0] ? a->counts[0] > b->counts[0] : place_less(a, b);
}
DEFINE_SORT(sort_hot_in_first, struct place, hotter_in_first)

static bool hotter_in_second(const struct place *a, const struct place *b)
{
	return a->counts[1] != b->counts[1] ? a->counts[1] > b->counts[1] : place_less(a, b);
}
DEFINE_SORT(sort_hot_in_second, struct place, hotter_in_second)

static double sum_of(const struct place_vec *places, int which)
{
	double sum = 0;

	for (size_t i = 0; i < places->len; i++)
		sum += (double)places->at[i].counts[which];
	return sum;
}

/* Marks what is hot.  Leaves the places in another order. */
static void mark_hot(struct place_vec *places, int which, double sum)
{
	double seen = 0;

	if (places->len)
		(which ? sort_hot_in_second : sort_hot_in_first)(places->at, places->len);
	for (size_t i = 0; i < places->len && seen < sum * HOT_SHARE; i++) {
		seen += (double)places->at[i].counts[which];
		places->at[i].hot[which] = true;
	}
}

static void compare_counts(struct place_vec *places, struct stability *out)
{
	const double sums[2] = {sum_of(places, 0), sum_of(places, 1)};

	if (!(sums[0] > 0) || !(sums[1] > 0)) {
		out->hot_differ = 100;
		return;
	}
	for (int which = 0; which < 2; which++)
		mark_hot(places, which, sums[which]);
	for (size_t i = 0; i < places->len; i++) {
		const struct place *p = &places->at[i];
		double shares[2] = {100 * (double)p->counts[0] / sums[0], 100 * (double)p->counts[1] / sums[1]};
		out->overlap += shares[0] < shares[1] ? shares[0] : shares[1];
		for (int which = 0; which < 2; which++)
			if (p->hot[which] && !p->hot[!which])
				out->hot_differ += shares[which] / 2;
	}
	out->overlap = out->overlap > 100 ? 100 : out->overlap; /* rounding */
}

bool stability_take(const struct profile halves[2], double moved, struct stability *out, struct bc_error *err)
{
	struct taking t = {0};

	*out = (struct stability){0};
	bool ok = list_places(&halves[0], &t.places) && list_places(&halves[1], &t.places);
	sort_once(&t.places);
	ok = ok && list_edges(&t, &halves[0], 0) && list_edges(&t, &halves[1], 1);
	add_up(&t.edges);
	ok = ok && compare_layouts(&t, out);
	if (ok)
		compare_counts(&t.places, out);
	out->percent = out->layout * (1 - moved / 100);
	place_vec_free(&t.places);
	block_edge_vec_free(&t.edges);
	return ok || bc_fail_nomem(err);
}
