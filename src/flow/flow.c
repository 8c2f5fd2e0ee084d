/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/flow.h"

#include <stdlib.h>

#include "src/base/attr.h"
#include "src/flow/network.h"

/* Costs are in 1 / (10^4 * FLOW_UNITS * COST_EDGE). */
#define COST_EDGE (1 << 16) /* an edge or an entry: a flow in a loop must cost something */
#define COST_ONE  (INT64_C(10000) * COST_EDGE)
#define COST_SELDOM                                                                                \
	(16 * COST_ONE) /* an exception that comes from outside, a call that does not return */
#define COST_NEVER                                                                                 \
	((INT64_C(1) << 40) *                                                                      \
	 COST_EDGE) /* samples, and no path in: more than any path through a function */

/* What a jump costs that passes the next block, in 1 / 10^4: half of it with so many samples. */
#define COST_JUMP    12000
#define JUMP_SAMPLES 8

/* The segments of the cost of one instruction, by r, the count in terms of what the samples say:
 * where each ends, in 80ths, and 10^4 * (1 - 1 / r) at the geometric mean of its ends. */
static const struct {
	uint32_t end;
	int32_t slope;
} slopes[] = {
	{5, -310000}, {10, -103137}, {20, -46569}, {40, -18284}, {56, -6903},        {80, -1952},
	{112, 1548},  {160, 4024},   {320, 6464},  {640, 8232},  {UINT32_MAX, 9091},
};
#define PIECES BC_COUNT(slopes)

/* The arcs and nodes of a block in the network, by number. */
struct block_arcs {
	size_t curve, entry;
	bool has_entry;
};

struct builder {
	const struct flow_problem *problem;
	struct network network;
	struct block_arcs *blocks;
	size_t *edges;
};

static uint32_t node_in(uint32_t block)
{
	return 2 * block;
}

static uint32_t node_out(uint32_t block)
{
	return 2 * block + 1;
}

static uint32_t node_outside(const struct flow_problem *problem)
{
	return 2 * problem->block_count;
}

/* Samples that show how often the block ran. */
static uint64_t said_samples(const struct flow_block *block)
{
	return block->removable ? 0 : block->samples;
}

/* The count that these alone suggest. */
static uint64_t said_count(const struct flow_block *block)
{
	return said_samples(block) * FLOW_UNITS / block->instructions;
}

/* The same in 80ths of it, at `end`. */
static int64_t count_at(const struct flow_block *block, uint32_t end)
{
	return end == UINT32_MAX ? NETWORK_MOST : (int64_t)(said_count(block) * end / 80);
}

/* The segments of a block that was sampled.  Returns how many there are. */
static size_t curve_of_samples(const struct flow_block *block, struct network_piece *curve)
{
	int64_t begin = 0;
	size_t count = 0;

	for (size_t i = 0; i < PIECES; i++) {
		int64_t end = count_at(block, slopes[i].end);
		if (end > begin)
			curve[count++] = (struct network_piece){
				end - begin,
				(int64_t)slopes[i].slope * COST_EDGE * block->instructions};
		begin = end;
	}
	return count;
}

/* No sample of many means never.  With few samples, blocks that run now and then have none either:
 * as if each had a thirty-second of one, so that a little of the flow takes ways that llvm-bolt
 * would make cold. */
static size_t curve_of_none(const struct flow_block *block, bool sparse,
			    struct network_piece *curve)
{
	int64_t n = block->instructions, little = sparse ? FLOW_UNITS / 32 / n : 0;

	if (!little) {
		curve[0] = (struct network_piece){NETWORK_MOST, COST_ONE * n};
		return 1;
	}
	curve[0] = (struct network_piece){little, -6903 * COST_EDGE * n};
	curve[1] = (struct network_piece){2 * little, 1548 * COST_EDGE * n};
	curve[2] = (struct network_piece){NETWORK_MOST, 9091 * COST_EDGE * n};
	return 3;
}

static size_t curve_of(const struct flow_block *block, bool sparse, struct network_piece *curve)
{
	if (!block->removable)
		return block->samples ? curve_of_samples(block, curve) :
					curve_of_none(block, sparse, curve);
	curve[0] = (struct network_piece){NETWORK_MOST, 0};
	return 1;
}

static void add_block(struct builder *b, uint32_t number)
{
	struct network_piece curve[PIECES];
	size_t count = curve_of(&b->problem->blocks[number], b->problem->sparse, curve);

	b->blocks[number].curve =
		network_add(&b->network, node_in(number), node_out(number), curve, count);
}

static size_t add_arc(struct builder *b, uint32_t from, uint32_t to, int64_t cost)
{
	return network_add(&b->network, from, to, &(struct network_piece){NETWORK_MOST, cost}, 1);
}

/* The first unit through the entry gains: a function that ran was entered, even if only a loop in
 * it has samples.  Without this, a flow that turns in the loop and never came in would be as
 * likely. */
static void add_entry(struct builder *b, uint32_t number)
{
	const struct flow_block *block = &b->problem->blocks[number];
	const struct network_piece pieces[] = {
		{1, -COST_NEVER}, {NETWORK_MOST, block->entry ? COST_EDGE : COST_SELDOM}};
	size_t first = !block->entry;

	b->blocks[number].has_entry = true;
	b->blocks[number].entry =
		network_add(&b->network, node_outside(b->problem), node_in(number), &pieces[first],
			    BC_COUNT(pieces) - first);
}

static void add_outside(struct builder *b, uint32_t number)
{
	const struct flow_block *block = &b->problem->blocks[number];

	if (block->entry || block->pad)
		add_entry(b, number);
	if (block->leaves || block->may_end)
		add_arc(b, node_out(number), node_outside(b->problem),
			block->leaves ? 0 : COST_SELDOM);
}

/* For equally likely flows the one whose edges lead to the next block, or else less far, by the
 * square of the distance: two edges that cross cost more than two that do not. */
static int64_t edge_cost(const struct flow_problem *problem, const struct flow_edge *edge)
{
	uint64_t distance = edge->from < edge->to ? edge->to - edge->from : edge->from - edge->to;
	uint64_t share = distance * COST_EDGE / problem->block_count;

	if (problem->partial && edge->to == edge->from + 1)
		return COST_EDGE / 16;
	return COST_EDGE + (int64_t)(share * share / COST_EDGE / 2) +
	       (edge->to == edge->from + 1 ? 0 : COST_EDGE / 32);
}

/* As many samples that differ by chance only would show as much: however many there are of one
 * instruction, they show no more than 1 / uneven. */
static double shown_samples(const struct flow_problem *problem, uint32_t number)
{
	const struct flow_block *block = &problem->blocks[number];
	double samples = (double)said_samples(block);

	return samples / (1 + problem->uneven * samples / block->instructions);
}

/* Compilers let the likely way fall through.  So of two ways the one that jumps needs samples that
 * say so; many overrule what the compiler took for likely.  edges: all of a block.  Returns what
 * the jump costs. */
static int64_t jump_cost(const struct flow_problem *problem, const struct flow_edge *edges,
			 size_t count)
{
	uint32_t next = edges->from + 1;

	if (problem->partial || count != 2 || (edges[0].to != next && edges[1].to != next))
		return 0;
	double seen = shown_samples(problem, edges->from) + shown_samples(problem, edges[0].to) +
		      shown_samples(problem, edges[1].to);
	return (int64_t)(COST_JUMP * JUMP_SAMPLES / (JUMP_SAMPLES + seen)) * COST_EDGE;
}

/* How often an edge is taken if what leaves its block goes to each successor as often as that ran.
 * sum: of the successors. */
static int64_t fair_share(const struct flow_problem *problem, const struct flow_edge *edge,
			  double sum)
{
	double from = (double)said_count(&problem->blocks[edge->from]),
	       to = (double)said_count(&problem->blocks[edge->to]);

	return to > 0 ? (int64_t)(from * (to / sum)) : 0;
}

/* Adds the edges of a block.  Samples do not show which way an indirect jump went if others lead to
 * the same blocks: up to its fair share an edge costs less. */
static void add_edges(struct builder *b, uint32_t first, uint32_t end)
{
	const struct flow_edge *edges = b->problem->edges;
	int64_t jump = jump_cost(b->problem, &edges[first], end - first);
	double sum = 0;

	for (uint32_t i = first; i < end; i++)
		sum += (double)said_count(&b->problem->blocks[edges[i].to]);
	for (uint32_t i = first; i < end; i++) {
		int64_t fair = end - first > 2 ? fair_share(b->problem, &edges[i], sum) : 0,
			cost = edge_cost(b->problem, &edges[i]) +
			       (edges[i].to == edges[i].from + 1 ? 0 : jump);
		const struct network_piece pieces[] = {{fair, cost},
						       {NETWORK_MOST, cost + COST_EDGE / 2}};
		size_t none = fair == 0;
		b->edges[i] =
			network_add(&b->network, node_out(edges[i].from), node_in(edges[i].to),
				    &pieces[none], BC_COUNT(pieces) - none);
	}
}

static void build(struct builder *b)
{
	const struct flow_problem *problem = b->problem;

	for (uint32_t i = 0; i < problem->block_count; i++)
		add_block(b, i);
	for (uint32_t i = 0, end; i < problem->edge_count; i = end) {
		for (end = i; end < problem->edge_count &&
			      problem->edges[end].from == problem->edges[i].from;)
			end++;
		add_edges(b, i, end);
	}
	for (uint32_t i = 0; i < problem->block_count; i++)
		add_outside(b, i);
}

static void read_counts(const struct builder *b, struct flow_counts *out)
{
	for (uint32_t i = 0; i < b->problem->block_count; i++) {
		const struct block_arcs *arcs = &b->blocks[i];
		out->blocks[i] = (uint64_t)network_flow(&b->network, arcs->curve);
		out->entries[i] =
			arcs->has_entry ? (uint64_t)network_flow(&b->network, arcs->entry) : 0;
	}
	for (uint32_t i = 0; i < b->problem->edge_count; i++)
		out->edges[i] = (uint64_t)network_flow(&b->network, b->edges[i]);
}

static enum flow_result solve(struct builder *b, uint64_t *steps, struct flow_counts *out)
{
	if (!b->blocks || !b->edges)
		return FLOW_NO_MEMORY;
	build(b);
	switch (network_solve(&b->network, steps)) {
	case NETWORK_SOLVED: read_counts(b, out); return FLOW_SOLVED;
	case NETWORK_NO_MEMORY: return FLOW_NO_MEMORY;
	case NETWORK_TOO_MUCH: break;
	}
	return FLOW_TOO_MUCH;
}

enum flow_result flow_solve(const struct flow_problem *problem, uint64_t *steps,
			    struct flow_counts *out)
{
	struct builder b = {.problem = problem};

	network_init(&b.network, 2 * problem->block_count + 1);
	b.blocks = calloc((size_t)problem->block_count + 1, sizeof(*b.blocks));
	b.edges = calloc((size_t)problem->edge_count + 1, sizeof(*b.edges));
	enum flow_result result = solve(&b, steps, out);
	network_free(&b.network);
	free(b.blocks);
	free(b.edges);
	return result;
}
