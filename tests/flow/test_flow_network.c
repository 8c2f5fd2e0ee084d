/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Circulations through random networks: each is proved to be possible, and to be of least cost. */
#include <stdlib.h>

#include "src/flow/network.h"
#include "tests/support/cmocka.h"

#define NODES  24
#define PIECES 6
#define ENOUGH (UINT64_C(1) << 24)

static uint64_t state_of_random = 1;

static uint32_t any(uint32_t below)
{
	state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state_of_random >> 33) % below;
}

static enum network_result solve(struct network *network, uint64_t steps)
{
	return network_solve(network, &steps);
}

static const struct network_piece *pieces_of(const struct network *network,
					     const struct network_arc *arc)
{
	return &network->pieces.at[arc->first];
}

/* What enters a node leaves it, and no segment has more than it takes. */
static void is_circulation(const struct network *network)
{
	int64_t balance[2 * NODES] = {0};

	for (size_t i = 0; i < network->arcs.len; i++) {
		const struct network_arc *arc = &network->arcs.at[i];
		int64_t flow = network_flow(network, i), most = 0;
		for (uint32_t k = 0; k < arc->count; k++)
			most += pieces_of(network, arc)[k].width;
		assert_true(flow >= 0 && flow <= most);
		balance[arc->from] -= flow;
		balance[arc->to] += flow;
	}
	for (uint32_t n = 0; n < network->nodes; n++)
		assert_int_equal(balance[n], 0);
}

/* A circulation costs least if no loop along which something can be sent, or sent back, costs
 * less than nothing: Bellman and Ford find none.  flow: of each arc. */
static bool costs_least(const struct network *network, const int64_t *flow)
{
	int64_t distance[2 * NODES] = {0};
	bool changed = true;

	for (uint32_t round = 0; changed && round <= network->nodes; round++) {
		changed = false;
		for (size_t i = 0; i < network->arcs.len; i++) {
			const struct network_arc *arc = &network->arcs.at[i];
			int64_t left = flow[i];
			for (uint32_t k = 0; k < arc->count; k++) {
				const struct network_piece *piece = &pieces_of(network, arc)[k];
				int64_t in = left < piece->width ? left : piece->width;
				left -= in;
				if (in < piece->width &&
				    distance[arc->from] + piece->cost < distance[arc->to]) {
					distance[arc->to] = distance[arc->from] + piece->cost;
					changed = true;
				}
				if (in && distance[arc->to] - piece->cost < distance[arc->from]) {
					distance[arc->from] = distance[arc->to] - piece->cost;
					changed = true;
				}
			}
		}
	}
	return !changed;
}

static void flows_of(const struct network *network, int64_t *flow)
{
	for (size_t i = 0; i < network->arcs.len; i++)
		flow[i] = network_flow(network, i);
}

static void make(struct network *network)
{
	network_init(network, NODES);
	for (uint32_t i = 0; i < NODES * 4; i++) {
		struct network_piece pieces[PIECES];
		size_t count = 1 + any(PIECES);
		int64_t cost = (int64_t)any(1500) - 600;
		for (size_t k = 0; k < count; k++, cost += 1 + any(4) * any(200))
			pieces[k] = (struct network_piece){1 + any(50), cost};
		if (cost > 0 && !any(3))
			pieces[count - 1] = (struct network_piece){NETWORK_MOST, cost};
		network_add(network, any(NODES), any(NODES), pieces, count);
	}
}

static void random_networks(void **state)
{
	int some = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct network network;
		int64_t flow[NODES * 4], sum = 0;
		make(&network);
		assert_int_equal(solve(&network, ENOUGH), NETWORK_SOLVED);
		is_circulation(&network);
		flows_of(&network, flow);
		assert_true(costs_least(&network, flow));
		for (size_t k = 0; k < network.arcs.len; k++)
			sum += flow[k];
		some += sum > 0;
		network_free(&network);
	}
	assert_true(some > 2900);
}

/* The order of the arcs is all that the result depends on. */
static void the_same_again(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		struct network a, b;
		uint64_t begin = state_of_random;
		make(&a);
		state_of_random = begin;
		make(&b);
		assert_int_equal(solve(&a, ENOUGH), NETWORK_SOLVED);
		assert_int_equal(solve(&b, ENOUGH), NETWORK_SOLVED);
		for (size_t k = 0; k < a.arcs.len; k++)
			assert_int_equal(network_flow(&a, k), network_flow(&b, k));
		network_free(&a);
		network_free(&b);
	}
}

/* Segments side by side, each an arc of its own, are the same network. */
static void pieces_beside(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct network pieces, arcs;
		int64_t cost[2] = {0};
		make(&pieces);
		network_init(&arcs, NODES);
		for (size_t i = 0; i < pieces.arcs.len; i++)
			for (uint32_t k = 0; k < pieces.arcs.at[i].count; k++)
				network_add(&arcs, pieces.arcs.at[i].from, pieces.arcs.at[i].to,
					    &pieces_of(&pieces, &pieces.arcs.at[i])[k], 1);
		assert_int_equal(solve(&pieces, ENOUGH), NETWORK_SOLVED);
		assert_int_equal(solve(&arcs, ENOUGH), NETWORK_SOLVED);
		for (size_t i = 0; i < pieces.arcs.len; i++) {
			int64_t left = network_flow(&pieces, i);
			for (uint32_t k = 0; k < pieces.arcs.at[i].count; k++) {
				const struct network_piece *piece =
					&pieces_of(&pieces, &pieces.arcs.at[i])[k];
				int64_t in = left < piece->width ? left : piece->width;
				cost[0] += in * piece->cost;
				left -= in;
			}
		}
		for (size_t i = 0; i < arcs.arcs.len; i++)
			cost[1] +=
				network_flow(&arcs, i) * pieces_of(&arcs, &arcs.arcs.at[i])->cost;
		assert_int_equal(cost[0], cost[1]);
		network_free(&pieces);
		network_free(&arcs);
	}
}

static size_t add(struct network *network, uint32_t from, uint32_t to, int64_t width, int64_t cost)
{
	return network_add(network, from, to, &(struct network_piece){width, cost}, 1);
}

/* The proof above can fail. */
static void a_dear_flow_is_noticed(void **state)
{
	struct network network;
	int64_t flow[4];

	(void)state;
	network_init(&network, 3);
	add(&network, 2, 0, 5, -100);
	add(&network, 0, 1, 10, 1);
	add(&network, 1, 2, 10, 1);
	size_t dear = add(&network, 0, 2, 10, 3);
	assert_int_equal(solve(&network, 1000), NETWORK_SOLVED);
	flows_of(&network, flow);
	assert_int_equal(flow[0], 5);
	assert_int_equal(flow[dear], 0);
	assert_true(costs_least(&network, flow));
	flow[dear] = 5; /* as if all had gone that way */
	flow[1] = flow[2] = 0;
	assert_false(costs_least(&network, flow));
	network_free(&network);
}

/* It stops soon after the limit: after the longest step that there is. */
static void few_steps(void **state)
{
	struct network network;
	uint64_t steps = 30;

	(void)state;
	make(&network);
	assert_int_equal(network_solve(&network, &steps), NETWORK_TOO_MUCH);
	assert_in_range(steps, 31, 31 + network.arcs.len + 6 * NODES);
	network_free(&network);
}

/* Costs whose sum is below the limit cannot overflow; others are refused. */
static void large_costs(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		const int64_t third = (int64_t)(NETWORK_MOST_COST / 3);
		struct network network;
		network_init(&network, 3);
		add(&network, 0, 1, NETWORK_MOST, third);
		add(&network, 1, 2, NETWORK_MOST, third - 1);
		size_t way_back = add(&network, 2, 0, 7, -third - more);
		size_t gain = add(&network, 0, 0, 3, more ? -2 : -1);
		if (more) {
			assert_int_equal(solve(&network, 1000), NETWORK_TOO_MUCH);
		} else {
			assert_int_equal(solve(&network, 1000), NETWORK_SOLVED);
			assert_int_equal(network_flow(&network, way_back), 0);
			assert_int_equal(network_flow(&network, gain), 3);
		}
		network_free(&network);
	}
}

/* Sixteen times 2^60: the sum of the costs does not wrap. */
static void a_sum_that_would_wrap(void **state)
{
	struct network network;
	uint64_t steps = 1000;

	(void)state;
	network_init(&network, 2);
	for (int i = 0; i < 16; i++)
		add(&network, 0, 1, NETWORK_MOST, (int64_t)NETWORK_MOST_COST);
	assert_int_equal(network_solve(&network, &steps), NETWORK_TOO_MUCH);
	assert_int_equal(steps, 0);
	network_free(&network);
}

/* As many steps as it takes are enough, and one less is too few. */
static void exactly_enough_steps(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		struct network network;
		uint64_t begin = state_of_random, took = ENOUGH, steps;
		make(&network);
		assert_int_equal(network_solve(&network, &took), NETWORK_SOLVED);
		assert_true(took >=
			    network.arcs.len + network.nodes); /* in the end no arc gains, and each
								  node was hung up */
		network_free(&network);
		for (uint64_t less = 0; less < 2; less++) {
			state_of_random = begin;
			make(&network);
			steps = took - less;
			assert_int_equal(network_solve(&network, &steps),
					 less ? NETWORK_TOO_MUCH : NETWORK_SOLVED);
			network_free(&network);
		}
	}
}

static void nothing_to_do(void **state)
{
	struct network network;

	(void)state;
	network_init(&network, 0);
	assert_int_equal(solve(&network, 1), NETWORK_SOLVED);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_networks),
		cmocka_unit_test(the_same_again),
		cmocka_unit_test(pieces_beside),
		cmocka_unit_test(a_dear_flow_is_noticed),
		cmocka_unit_test(few_steps),
		cmocka_unit_test(large_costs),
		cmocka_unit_test(a_sum_that_would_wrap),
		cmocka_unit_test(exactly_enough_steps),
		cmocka_unit_test(nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
