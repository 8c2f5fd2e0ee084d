/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A flow of least cost through a network, in whole numbers.
 *
 * Nodes have supplies and demands, arcs have capacities and costs.  The solver brings every unit of
 * supply to a demand, and all of it together as cheaply as can be.  It is the method of successive
 * shortest paths (Edmonds and Karp 1972: with potentials, so that Dijkstra's search serves), and along all
 * paths of one length at once.
 *
 * Of several flows of equal cost it is always the same one: nodes of equal distance are visited by number, and
 * arcs of a node in the order in which they were added.
 */
#ifndef INFER_NETWORK_H
#define INFER_NETWORK_H

#include "src/base/vec.h"
#include "src/infer/curve.h"

/* The limit of each capacity, and of the sum of all supplies. */
#define NETWORK_MOST ((int64_t)1 << 60)

struct network_arc {
	uint32_t from, to;
	int64_t capacity; /* what is left of it */
	int64_t cost;     /* of one unit */
};
DEFINE_VEC(network_arc_vec, struct network_arc);

struct network {
	uint32_t nodes;              /* numbers from 0; the source and the sink are the two behind them */
	struct network_arc_vec arcs; /* the second of each pair is the way back of the first */
	struct curve_piece_vec pieces; /* of all curves */
	struct curve_vec curves;
	int64_t supplied;
	bool no_memory;
};

void network_init(struct network *network, uint32_t nodes);
void network_free(struct network *network);

/* Add an arc; costs are not negative.  Returns its number.  When memory runs out, network_solve() says it. */
size_t network_add(struct network *network, uint32_t from, uint32_t to, int64_t capacity, int64_t cost);

/* Adds an arc of rising costs: at least one piece, each more costly than the one before.  Pieces of
 * negative cost are filled at once; network_solve() can take that back.  Returns the number of the
 * curve. */
size_t network_add_curve(struct network *network, uint32_t from, uint32_t to, const struct curve_piece *pieces, size_t count);

/* Adds a supply at a node, or a demand. */
void network_supply(struct network *network, uint32_t node, int64_t amount);
void network_demand(struct network *network, uint32_t node, int64_t amount);

enum network_result {
	NETWORK_SOLVED,
	NETWORK_NO_WAY,   /* some supply cannot reach any demand */
	NETWORK_TOO_MUCH, /* more than `steps` arcs would be looked at */
	NETWORK_NO_MEMORY,
};

enum network_result network_solve(struct network *network, uint64_t steps);

/* Returns the flow through an arc that network_add() numbered. */
static inline int64_t network_flow(const struct network *network, size_t arc)
{
	return network->arcs.at[arc + 1].capacity;
}

/* Returns the flow through a curve that network_add_curve() numbered. */
int64_t network_curve_flow(const struct network *network, size_t curve);

#endif
