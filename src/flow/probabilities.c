/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/probabilities.h"

#include <stdlib.h>

/* Steps for each block and edge.  In Lua, SQLite and C++ by clang no function takes more than 32.
 */
#define STEPS_EACH   256
#define STEPS_ALWAYS ((uint64_t)1 << 16)

/* For memory likewise: arcs for each block and edge. */
#define ARCS_EACH   4
#define ARCS_ALWAYS ((uint64_t)1 << 16)

#define NO_EDGE UINT32_MAX

/* An edge in two lists: of those that leave a block, and of those that enter one. */
struct arc {
	uint32_t from, to;
	uint32_t next_out, next_in;
	bool gone; /* it is no more, but in the list of what leaves or enters */
	double probability;
};
DEFINE_VEC(arc_vec, struct arc);

/* A block that is still in the graph. */
struct waiting {
	uint64_t ways; /* through it, when it was put there */
	uint32_t block;
};
DEFINE_VEC(waiting_vec, struct waiting);

struct node {
	uint32_t first_out, first_in; /* arcs; NO_EDGE: none */
	uint32_t outs, ins;
	bool done;
	double gain;
};

/* What a block that was taken out had from others. */
struct taken {
	uint32_t block;
	size_t first, end; /* in `shares` */
};
DEFINE_VEC(taken_vec, struct taken);

struct solver {
	struct node *nodes;
	uint32_t count;
	struct arc_vec arcs;
	struct waiting_vec heap;
	struct taken_vec taken;
	struct probable_edge_vec shares;
	uint32_t *arc_to; /* by block: the arc of one source to it, for a moment */
	uint64_t steps, most;
	size_t most_arcs;
	bool no_memory;
};

static double gain_of(double itself)
{
	double leaves = 1 - itself;

	return leaves * LOOP_LEAST < 1 ? LOOP_UNKNOWN : 1 / leaves;
}

/* ---- the blocks that are still there, that of the fewest ways first ---- */

static bool is_before(const struct waiting *a, const struct waiting *b)
{
	return a->ways != b->ways ? a->ways < b->ways : a->block < b->block;
}

static void heap_put(struct solver *s, uint32_t block)
{
	const struct waiting item = {(uint64_t)s->nodes[block].ins * s->nodes[block].outs, block};
	size_t at = s->heap.len;

	if (!waiting_vec_push(&s->heap, item)) {
		s->no_memory = true;
		return;
	}
	for (; at && is_before(&item, &s->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap.at[at] = s->heap.at[(at - 1) / 2];
	s->heap.at[at] = item;
}

static struct waiting heap_take(struct solver *s)
{
	struct waiting first = s->heap.at[0], item = s->heap.at[--s->heap.len];
	size_t at = 0, count = s->heap.len;

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && is_before(&s->heap.at[child + 1], &s->heap.at[child]);
		if (!is_before(&s->heap.at[child], &item))
			break;
		s->heap.at[at] = s->heap.at[child];
	}
	s->heap.at[at] = item;
	return first;
}

/* ---- the graph ---- */

/* False: out of memory, or there are too many. */
static bool arc_add(struct solver *s, uint32_t from, uint32_t to, double probability)
{
	struct node *source = &s->nodes[from], *target = &s->nodes[to];
	uint32_t number = (uint32_t)s->arcs.len;

	if (s->arcs.len >= s->most_arcs) {
		s->steps = s->most + 1;
		return false;
	}
	if (!arc_vec_push(&s->arcs, (struct arc){from, to, source->first_out, target->first_in,
						 false, probability})) {
		s->no_memory = true;
		return false;
	}
	source->first_out = target->first_in = number;
	source->outs++;
	target->ins++;
	return true;
}

/* Sets arc_to[] for what a block leads to, and drops arcs from its list that are gone. */
static void mark_outs(struct solver *s, uint32_t block)
{
	for (uint32_t *link = &s->nodes[block].first_out; *link != NO_EDGE; s->steps++) {
		struct arc *arc = &s->arcs.at[*link];
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no list of a block without arcs has a number */
		if (arc->gone) {
			*link = arc->next_out;
			continue;
		}
		s->arc_to[arc->to] = *link;
		link = &arc->next_out;
	}
}

static void unmark_outs(struct solver *s, uint32_t block)
{
	for (uint32_t i = s->nodes[block].first_out; i != NO_EDGE; i = s->arcs.at[i].next_out)
		s->arc_to[s->arcs.at[i].to] = NO_EDGE;
}

/* Adds to the arc of a block whose arcs are marked. */
static void lead_on(struct solver *s, uint32_t from, uint32_t to, double probability)
{
	s->steps++;
	if (s->arc_to[to] != NO_EDGE) {
		s->arcs.at[s->arc_to[to]].probability += probability;
		return;
	}
	if (arc_add(s, from, to, probability))
		s->arc_to[to] = s->nodes[from].first_out;
}

static void arc_remove(struct solver *s, uint32_t number)
{
	struct arc *arc = &s->arcs.at[number];

	arc->gone = true;
	s->nodes[arc->from].outs--;
	s->nodes[arc->to].ins--;
}

/* Takes a block out: whatever led to it leads to its successors. */
static void take_out(struct solver *s, uint32_t block)
{
	struct node *node = &s->nodes[block];
	struct taken taken = {.block = block, .first = s->shares.len};

	mark_outs(s, block);
	uint32_t loop = s->arc_to[block];
	unmark_outs(s, block);
	node->gain = gain_of(loop == NO_EDGE ? 0 : s->arcs.at[loop].probability);
	if (loop != NO_EDGE)
		arc_remove(s, loop);
	for (uint32_t in = node->first_in; in != NO_EDGE && !s->no_memory && s->steps <= s->most;
	     in = s->arcs.at[in].next_in) {
		s->steps++;
		if (s->arcs.at[in].gone)
			continue;
		uint32_t from = s->arcs.at[in].from;
		double probability = s->arcs.at[in].probability;
		s->no_memory |= !probable_edge_vec_push(
			&s->shares, (struct probable_edge){from, block, probability});
		arc_remove(s, in);
		mark_outs(s, from);
		for (uint32_t out = node->first_out; out != NO_EDGE; out = s->arcs.at[out].next_out)
			if (!s->arcs.at[out].gone)
				lead_on(s, from, s->arcs.at[out].to,
					probability * node->gain * s->arcs.at[out].probability);
		unmark_outs(s, from);
	}
	for (uint32_t out = node->first_out; out != NO_EDGE; out = s->arcs.at[out].next_out)
		if (!s->arcs.at[out].gone)
			arc_remove(s, out);
	node->done = true;
	taken.end = s->shares.len;
	s->no_memory |= !taken_vec_push(&s->taken, taken);
}

static void build(struct solver *s, const struct probable_edge *edges, size_t edge_count)
{
	for (uint32_t i = 0; i < s->count; i++) {
		s->nodes[i].first_out = s->nodes[i].first_in = NO_EDGE;
		s->arc_to[i] = NO_EDGE;
	}
	for (size_t i = 0; i < edge_count && !s->no_memory;) {
		uint32_t from = edges[i].from;
		mark_outs(s, from);
		for (; i < edge_count && edges[i].from == from && !s->no_memory; i++)
			lead_on(s, from, edges[i].to, edges[i].probability);
		unmark_outs(s, from);
	}
	for (uint32_t i = 1; i < s->count && !s->no_memory; i++)
		heap_put(s, i);
}

static void eliminate(struct solver *s)
{
	while (s->heap.len && !s->no_memory && s->steps <= s->most) {
		struct waiting next = heap_take(s);
		const struct node *node = &s->nodes[next.block];
		s->steps++;
		if (!node->done && (uint64_t)node->ins * node->outs > next.ways)
			heap_put(s, next.block);
		else if (!node->done)
			take_out(s, next.block);
	}
}

static void go_back(const struct solver *s, double *runs)
{
	double loop = 0;

	for (uint32_t i = s->nodes[0].first_out; i != NO_EDGE; i = s->arcs.at[i].next_out)
		loop += s->arcs.at[i].gone ?
				0 :
				s->arcs.at[i].probability; /* to itself: no other block is left */
	runs[0] = gain_of(loop);
	for (size_t i = s->taken.len; i-- > 0;) {
		const struct taken *taken = &s->taken.at[i];
		double sum = 0;
		for (size_t k = taken->first; k < taken->end; k++)
			sum += runs[s->shares.at[k].from] * s->shares.at[k].probability;
		runs[taken->block] = sum * s->nodes[taken->block].gain;
	}
}

enum probabilities_result probabilities_solve(const struct probable_edge *edges, size_t edge_count,
					      uint32_t blocks, double *runs)
{
	uint64_t size = (uint64_t)blocks + edge_count;
	struct solver s = {.count = blocks, .most = STEPS_ALWAYS + STEPS_EACH * size};
	enum probabilities_result result = PROBABILITIES_SOLVED;

	s.most_arcs =
		(size_t)(size < NO_EDGE / ARCS_EACH / 2 ? ARCS_ALWAYS + ARCS_EACH * size : NO_EDGE);
	s.nodes = calloc((size_t)blocks + 1, sizeof(*s.nodes));
	s.arc_to = calloc((size_t)blocks + 1, sizeof(*s.arc_to));
	s.no_memory = !s.nodes || !s.arc_to;
	if (!s.no_memory && blocks) {
		build(&s, edges, edge_count);
		eliminate(&s);
	}
	if (s.no_memory)
		result = PROBABILITIES_NO_MEMORY;
	else if (s.steps > s.most)
		result = PROBABILITIES_TOO_MUCH;
	else if (blocks)
		go_back(&s, runs);
	free(s.nodes);
	free(s.arc_to);
	arc_vec_free(&s.arcs);
	waiting_vec_free(&s.heap);
	taken_vec_free(&s.taken);
	probable_edge_vec_free(&s.shares);
	return result;
}
