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
		cmocka_unit_test(a_dear_flow_is_noticed),
		cmocka_unit_test(few_steps),
		cmocka_unit_test(nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
