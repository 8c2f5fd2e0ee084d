/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/infer/network.h"

#include <string.h>

#define FAR INT64_MAX

void network_init(struct network *network, uint32_t nodes)
{
	*network = (struct network){.nodes = nodes};
}

void network_free(struct network *network)
{
	network_arc_vec_free(&network->arcs);
	curve_piece_vec_free(&network->pieces);
	curve_vec_free(&network->curves);
}

size_t network_add(struct network *network, uint32_t from, uint32_t to, int64_t capacity, int64_t cost)
{
	size_t number = network->arcs.len;

	if (!network_arc_vec_push(&network->arcs, (struct network_arc){from, to, capacity, cost}) ||
	    !network_arc_vec_push(&network->arcs, (struct network_arc){to, from, 0, -cost}))
		network->no_memory = true;
	return number;
}

void network_supply(struct network *network, uint32_t node, int64_t amount)
{
	network->supplied += amount;
	network_add(network, network->nodes, node, amount, 0);
}

void network_demand(struct network *network, uint32_t node, int64_t amount)
{
	network_add(network, node, network->nodes + 1, amount, 0);
}

size_t network_add_curve(struct network *network, uint32_t from, uint32_t to, const struct curve_piece *pieces, size_t count)
{
	size_t number = network->curves.len, first = network->pieces.len;
	struct curve curve = {.first = first, .count = count, .at = first};

	for (size_t i = 0; i < count; i++)
		if (!curve_piece_vec_push(&network->pieces, pieces[i]))
			network->no_memory = true;
	if (network->no_memory)
		return number;
	int64_t sent = curve_fill_gains(&curve, network->pieces.at);
	if (sent) {
		network_demand(network, from, sent);
		network_supply(network, to, sent);
	}
	struct curve_piece forth = curve_forth(&curve, network->pieces.at);
	struct curve_piece back = curve_back(&curve, network->pieces.at);
	curve.arc = network_add(network, from, to, forth.width, forth.cost);
	if (!curve_vec_push(&network->curves, curve))
		network->no_memory = true;
	if (!network->no_memory) {
		network->arcs.at[curve.arc + 1].capacity = back.width;
		network->arcs.at[curve.arc + 1].cost = back.cost;
	}
	return number;
}

int64_t network_curve_flow(const struct network *network, size_t curve)
{
	return curve_flow(&network->curves.at[curve], network->pieces.at);
}

/* ---- the nodes that a search still has to visit: the nearest first ---- */

struct waiting {
	int64_t distance;
	uint32_t node;
};
DEFINE_VEC(waiting_vec, struct waiting);

static bool is_before(const struct waiting *a, const struct waiting *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->node < b->node;
}

static bool heap_put(struct waiting_vec *heap, struct waiting item)
{
	if (!waiting_vec_push(heap, item))
		return false;
	size_t at = heap->len - 1;
	for (size_t parent; at && is_before(&item, &heap->at[parent = (at - 1) / 2]); at = parent)
		heap->at[at] = heap->at[parent];
	heap->at[at] = item;
	return true;
}

static struct waiting heap_take(struct waiting_vec *heap)
{
	struct waiting first = heap->at[0], item = heap->at[--heap->len];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < heap->len; at = child) {
		if (child + 1 < heap->len && is_before(&heap->at[child + 1], &heap->at[child]))
			child++;
		if (!is_before(&heap->at[child], &item))
			break;
		heap->at[at] = heap->at[child];
	}
	if (heap->len)
		heap->at[at] = item;
	return first;
}

/* ---- the solver ---- */

/* An arc beside the others of its node. */
struct link {
	int64_t capacity, cost;
	uint32_t to;
	uint32_t back; /* the link of the way back */
};

struct solver {
	struct network *network;
	uint32_t source, sink, nodes;
	size_t *first;      /* where the links of a node begin; one more at the end */
	struct link *links;
	uint32_t *link_of;  /* by arc */
	uint32_t *curve_of; /* by link: 1 + its curve, or 0 */
	int64_t *potential; /* by node: with them no arc that has capacity left costs less than nothing */
	int64_t *distance;
	size_t *next;       /* by node: its first link that may still lead on */
	uint32_t *path;     /* links from the source on */
	uint8_t *on_path;   /* by node */
	struct waiting_vec heap;
	uint64_t steps;     /* that are left */
};

static void solver_free(struct solver *s)
{
	free(s->first);
	free(s->links);
	free(s->link_of);
	free(s->curve_of);
	free(s->potential);
	free(s->distance);
	free(s->next);
	free(s->path);
	free(s->on_path);
	waiting_vec_free(&s->heap);
}

static void sort_arcs(struct solver *s)
{
	const struct network_arc_vec *arcs = &s->network->arcs;

	for (size_t i = 0; i < arcs->len; i++)
		s->first[arcs->at[i].from + 1]++;
	for (uint32_t n = 0; n < s->nodes; n++)
		s->first[n + 1] += s->first[n];
	memcpy(s->next, s->first, s->nodes * sizeof(*s->next));
	for (size_t i = 0; i < arcs->len; i++)
		s->link_of[i] = (uint32_t)s->next[arcs->at[i].from]++;
	for (size_t i = 0; i < arcs->len; i++) {
		const struct network_arc *arc = &arcs->at[i];
		s->links[s->link_of[i]] = (struct link){arc->capacity, arc->cost, arc->to, s->link_of[i ^ 1]};
	}
	for (size_t i = 0; i < s->network->curves.len; i++) {
		size_t arc = s->network->curves.at[i].arc;
		s->curve_of[s->link_of[arc]] = s->curve_of[s->link_of[arc + 1]] = (uint32_t)i + 1;
	}
}

/* Gives the network back what is left of each capacity, and the cost of the next unit. */
static void return_arcs(struct solver *s)
{
	for (size_t i = 0; i < s->network->arcs.len; i++) {
		s->network->arcs.at[i].capacity = s->links[s->link_of[i]].capacity;
		s->network->arcs.at[i].cost = s->links[s->link_of[i]].cost;
	}
}

static bool solver_init(struct solver *s, struct network *network, uint64_t steps)
{
	*s = (struct solver){.network = network, .source = network->nodes, .sink = network->nodes + 1,
			     .nodes = network->nodes + 2, .steps = steps};
	s->first = calloc((size_t)s->nodes + 1, sizeof(*s->first));
	s->links = calloc(network->arcs.len + 1, sizeof(*s->links));
	s->link_of = calloc(network->arcs.len + 1, sizeof(*s->link_of));
	s->curve_of = calloc(network->arcs.len + 1, sizeof(*s->curve_of));
	s->potential = calloc(s->nodes, sizeof(*s->potential));
	s->distance = calloc(s->nodes, sizeof(*s->distance));
	s->next = calloc(s->nodes, sizeof(*s->next));
	s->path = calloc(s->nodes, sizeof(*s->path));
	s->on_path = calloc(s->nodes, 1);
	if (!s->first || !s->links || !s->link_of || !s->curve_of || !s->potential || !s->distance || !s->next ||
	    !s->path || !s->on_path)
		return false;
	sort_arcs(s);
	return true;
}

static int64_t reduced_cost(const struct solver *s, uint32_t from, const struct link *link)
{
	return link->cost + s->potential[from] - s->potential[link->to];
}

static bool spend(struct solver *s, uint64_t steps)
{
	s->steps = s->steps > steps ? s->steps - steps : 0;
	return s->steps;
}

static enum network_result visit(struct solver *s, struct waiting here)
{
	for (size_t i = s->first[here.node]; i < s->first[here.node + 1]; i++) {
		const struct link *link = &s->links[i];
		if (!link->capacity)
			continue;
		int64_t distance = here.distance + reduced_cost(s, here.node, link);
		if (distance >= s->distance[link->to])
			continue;
		s->distance[link->to] = distance;
		if (!heap_put(&s->heap, (struct waiting){distance, link->to}))
			return NETWORK_NO_MEMORY;
	}
	return spend(s, 1 + s->first[here.node + 1] - s->first[here.node]) ? NETWORK_SOLVED : NETWORK_TOO_MUCH;
}

/* Dijkstra's search, up to the sink; then the potentials for it: the shortest paths cost nothing. */
static enum network_result search(struct solver *s)
{
	for (uint32_t n = 0; n < s->nodes; n++)
		s->distance[n] = FAR;
	s->distance[s->source] = 0;
	s->heap.len = 0;
	if (!heap_put(&s->heap, (struct waiting){0, s->source}))
		return NETWORK_NO_MEMORY;
	while (s->heap.len) {
		struct waiting here = heap_take(&s->heap);
		if (here.node == s->sink)
			break;
		if (here.distance > s->distance[here.node])
			continue; /* it was visited by a shorter way */
		enum network_result result = visit(s, here);
		if (result != NETWORK_SOLVED)
			return result;
	}
	int64_t sink = s->distance[s->sink];
	if (sink == FAR)
		return NETWORK_NO_WAY;
	for (uint32_t n = 0; n < s->nodes; n++)
		s->potential[n] += s->distance[n] < sink ? s->distance[n] : sink;
	return spend(s, s->nodes) ? NETWORK_SOLVED : NETWORK_TOO_MUCH;
}

static void send_curve(struct solver *s, uint32_t number, int64_t amount)
{
	const struct curve_piece *pieces = s->network->pieces.at;
	struct curve *curve = &s->network->curves.at[s->curve_of[number] - 1];
	struct link *forth = &s->links[s->link_of[curve->arc]], *back = &s->links[forth->back];

	if (forth == &s->links[number])
		curve_fill(curve, pieces, amount);
	else
		curve_take(curve, pieces, amount);
	struct curve_piece next = curve_forth(curve, pieces), last = curve_back(curve, pieces);
	forth->capacity = next.width;
	forth->cost = next.cost;
	back->capacity = last.width;
	back->cost = last.cost;
}

static void send(struct solver *s, uint32_t number, int64_t amount)
{
	if (s->curve_of[number]) {
		send_curve(s, number, amount);
		return;
	}
	s->links[number].capacity -= amount;
	s->links[s->links[number].back].capacity += amount;
}

/* Send as much as the path takes.  Returns the length of what is left of it: up to the link that is full now. */
static size_t push(struct solver *s, size_t length)
{
	const struct link *links = s->links;
	int64_t amount = FAR;
	size_t left = length;

	for (size_t i = length; i--;)
		if (links[s->path[i]].capacity <= amount) {
			amount = links[s->path[i]].capacity;
			left = i;
		}
	for (size_t i = 0; i < length; i++)
		send(s, s->path[i], amount);
	for (size_t i = left; i < length; i++)
		s->on_path[links[s->path[i]].to] = false;
	s->network->supplied -= amount;
	return left;
}

/* The next link of a node along which a shortest path may go; false: there is none. */
static bool lead_on(struct solver *s, uint32_t node, uint32_t *out)
{
	for (; s->next[node] < s->first[node + 1]; s->next[node]++) {
		const struct link *link = &s->links[s->next[node]];
		if (!spend(s, 1))
			return false;
		if (link->capacity && !s->on_path[link->to] && !reduced_cost(s, node, link)) {
			*out = (uint32_t)s->next[node];
			return true;
		}
	}
	return false;
}

/* Fill the shortest paths: from the source on, one arc after the other, and back from where none leads on.  A
 * node that was left so is not tried again before the next search. */
static void fill_paths(struct solver *s)
{
	const struct link *links = s->links;
	size_t length = 0;
	uint32_t node = s->source;

	memcpy(s->next, s->first, s->nodes * sizeof(*s->next));
	memset(s->on_path, 0, s->nodes);
	s->on_path[s->source] = true;
	while (s->steps) {
		if (node == s->sink) {
			length = push(s, length);
		} else if (lead_on(s, node, &s->path[length])) {
			s->on_path[links[s->path[length++]].to] = true;
		} else {
			if (!length)
				return;
			s->on_path[node] = false;
			length--;
			s->next[length ? links[s->path[length - 1]].to : s->source]++;
		}
		node = length ? links[s->path[length - 1]].to : s->source;
	}
}

enum network_result network_solve(struct network *network, uint64_t steps)
{
	struct solver s;
	enum network_result result = NETWORK_SOLVED;

	if (network->no_memory || network->arcs.len > UINT32_MAX)
		return NETWORK_NO_MEMORY;
	if (!solver_init(&s, network, steps))
		result = NETWORK_NO_MEMORY;
	while (result == NETWORK_SOLVED && network->supplied) {
		result = search(&s);
		if (result == NETWORK_SOLVED) {
			fill_paths(&s);
			result = s.steps ? NETWORK_SOLVED : NETWORK_TOO_MUCH;
		}
	}
	if (result == NETWORK_SOLVED)
		return_arcs(&s);
	solver_free(&s);
	return result;
}
