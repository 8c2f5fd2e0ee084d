/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/infer/flow.h"

#include <stdlib.h>

#include "src/base/attr.h"
#include "src/infer/network.h"

/* Costs are in 1 / (10^4 * FLOW_UNITS). */
#define COST_ONE 10000
#define COST_SMALL 1              /* an edge or an entry: a flow in a circle must cost something */
#define COST_SELDOM (16 * COST_ONE) /* an exception that comes from outside, a call that does not return */
#define COST_NEVER (INT64_C(1) << 40) /* samples, and no way in: more than any way through a function */

/* The pieces of the cost of one instruction, by r, the count in terms of what the samples say: where each
 * ends, in 80ths, and 10^4 * (1 - 1 / r) at the geometric mean of its ends. */
static const struct piece {
	uint32_t end;
	int32_t slope;
} pieces[] = {
	{5, -310000}, {10, -103137}, {20, -46569}, {40, -18284}, {56, -6903}, {80, -1952},
	{112, 1548},  {160, 4024},   {320, 6464},  {640, 8232},  {UINT32_MAX, 9091},
};
#define PIECES BC_COUNT(pieces)

/* The arcs and nodes of a block in the network, by number. */
struct block_arcs {
	size_t curve;
	size_t entry, no_entry;
	bool has_entry, has_no_entry;
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

/* The count that the samples of the block alone suggest, in 80ths of it at `end`. */
static int64_t count_at(const struct flow_block *block, uint32_t end)
{
	uint64_t said = block->samples * FLOW_UNITS / block->instructions;

	return end == UINT32_MAX ? NETWORK_MOST : (int64_t)(said * end / 80);
}

/* The pieces of a block that was sampled.  Returns how many there are. */
static size_t curve_of_samples(const struct flow_block *block, struct curve_piece *curve)
{
	int64_t begin = 0;
	size_t count = 0;

	for (size_t i = 0; i < PIECES; i++) {
		int64_t end = count_at(block, pieces[i].end);
		if (end > begin)
			curve[count++] = (struct curve_piece){end - begin, (int64_t)pieces[i].slope * block->instructions};
		begin = end;
	}
	return count;
}

/* No sample of many means never.  With few samples, blocks that run now and then have none either: as if each had a
 * thirty-second of one, so that a little of the flow takes ways that llvm-bolt would make cold. */
static size_t curve_of_none(const struct flow_block *block, bool sparse, struct curve_piece *curve)
{
	int64_t n = block->instructions, little = sparse ? FLOW_UNITS / 32 / n : 0;

	if (!little) {
		curve[0] = (struct curve_piece){NETWORK_MOST, COST_ONE * n};
		return 1;
	}
	curve[0] = (struct curve_piece){little, -6903 * n};
	curve[1] = (struct curve_piece){2 * little, 1548 * n};
	curve[2] = (struct curve_piece){NETWORK_MOST, 9091 * n};
	return 3;
}

static size_t curve_of(const struct flow_block *block, bool sparse, struct curve_piece *curve)
{
	if (!block->vanishes)
		return block->samples ? curve_of_samples(block, curve) : curve_of_none(block, sparse, curve);
	curve[0] = (struct curve_piece){NETWORK_MOST, 0};
	return 1;
}

static void add_block(struct builder *b, uint32_t number)
{
	struct curve_piece curve[PIECES];
	size_t count = curve_of(&b->problem->blocks[number], b->problem->sparse, curve);

	b->blocks[number].curve = network_add_curve(&b->network, node_in(number), node_out(number), curve, count);
}

/* Sends one unit through the entry.  A function that ran was entered, even if only a loop in it has
 * samples: without this, a flow that turns in the loop and never came in would be as likely.  The
 * unit is taken back where nothing leads out. */
static void add_first_entry(struct builder *b, uint32_t number)
{
	struct block_arcs *arcs = &b->blocks[number];
	uint32_t outside = node_outside(b->problem);

	network_supply(&b->network, node_in(number), 1);
	network_demand(&b->network, outside, 1);
	arcs->has_no_entry = true;
	arcs->no_entry = network_add(&b->network, node_in(number), outside, 1, COST_NEVER);
}

static void add_outside(struct builder *b, uint32_t number)
{
	const struct flow_block *block = &b->problem->blocks[number];
	uint32_t outside = node_outside(b->problem);
	struct block_arcs *arcs = &b->blocks[number];

	if (block->entry)
		add_first_entry(b, number);
	if (block->entry || block->pad) {
		arcs->has_entry = true;
		arcs->entry = network_add(&b->network, outside, node_in(number), NETWORK_MOST,
					  block->entry ? COST_SMALL : COST_SELDOM);
	}
	if (block->leaves || block->may_end)
		network_add(&b->network, node_out(number), outside, NETWORK_MOST, block->leaves ? 0 : COST_SELDOM);
}

static void build(struct builder *b)
{
	const struct flow_problem *problem = b->problem;

	for (uint32_t i = 0; i < problem->block_count; i++)
		add_block(b, i);
	for (uint32_t i = 0; i < problem->edge_count; i++)
		b->edges[i] = network_add(&b->network, node_out(problem->edges[i].from),
					  node_in(problem->edges[i].to), NETWORK_MOST, COST_SMALL);
	for (uint32_t i = 0; i < problem->block_count; i++)
		add_outside(b, i);
}

static uint64_t entries_of(const struct builder *b, const struct block_arcs *arcs)
{
	int64_t count = 0;

	if (arcs->has_entry)
		count += network_flow(&b->network, arcs->entry);
	if (arcs->has_no_entry)
		count += 1 - network_flow(&b->network, arcs->no_entry);
	return (uint64_t)count;
}

static void read_counts(const struct builder *b, struct flow_counts *out)
{
	for (uint32_t i = 0; i < b->problem->block_count; i++) {
		const struct block_arcs *arcs = &b->blocks[i];
		out->blocks[i] = (uint64_t)network_curve_flow(&b->network, arcs->curve);
		out->entries[i] = entries_of(b, arcs);
	}
	for (uint32_t i = 0; i < b->problem->edge_count; i++)
		out->edges[i] = (uint64_t)network_flow(&b->network, b->edges[i]);
}

static enum flow_result solve(struct builder *b, struct flow_counts *out)
{
	if (!b->blocks || !b->edges)
		return FLOW_NO_MEMORY;
	build(b);
	uint64_t steps = b->network.arcs.len * FLOW_STEPS_EACH;
	switch (network_solve(&b->network, steps < FLOW_STEPS ? steps : FLOW_STEPS)) {
	case NETWORK_SOLVED:
		read_counts(b, out);
		return FLOW_SOLVED;
	case NETWORK_NO_MEMORY:
		return FLOW_NO_MEMORY;
	case NETWORK_NO_WAY: /* it cannot happen: each supply can be taken back */
	case NETWORK_TOO_MUCH:
		break;
	}
	return FLOW_TOO_MUCH;
}

enum flow_result flow_solve(const struct flow_problem *problem, struct flow_counts *out)
{
	struct builder b = {.problem = problem};

	network_init(&b.network, 2 * problem->block_count + 1);
	b.blocks = calloc((size_t)problem->block_count + 1, sizeof(*b.blocks));
	b.edges = calloc((size_t)problem->edge_count + 1, sizeof(*b.edges));
	enum flow_result result = solve(&b, out);
	network_free(&b.network);
	free(b.blocks);
	free(b.edges);
	return result;
}
