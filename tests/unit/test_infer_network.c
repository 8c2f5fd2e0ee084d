/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flows through random networks: each is proved to be possible, and to be of least cost. */
#include <stdlib.h>

#include "src/infer/network.h"
#include "tests/support/cmocka.h"

#define NODES 24

static uint64_t state_of_random = 1;

static uint32_t any(uint32_t below)
{
	state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state_of_random >> 33) % below;
}

/* What begins at nodes ends at nodes, and what enters a node leaves it. */
static void is_flow(const struct network *network)
{
	int64_t balance[NODES + 2] = {0};

	for (size_t i = 0; i < network->arcs.len; i += 2) {
		const struct network_arc *arc = &network->arcs.at[i];
		int64_t flow = network_flow(network, i);
		assert_true(flow >= 0 && arc->capacity >= 0);
		balance[arc->from] -= flow;
		balance[arc->to] += flow;
	}
	for (uint32_t n = 0; n < network->nodes; n++)
		assert_int_equal(balance[n], 0);
	for (size_t i = 0; i < network->arcs.len; i += 2) {
		if (network->arcs.at[i].from == network->nodes)
			assert_int_equal(network->arcs.at[i].capacity, 0); /* all that was supplied */
	}
}

/* A flow costs least if no circle of arcs that have capacity left costs less than nothing: Bellman and Ford find none. */
static bool costs_least(const struct network *network)
{
	int64_t distance[NODES + 2] = {0};
	bool changed = true;

	for (int round = 0; changed && round <= NODES + 2; round++) {
		changed = false;
		for (size_t i = 0; i < network->arcs.len; i++) {
			const struct network_arc *arc = &network->arcs.at[i];
			int64_t by = distance[arc->from] + arc->cost;
			if (arc->capacity && by < distance[arc->to]) {
				distance[arc->to] = by;
				changed = true;
			}
		}
	}
	return !changed;
}

static void make(struct network *network)
{
	network_init(network, NODES);
	for (uint32_t i = 0; i < NODES * 4; i++)
		network_add(network, any(NODES), any(NODES), any(50), any(6) ? any(1000) : 0);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t from = any(NODES), to = any(NODES);
		int64_t amount = 1 + any(40);
		network_supply(network, from, amount);
		network_demand(network, to, amount);
		if (any(8)) /* else there may be no way */
			network_add(network, from, to, amount, 2000);
	}
}

static void random_networks(void **state)
{
	int solved = 0, no_way = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct network network;
		make(&network);
		enum network_result result = network_solve(&network, 1 << 24);
		if (result == NETWORK_SOLVED) {
			solved++;
			is_flow(&network);
			assert_true(costs_least(&network));
		} else {
			assert_int_equal(result, NETWORK_NO_WAY);
			no_way++;
		}
		network_free(&network);
	}
	assert_true(solved > 1500);
	assert_true(no_way > 50);
}

#define PIECES 6

/* The same pieces side by side, each an arc of its own; what costs less than nothing is sent at once. */
static void add_beside(struct network *network, uint32_t from, uint32_t to, const struct curve_piece *pieces, int64_t *cost)
{
	for (size_t i = 0; i < PIECES; i++) {
		if (pieces[i].cost >= 0) {
			network_add(network, from, to, pieces[i].width, pieces[i].cost);
			continue;
		}
		network_demand(network, from, pieces[i].width);
		network_supply(network, to, pieces[i].width);
		network_add(network, to, from, pieces[i].width, -pieces[i].cost);
		*cost += pieces[i].width * pieces[i].cost;
	}
}

static int64_t cost_of_curve(const struct network *network, size_t curve, const struct curve_piece *pieces)
{
	int64_t cost = 0, left = network_curve_flow(network, curve);

	for (size_t i = 0; i < PIECES; i++) {
		int64_t in = left < pieces[i].width ? left : pieces[i].width;
		cost += in * pieces[i].cost;
		left -= in;
	}
	assert_int_equal(left, 0);
	return cost;
}

/* Of the arcs that network_add() made. */
static int64_t cost_of_arcs(const struct network *network)
{
	int64_t cost = 0;

	for (size_t i = 0; i < network->arcs.len; i += 2) {
		bool is_curve = false;
		for (size_t k = 0; k < network->curves.len; k++)
			is_curve |= network->curves.at[k].arc == i;
		if (!is_curve)
			cost += network_flow(network, i) * network->arcs.at[i].cost;
	}
	return cost;
}

/* Costs that rise: as cheap as with an arc for each piece. */
static void random_curves(void **state)
{
	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct network curves, arcs;
		struct curve_piece pieces[NODES][PIECES];
		size_t numbers[NODES];
		int64_t cost_of_pieces = 0, cost = 0;
		network_init(&curves, 2 * NODES);
		network_init(&arcs, 2 * NODES);
		for (uint32_t n = 0; n < NODES; n++) {
			for (uint32_t i = 0; i < PIECES; i++)
				pieces[n][i] = (struct curve_piece){1 + any(9), 100 * (int64_t)i - 250 + any(99)};
			numbers[n] = network_add_curve(&curves, 2 * n, 2 * n + 1, pieces[n], PIECES);
			add_beside(&arcs, 2 * n, 2 * n + 1, pieces[n], &cost_of_pieces);
		}
		for (uint32_t i = 0; i < 3 * NODES; i++) {
			uint32_t from = 2 * any(NODES) + 1, to = 2 * any(NODES);
			network_add(&curves, from, to, NETWORK_MOST, 1);
			network_add(&arcs, from, to, NETWORK_MOST, 1);
		}
		assert_int_equal(network_solve(&curves, 1 << 24), NETWORK_SOLVED);
		assert_int_equal(network_solve(&arcs, 1 << 24), NETWORK_SOLVED);
		for (uint32_t n = 0; n < NODES; n++)
			cost += cost_of_curve(&curves, numbers[n], pieces[n]);
		assert_int_equal(cost + cost_of_arcs(&curves), cost_of_pieces + cost_of_arcs(&arcs));
		network_free(&curves);
		network_free(&arcs);
	}
}

/* The check above can fail. */
static void a_dear_flow_is_noticed(void **state)
{
	struct network network;

	(void)state;
	network_init(&network, 3);
	network_supply(&network, 0, 5);
	network_demand(&network, 2, 5);
	network_add(&network, 0, 1, 10, 1);
	network_add(&network, 1, 2, 10, 1);
	size_t dear = network_add(&network, 0, 2, 10, 3);
	assert_int_equal(network_solve(&network, 1000), NETWORK_SOLVED);
	assert_int_equal(network_flow(&network, dear), 0);
	assert_true(costs_least(&network));
	network.arcs.at[dear].capacity = 5; /* as if all had gone that way */
	network.arcs.at[dear + 1].capacity = 5;
	assert_false(costs_least(&network));
	network_free(&network);
}

static void few_steps(void **state)
{
	struct network network;

	(void)state;
	state_of_random = 7;
	make(&network);
	assert_int_equal(network_solve(&network, 30), NETWORK_TOO_MUCH);
	network_free(&network);
}

static void nothing_to_do(void **state)
{
	struct network network;

	(void)state;
	network_init(&network, 0);
	assert_int_equal(network_solve(&network, 1), NETWORK_SOLVED);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_networks),
		cmocka_unit_test(random_curves),
		cmocka_unit_test(a_dear_flow_is_noticed),
		cmocka_unit_test(few_steps),
		cmocka_unit_test(nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
