/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/layouts.h"

#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/base/vec.h"

#define NO_BLOCK  UINT32_MAX
#define HOT_SHARE 0.9 /* the fewest blocks that hold so much are hot */

/* A block begins where control arrived in one of the halves, and at the beginning of its function.
 */
struct place {
	uint32_t function; /* its number, by name, in the binary */
	uint32_t at;
	uint64_t counts[2]; /* how often control arrived there */
	uint64_t key;       /* the one of both that locations are sorted by */
	bool hot[2];
};
DEFINE_VEC(place_vec, struct place);

/* From a block to another, and how often in each half. */
struct block_edge {
	uint32_t from, to; /* numbers of locations */
	bool natural;      /* nothing is taken in the layout of the program without BOLT ... */
	bool kept;         /* ... which llvm-bolt keeps */
	uint64_t counts[2];
	uint64_t key; /* the one of both that edges are sorted by */
};
DEFINE_VEC(block_edge_vec, struct block_edge);

/* The layout of a half: chains of blocks, each of which falls through to the next. */
struct chains {
	uint32_t *next, *before; /* by location; NO_BLOCK: none */
	uint32_t *head; /* by location: a location that is nearer to the first of its chain, or that
			   itself */
	bool *seen;     /* by location: the half has counts of what it led to */
	bool *ran;      /* by location: the half has counts of it */
};

struct taking {
	struct place_vec places; /* by function, then by offset */
	struct block_edge_vec edges;
	double always[2]; /* what is taken in every layout: calls, returns, indirect jumps */
	const struct flow_code *code;
	const struct function *last; /* of which `graph` is; NULL: it is not known */
	const struct graph *graph;
};

static bool place_less(const struct place *a, const struct place *b)
{
	return a->function != b->function ? a->function < b->function : a->at < b->at;
}
DEFINE_SORT(sort_places, struct place, place_less)
DEFINE_UNIFY(unify_places, struct place, !place_less(last, item), (void)0)

static bool edge_less(const struct block_edge *a, const struct block_edge *b)
{
	return a->from != b->from ? a->from < b->from : a->to < b->to;
}
DEFINE_SORT(sort_edges, struct block_edge, edge_less)

static void add_counts(uint64_t to[2], const uint64_t counts[2])
{
	for (int k = 0; k < 2; k++)
		to[k] = count_add_saturating(to[k], counts[k]);
}
DEFINE_UNIFY(unify_edges, struct block_edge, !edge_less(last, item),
	     (last->natural |= item->natural, add_counts(last->counts, item->counts)))

/* ---- blocks ---- */

/* Within a function, but not to its first block: before that nothing falls through. */
static bool is_way(const struct record *record)
{
	return record->kind == RECORD_BRANCH && record->from.function == record->to.function &&
	       record->to.offset;
}

static uint32_t number_of(const struct profile *profile, const struct function *function)
{
	return (uint32_t)functions_name_number(&profile->binary->functions, function).v;
}

/* Most records of a function are next to each other. */
static const struct graph *graph_of(struct taking *t, const struct function *function)
{
	if (t->last != function) {
		t->last = function;
		t->graph = flow_graph_of(t->code, function);
	}
	return t->graph;
}

static uint32_t start_of(const struct graph *graph, uint32_t offset)
{
	return graph ? graph->blocks[graph_block_at(graph, offset)].start : offset;
}

static bool list_places(struct taking *t, const struct profile *half)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (!is_way(&record))
			continue;
		const struct graph *graph = graph_of(t, record.from.function);
		uint32_t function = number_of(half, record.from.function);
		ok = place_vec_push(&t->places, (struct place){.function = function}) &&
		     place_vec_push(&t->places,
				    (struct place){.function = function, .at = record.to.offset}) &&
		     (!graph ||
		      place_vec_push(&t->places,
				     (struct place){.function = function,
						    .at = start_of(graph, record.from.offset)}));
	}
	return ok;
}

DEFINE_SEARCH(place_behind, struct place, const struct place *, !place_less(key, item))

/* The block that holds an offset of a function that has blocks. */
static uint32_t block_at(const struct place_vec *places, uint32_t function, uint32_t at)
{
	const struct place wanted = {.function = function, .at = at};

	return (uint32_t)(place_behind(places->at, places->len, &wanted) - 1);
}

/* ---- edges ---- */

/* Does a block lead to another without a taken branch, in the layout of its code? */
static bool is_natural(const struct graph *graph, const struct record *record)
{
	uint32_t from = graph_block_at(graph, record->from.offset);

	return graph->blocks[from].to_next && from + 1 < graph->count &&
	       graph->blocks[from + 1].start == record->to.offset;
}

/* How many branches are taken in every layout for each count of a branch that is no edge. */
static int taken_always(const struct insn *insn, const struct record *record)
{
	bool jumps = insn && (insn_jumps(*insn) || insn->kind == INSN_JUMP_INDIRECT);

	return jumps || record->from.function->kind == FUNCTION_PLT ? 1 : 2; /* a call returns */
}

static bool list_edges(struct taking *t, const struct profile *half, int which)
{
	bool ok = true;

	for (size_t i = 0; ok && i < half->record_count; i++) {
		const struct record record = profile_record(half, i);
		if (record.kind != RECORD_BRANCH)
			continue;
		const struct graph *graph = graph_of(t, record.from.function);
		const struct insn *insn = graph ? graph_insn_at(graph, record.from.offset) : NULL;
		if (!is_way(&record)) {
			t->always[which] += (double)record.count * taken_always(insn, &record);
			continue;
		}
		uint32_t function = number_of(half, record.from.function);
		struct block_edge edge = {
			.from = block_at(&t->places, function, record.from.offset),
			.to = block_at(&t->places, function, record.to.offset),
			.natural = graph && is_natural(graph, &record),
			.kept = t->code->graphs && !(graph && flow_optimizes(graph))};
		edge.counts[which] = record.count;
		struct place *to = &t->places.at[edge.to];
		to->counts[which] = count_add_saturating(to->counts[which], record.count);
		if (insn && insn->kind == INSN_JUMP_INDIRECT)
			t->always[which] += (double)record.count;
		else
			ok = block_edge_vec_push(&t->edges, edge);
	}
	return ok;
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
	out->ran = calloc(places + 1, sizeof(*out->ran));
	if (!out->next || !out->before || !out->head || !out->seen || !out->ran)
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
	free(chains->ran);
}

static bool taken_more(const struct block_edge *a, const struct block_edge *b)
{
	return a->key != b->key ? a->key > b->key : edge_less(a, b);
}
DEFINE_SORT(sort_by_count, struct block_edge, taken_more)

/* Lays a half out: the edge with the highest count first, a block is put after another one if
 * nothing is between them yet. */
static void lay_out(struct block_edge_vec *edges, int which, struct chains *out)
{
	for (size_t i = 0; i < edges->len; i++)
		edges->at[i].key = edges->at[i].counts[which];
	sort_by_count(edges->at, edges->len);
	for (size_t i = 0; i < edges->len && edges->at[i].counts[which]; i++) {
		const struct block_edge *edge = &edges->at[i];
		uint32_t head = head_of(out, edge->from);
		out->seen[edge->from] = true;
		out->ran[edge->from] = out->ran[edge->to] = true;
		if (out->next[edge->from] != NO_BLOCK || out->before[edge->to] != NO_BLOCK ||
		    head == edge->to)
			continue;
		out->next[edge->from] = edge->to;
		out->before[edge->to] = edge->from;
		out->head[edge->to] = head;
	}
}

/* Taken branches of an edge of a half in a layout.  What the layout's half has not seen keeps its
 * position, as far as that is known; else it is anywhere, and every second of its branches is
 * taken. */
static double taken_of(const struct taking *t, const struct block_edge *edge, int which,
		       const struct chains *layout)
{
	double count = (double)edge->counts[which];

	if (!t->code->graphs && !layout->seen[edge->from])
		return count / 2;
	if (edge->kept || (t->code->graphs && !layout->ran[edge->from] && !layout->ran[edge->to]))
		return edge->natural ? 0 : count;
	return layout->next[edge->from] != edge->to ? count : 0;
}

static double taken(const struct taking *t, int which, const struct chains *layout)
{
	double sum = t->always[which];

	for (size_t i = 0; i < t->edges.len; i++)
		sum += taken_of(t, &t->edges.at[i], which, layout);
	return sum;
}

static double taken_before(const struct taking *t, int which)
{
	double sum = t->always[which];

	for (size_t i = 0; i < t->edges.len; i++)
		sum += t->edges.at[i].natural ? 0 : (double)t->edges.at[i].counts[which];
	return sum;
}

static bool compare_layouts(struct taking *t, struct stability *out, struct layouts_taken *all)
{
	struct chains layouts[2] = {0};
	bool ok =
		chains_make(t->places.len, &layouts[0]) && chains_make(t->places.len, &layouts[1]);

	for (int which = 0; ok && which < 2; which++)
		lay_out(&t->edges, which, &layouts[which]);
	for (int which = 0; ok && which < 2; which++) {
		double own = taken(t, which, &layouts[which]),
		       others = taken(t, which, &layouts[!which]);
		out->layout += others > 0 ? 50 * own / others : 0;
		all->before += taken_before(t, which);
		all->own += own;
		all->others += others;
	}
	all->known = ok && t->code->graphs && all->before > 0;
	out->layout =
		out->layout > 100 ? 100 : out->layout; /* a layout is made step by step, so that
							  another one can be better by chance */
	chains_free(&layouts[0]);
	chains_free(&layouts[1]);
	return ok;
}

/* ---- counts of blocks ---- */

static bool hotter(const struct place *a, const struct place *b)
{
	return a->key != b->key ? a->key > b->key : place_less(a, b);
}
DEFINE_SORT(sort_hot, struct place, hotter)

static double sum_of(const struct place_vec *places, int which)
{
	double sum = 0;

	for (size_t i = 0; i < places->len; i++)
		sum += (double)places->at[i].counts[which];
	return sum;
}

/* Marks what is hot.  Leaves the locations in another order. */
static void mark_hot(struct place_vec *places, int which, double sum)
{
	double seen = 0;

	for (size_t i = 0; i < places->len; i++)
		places->at[i].key = places->at[i].counts[which];
	sort_hot(places->at, places->len);
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
		double shares[2] = {100 * (double)p->counts[0] / sums[0],
				    100 * (double)p->counts[1] / sums[1]};
		out->overlap += shares[0] < shares[1] ? shares[0] : shares[1];
		for (int which = 0; which < 2; which++)
			if (p->hot[which] && !p->hot[!which])
				out->hot_differ += shares[which] / 2;
	}
	out->overlap = out->overlap > 100 ? 100 : out->overlap; /* rounding */
}

bool layouts_compare(const struct profile halves[2], double moved, const struct flow_code *code,
		     struct stability *out, struct layouts_taken *all, struct bc_error *err)
{
	struct taking t = {.code = code};

	*out = (struct stability){0};
	*all = (struct layouts_taken){0};
	bool ok = list_places(&t, &halves[0]) && list_places(&t, &halves[1]);
	sort_places(t.places.at, t.places.len);
	t.places.len = unify_places(t.places.at, t.places.len);
	ok = ok && list_edges(&t, &halves[0], 0) && list_edges(&t, &halves[1], 1);
	sort_edges(t.edges.at, t.edges.len);
	t.edges.len = unify_edges(t.edges.at, t.edges.len);
	ok = ok && compare_layouts(&t, out, all);
	if (ok)
		compare_counts(&t.places, out);
	out->percent = out->layout * (1 - moved / 100);
	place_vec_free(&t.places);
	block_edge_vec_free(&t.edges);
	return ok || bc_fail_nomem(err);
}
