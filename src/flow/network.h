/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A circulation of least cost through a network, in whole numbers.
 *
 * What enters a node leaves it.  The cost of an arc rises with its flow, segment by segment;
 * segments that cost less than nothing make something flow.  The method is the simplex for networks
 * (Dantzig 1951), with trees that are strongly feasible, so that it ends (Cunningham 1976).
 *
 * For several circulations of equal cost it always finds the same one, by the order in which nodes
 * and arcs are numbered.
 */
#ifndef FLOW_NETWORK_H
#define FLOW_NETWORK_H

#include "src/base/vec.h"

/* The width of a segment without an end. */
#define NETWORK_MOST ((int64_t)1 << 60)

/* The costs of all segments, without their signs, add up to less. */
#define NETWORK_MOST_COST ((uint64_t)1 << 60)

struct network_piece {
	int64_t width; /* above 0: so many more units can flow */
	int64_t cost;  /* of each; above that of the segment before */
};
DEFINE_VEC(network_piece_vec, struct network_piece);

struct network_arc {
	int64_t forth, back; /* what one unit more costs, and what the last one did, of an arc that
				is not in the tree */
	uint32_t from, to;
	uint32_t first, count; /* segments */
	uint32_t full;         /* so many of them are */
	int64_t within; /* the flow in the segment after these; 0 if the arc is not in the tree */
};
DEFINE_VEC(network_arc_vec, struct network_arc);

struct network {
	uint32_t nodes; /* numbers from 0 */
	struct network_arc_vec arcs;
	struct network_piece_vec pieces; /* of all arcs */
	uint64_t costs;                  /* the sum */
	bool no_memory;
};

void network_init(struct network *network, uint32_t nodes);
void network_free(struct network *network);

/* Adds an arc with at least one segment.  Returns its number.  When memory runs out,
 * network_solve() says it. */
size_t network_add(struct network *network, uint32_t from, uint32_t to,
		   const struct network_piece *pieces, size_t count);

enum network_result {
	NETWORK_SOLVED,
	NETWORK_TOO_MUCH, /* more steps, or larger costs, than the limit */
	NETWORK_NO_MEMORY,
};

/* Finds the circulation.  A step is an arc or a node that is looked at.  *steps: at most so many;
 * set to how many it took, which is a little more when it was too much. */
enum network_result network_solve(struct network *network, uint64_t *steps);

/* Returns the flow through an arc, after network_solve(). */
int64_t network_flow(const struct network *network, size_t arc);

#endif
