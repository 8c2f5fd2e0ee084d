/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/network.h"

#include <stdlib.h>

#define NOTHING UINT32_MAX
#define FAR     ((int64_t)1 << 62) /* more than any cost and any difference of potentials */

void network_init(struct network *network, uint32_t nodes)
{
	*network = (struct network){.nodes = nodes};
}

void network_free(struct network *network)
{
	network_arc_vec_free(&network->arcs);
	network_piece_vec_free(&network->pieces);
}

static void add_cost(struct network *network, int64_t cost)
{
	uint64_t size = cost < 0 ? -(uint64_t)cost : (uint64_t)cost,
		 left = NETWORK_MOST_COST - network->costs;

	network->costs += size < left ? size : left;
}

static void leave_tree(struct network *network, struct network_arc *arc)
{
	const struct network_piece *pieces = &network->pieces.at[arc->first];

	arc->full += arc->within != 0;
	arc->within = 0;
	arc->forth = arc->full < arc->count ? pieces[arc->full].cost : FAR;
	arc->back = arc->full ? pieces[arc->full - 1].cost : -FAR;
}

/* With such costs an arc is never found by find(). */
static void enter_tree(struct network_arc *arc)
{
	arc->forth = FAR;
	arc->back = -FAR;
}

size_t network_add(struct network *network, uint32_t from, uint32_t to,
		   const struct network_piece *pieces, size_t count)
{
	struct network_arc arc = {.from = from,
				  .to = to,
				  .first = (uint32_t)network->pieces.len,
				  .count = (uint32_t)count};

	for (size_t i = 0; i < count; i++) {
		if (!network_piece_vec_push(&network->pieces, pieces[i]))
			network->no_memory = true;
		add_cost(network, pieces[i].cost);
	}
	if (!network->no_memory)
		leave_tree(network, &arc);
	if (!network_arc_vec_push(&network->arcs, arc))
		network->no_memory = true;
	return network->arcs.len - 1;
}

int64_t network_flow(const struct network *network, size_t number)
{
	const struct network_arc *arc = &network->arcs.at[number];
	int64_t flow = arc->within;

	for (uint32_t i = 0; i < arc->full; i++)
		flow += network->pieces.at[arc->first + i].width;
	return flow;
}

/* ---- the tree of all nodes ---- */

struct node {
	int64_t potential; /* with these, arcs of the tree cost nothing: cost + potential of `from`
			      - potential of `to` */
	uint32_t arc; /* to or from the parent; NOTHING: one to the root that the network does not
			 have, without flow */
	uint32_t parent, depth;
	uint32_t child, next, before; /* the first child, and the siblings */
};

struct solver {
	struct network *network;
	struct network_arc *arcs;
	struct node *nodes; /* the root is the last, after those of the network */
	size_t at;          /* the next arc to look at */
	size_t block;       /* so many are looked at before the best of them is taken */
	uint64_t steps;     /* so far */
};

static void detach(struct solver *s, uint32_t number)
{
	const struct node *node = &s->nodes[number];

	if (node->before == NOTHING)
		s->nodes[node->parent].child = node->next;
	else
		s->nodes[node->before].next = node->next;
	if (node->next != NOTHING)
		s->nodes[node->next].before = node->before;
}

static void attach(struct solver *s, uint32_t number, uint32_t parent, uint32_t arc)
{
	struct node *node = &s->nodes[number];

	node->parent = parent;
	node->arc = arc;
	node->before = NOTHING;
	node->next = s->nodes[parent].child;
	if (node->next != NOTHING)
		s->nodes[node->next].before = number;
	s->nodes[parent].child = number;
}

/* The node of a subtree that comes after another one: children before siblings.  NOTHING: that was
 * the last. */
static uint32_t follow(const struct solver *s, uint32_t top, uint32_t number)
{
	if (s->nodes[number].child != NOTHING)
		return s->nodes[number].child;
	while (number != top && s->nodes[number].next == NOTHING)
		number = s->nodes[number].parent;
	return number == top ? NOTHING : s->nodes[number].next;
}

/* Sets what depends on where a subtree hangs. */
static void lift(struct solver *s, uint32_t top, int64_t by)
{
	for (uint32_t number = top; number != NOTHING; number = follow(s, top, number)) {
		struct node *node = &s->nodes[number];
		node->potential += by;
		node->depth = s->nodes[node->parent].depth + 1;
		s->steps++;
	}
}

/* Takes the subtree of a node off, and hangs it below `parent` by another node of it; what is above
 * that in the subtree is below then. */
static void hang(struct solver *s, uint32_t top, uint32_t by, uint32_t parent, uint32_t arc)
{
	for (uint32_t number = by, above;; parent = number, number = above) {
		uint32_t arc_above = s->nodes[number].arc;
		above = s->nodes[number].parent;
		detach(s, number);
		attach(s, number, parent, arc);
		s->steps++;
		if (number == top)
			return;
		arc = arc_above;
	}
}

/* All nodes below the root: no flow at all. */
static void plant(struct solver *s)
{
	uint32_t root = s->network->nodes;

	s->nodes[root] = (struct node){.arc = NOTHING,
				       .parent = NOTHING,
				       .child = NOTHING,
				       .next = NOTHING,
				       .before = NOTHING};
	for (uint32_t number = root; number--;) {
		s->nodes[number] = (struct node){.depth = 1, .child = NOTHING};
		attach(s, number, root, NOTHING);
	}
	s->steps += root;
}

/* ---- one step of the simplex ---- */

static int64_t width(const struct solver *s, const struct network_arc *arc)
{
	return s->network->pieces.at[arc->first + arc->full].width;
}

static int64_t difference(const struct solver *s, const struct network_arc *arc)
{
	return s->nodes[arc->from].potential - s->nodes[arc->to].potential;
}

/* Finds an arc of which a unit more, or less, gains something: the best of a block.  NULL: none
 * does. */
static struct network_arc *find(struct solver *s)
{
	size_t count = s->network->arcs.len;
	struct network_arc *best = NULL;
	int64_t most = 0;

	for (size_t looked = 0; looked < count && !(best && looked % s->block == 0); looked++) {
		struct network_arc *arc = &s->arcs[s->at];
		int64_t way = difference(s, arc), more = -arc->forth - way, less = arc->back + way;
		int64_t gain = more > less ? more : less;
		if (gain > most) {
			most = gain;
			best = arc;
		}
		s->at = s->at + 1 < count ? s->at + 1 : 0;
		s->steps++;
	}
	return best;
}

/* The loop that an arc closes.  The flow comes down the tree to `first`, along the arc to
 * `second`, and up again. */
struct circle {
	uint32_t first, second, join;
	int64_t amount;
	uint32_t full; /* the node with the arc to its parent that limits the amount; NOTHING: the
			  new arc does */
	bool full_below_first; /* that node is on the way to `first` */
};

/* What can flow from a node to its parent, or the other way. */
static int64_t room(const struct solver *s, uint32_t number, bool up)
{
	const struct node *node = &s->nodes[number];

	if (node->arc == NOTHING)
		return up ? NETWORK_MOST : 0;
	const struct network_arc *arc = &s->arcs[node->arc];
	return (arc->from == number) == up ? width(s, arc) - arc->within : arc->within;
}

/* Finds where the loop is closed, and what limits it: of several arcs that do, the one that is
 * last on the path that begins at `join`.  So the tree stays strongly feasible: from each node
 * something can flow up to the root. */
static void close_circle(struct solver *s, struct circle *c)
{
	uint32_t first = c->first, second = c->second;
	int64_t up_most = INT64_MAX;
	uint32_t up_full = NOTHING;

	while (first != second) {
		s->steps++;
		if (s->nodes[first].depth >= s->nodes[second].depth) {
			int64_t down = room(s, first, false);
			if (down < c->amount) {
				c->amount = down;
				c->full = first;
				c->full_below_first = true;
			}
			first = s->nodes[first].parent;
		} else {
			int64_t up = room(s, second, true);
			if (up <= up_most) {
				up_most = up;
				up_full = second;
			}
			second = s->nodes[second].parent;
		}
	}
	c->join = first;
	if (up_most <= c->amount) {
		c->amount = up_most;
		c->full = up_full;
		c->full_below_first = false;
	}
}

static void send(struct solver *s, uint32_t from, const struct circle *c, bool up)
{
	for (uint32_t number = from; number != c->join; number = s->nodes[number].parent) {
		struct network_arc *arc = &s->arcs[s->nodes[number].arc];
		arc->within += (arc->from == number) == up ? c->amount : -c->amount;
		s->steps++;
	}
}

/* Sends what can flow around the loop of an arc.  The arc that limits it leaves the tree, and the
 * new one replaces it. */
static void turn(struct solver *s, struct network_arc *arc)
{
	int64_t way = difference(s, arc);
	bool more = arc->forth + way < 0;
	int64_t cost = way + (more ? arc->forth : arc->back);

	arc->full -= !more;
	struct circle c = {.first = more ? arc->from : arc->to,
			   .second = more ? arc->to : arc->from,
			   .amount = width(s, arc),
			   .full = NOTHING};
	arc->within = more ? 0 : c.amount;
	close_circle(s, &c);
	arc->within += more ? c.amount : -c.amount;
	if (c.amount) {
		send(s, c.first, &c, false);
		send(s, c.second, &c, true);
	}
	if (c.full == NOTHING) {
		leave_tree(s->network, arc);
		return;
	}
	if (s->nodes[c.full].arc != NOTHING)
		leave_tree(s->network, &s->arcs[s->nodes[c.full].arc]);
	enter_tree(arc);
	uint32_t by = c.full_below_first ? c.first : c.second,
		 parent = c.full_below_first ? c.second : c.first;
	hang(s, c.full, by, parent, (uint32_t)(arc - s->arcs));
	lift(s, by, by == arc->to ? cost : -cost);
}

enum network_result network_solve(struct network *network, uint64_t *steps)
{
	struct solver s = {.network = network, .arcs = network->arcs.at, .block = 16};
	uint64_t most = *steps;

	*steps = 0;
	if (network->no_memory || network->arcs.len >= NOTHING || network->pieces.len >= NOTHING)
		return NETWORK_NO_MEMORY;
	if (network->costs >= NETWORK_MOST_COST)
		return NETWORK_TOO_MUCH;
	s.nodes = malloc(((size_t)network->nodes + 1) * sizeof(*s.nodes));
	if (!s.nodes)
		return NETWORK_NO_MEMORY;
	while (4 * s.block * s.block < network->arcs.len)
		s.block++;
	plant(&s);
	for (struct network_arc *arc; s.steps <= most && (arc = find(&s));)
		turn(&s, arc);
	free(s.nodes);
	*steps = s.steps;
	return s.steps <= most ? NETWORK_SOLVED : NETWORK_TOO_MUCH;
}
