/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The most likely flow of small functions, and of random ones what must hold of each. */
#include <stdlib.h>

#include "src/infer/flow.h"
#include "tests/support/cmocka.h"

#define MOST 40

static uint64_t blocks[MOST], entries[MOST], edges[4 * MOST];
static struct flow_counts counts = {blocks, entries, edges};
static bool is_sparse;

static void solve(const struct flow_block *b, uint32_t block_count, const struct flow_edge *e, uint32_t edge_count)
{
	struct flow_problem problem = {b, block_count, e, edge_count, is_sparse};
	uint64_t steps = flow_steps_most(block_count + edge_count);

	assert_int_equal(flow_solve(&problem, &steps, &counts), FLOW_SOLVED);
}

/* if/else: what the two ways hold decides, not what is missing in the block behind. */
static void both_ways(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
	const struct flow_block block[] = {
		{.samples = 400, .instructions = 4, .entry = true},
		{.samples = 300, .instructions = 4},
		{.samples = 100, .instructions = 4},
		{.samples = 400, .instructions = 4, .leaves = true},
	};

	(void)state;
	solve(block, 4, way, 4);
	assert_int_equal(blocks[0], 100 * FLOW_UNITS);
	assert_int_equal(edges[0], 75 * FLOW_UNITS);
	assert_int_equal(edges[1], 25 * FLOW_UNITS);
	assert_int_equal(entries[0], 100 * FLOW_UNITS);
}

/* A block that has no sample is on the only way: the flow goes through it. */
static void the_only_way(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {1, 2}};
	const struct flow_block block[] = {
		{.samples = 100, .instructions = 10, .entry = true},
		{.samples = 0, .instructions = 2},
		{.samples = 100, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 2);
	assert_true(edges[0] == edges[1] && edges[0] == blocks[1] && blocks[1] > 0);
	/* 20 expected of 22 instructions at the count that they say together; a little less is likelier */
	assert_in_range(blocks[1], 7 * FLOW_UNITS, 10 * FLOW_UNITS);
}

/* So many instructions that one sample of them says less than a unit: they were passed, but seldom.  201 samples of 40,020
 * instructions are 100 units. */
static void a_huge_block_on_the_only_way(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {1, 2}};
	const struct flow_block block[] = {
		{.samples = 100, .instructions = 10, .entry = true},
		{.samples = 1, .instructions = 2 * FLOW_UNITS},
		{.samples = 100, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 2);
	assert_true(edges[0] == edges[1] && edges[0] == blocks[1]);
	assert_in_range(blocks[1], 1, 1000);
}

static void a_loop(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {1, 1}, {1, 2}};
	const struct flow_block block[] = {
		{.samples = 10, .instructions = 10, .entry = true},
		{.samples = 1000, .instructions = 10},
		{.samples = 10, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 3);
	assert_int_equal(edges[1], 99 * FLOW_UNITS);
	assert_int_equal(edges[2], 1 * FLOW_UNITS);
}

/* Samples in the loop alone: that it turns explains them all, but somebody came in, and out. */
static void a_loop_alone(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {1, 1}, {1, 2}};
	struct flow_block block[] = {
		{.samples = 0, .instructions = 10, .entry = true},
		{.samples = 1000, .instructions = 10},
		{.samples = 0, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 3);
	assert_int_equal(blocks[1], 100 * FLOW_UNITS);
	assert_int_equal(entries[0], 1);
	assert_int_equal(edges[0], 1);
	assert_int_equal(edges[2], 1);

	block[2].leaves = false;
	solve(block, 3, way, 3);
	assert_int_equal(entries[0], 0);
	assert_int_equal(edges[1], 100 * FLOW_UNITS);
}

/* Neither way was sampled: where samples are few, both may have run, and a little of the flow goes the longer one, too. */
static void ways_without_samples(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
	const struct flow_block block[] = {
		{.samples = 10, .instructions = 4, .entry = true},
		{.samples = 0, .instructions = 4},
		{.samples = 0, .instructions = 3},
		{.samples = 10, .instructions = 4, .leaves = true},
	};

	(void)state;
	solve(block, 4, way, 4);
	assert_int_equal(edges[0], 0);
	is_sparse = true;
	solve(block, 4, way, 4);
	is_sparse = false;
	assert_in_range(edges[0], FLOW_UNITS / 128, FLOW_UNITS / 40);
	assert_in_range(edges[1], FLOW_UNITS, 3 * FLOW_UNITS);
}

/* Samples of a block that BOLT deletes tell nothing, one way or the other. */
static void vanishing_blocks(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 2}};
	const struct flow_block block[] = {
		{.samples = 100, .instructions = 10, .entry = true},
		{.samples = 5000, .instructions = 1, .vanishes = true},
		{.samples = 100, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 3);
	assert_int_equal(blocks[0], 10 * FLOW_UNITS);
	assert_true(blocks[1] <= blocks[0]);
}

/* The same numbers as in a real count, as exactly as it can be. */
static void most_samples(void **state)
{
	const struct flow_block block[] = {
		{.samples = FLOW_MOST_SAMPLES, .instructions = 1, .entry = true, .leaves = true},
	};

	(void)state;
	solve(block, 1, NULL, 0);
	assert_int_equal(blocks[0], FLOW_MOST_SAMPLES * FLOW_UNITS);
}

static uint64_t state_of_random = 1;

static uint32_t any(uint32_t below)
{
	state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state_of_random >> 33) % below;
}

static void is_conserved(const struct flow_block *b, uint32_t count, const struct flow_edge *e, uint32_t edge_count)
{
	uint64_t in[MOST], out[MOST] = {0};

	for (uint32_t i = 0; i < count; i++)
		in[i] = entries[i];
	for (uint32_t i = 0; i < edge_count; i++) {
		out[e[i].from] += edges[i];
		in[e[i].to] += edges[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(in[i], blocks[i]);
		assert_true(out[i] == blocks[i] || (out[i] < blocks[i] && (b[i].leaves || b[i].may_end)));
		assert_true(!entries[i] || b[i].entry || b[i].pad);
	}
}

static void random_functions(void **state)
{
	(void)state;
	for (int round = 0; round < 500; round++) {
		struct flow_block b[MOST] = {0};
		struct flow_edge e[4 * MOST];
		uint32_t count = 1 + any(MOST), edge_count = 0;
		for (uint32_t i = 0; i < count; i++) {
			b[i] = (struct flow_block){.samples = any(3) ? any(500) : 0, .instructions = 1 + any(30),
						   .entry = !i, .pad = !any(9), .vanishes = !any(12),
						   .leaves = !any(5), .may_end = !any(7)};
			for (uint32_t from = i, ways = any(4); ways--;)
				e[edge_count++] = (struct flow_edge){from, any(count)};
		}
		solve(b, count, e, edge_count);
		is_conserved(b, count, e, edge_count);
	}
}

/* ---- large graphs that are hard: blocks that end with a conditional jump, one in two of them sampled 2^0 to 2^20 times ---- */

enum shape {
	ANYWHERE, /* jumps to any block */
	NEAR,     /* at most 20 blocks away */
	ONWARD,   /* to any block behind */
	MIRROR,   /* to the block that is as far from the end: each jump over those between */
	SHAPES,
};

static uint32_t target(enum shape shape, uint32_t block, uint32_t last)
{
	uint32_t near = block + any(41);

	switch (shape) {
	case NEAR:
		return near < 20 ? 0 : near - 20 > last ? last : near - 20;
	case ONWARD:
		return block + 1 + any(last - block);
	case MIRROR:
		return last - block;
	case ANYWHERE:
	case SHAPES:
		break;
	}
	return any(last + 1);
}

/* Returns how many steps it took; 0: more than `most`. */
static uint64_t steps_for(enum shape shape, uint32_t count, uint64_t most)
{
	uint32_t edge_count = 0;
	struct flow_block *b = calloc(count, sizeof(*b));
	struct flow_edge *e = calloc(2 * (size_t)count, sizeof(*e));
	struct flow_counts large = {calloc(count, sizeof(uint64_t)), calloc(count, sizeof(uint64_t)),
				    calloc(2 * (size_t)count, sizeof(uint64_t))};

	assert_true(b && e && large.blocks && large.entries && large.edges);
	for (uint32_t i = 0; i < count; i++) {
		b[i] = (struct flow_block){.samples = any(2) ? (uint64_t)1 << any(21) : 0, .instructions = 2,
					   .entry = !i, .leaves = i + 1 == count};
		if (i + 1 == count)
			break;
		uint32_t to = target(shape, i, count - 1);
		e[edge_count++] = (struct flow_edge){i, i + 1};
		if (to != i + 1)
			e[edge_count++] = (struct flow_edge){i, to};
	}
	const struct flow_problem problem = {b, count, e, edge_count, false};
	uint64_t steps = most;
	enum flow_result result = flow_solve(&problem, &steps, &large);
	assert_int_equal(result, steps <= most ? FLOW_SOLVED : FLOW_TOO_MUCH);
	for (uint32_t i = 0, k = 0; result == FLOW_SOLVED && i + 1 < count; i++) {
		uint64_t out = 0;
		while (k < edge_count && e[k].from == i)
			out += large.edges[k++];
		assert_int_equal(out, large.blocks[i]);
	}
	free(b);
	free(e);
	free(large.blocks);
	free(large.entries);
	free(large.edges);
	return steps <= most ? steps : 0;
}

/* 3,000 blocks are solved with a quarter of the steps that they may take, so that what is only somewhat harder still is. */
static void hard_graphs(void **state)
{
	(void)state;
	for (uint32_t count = 30; count <= 3000; count *= 10)
		for (enum shape shape = 0; shape < SHAPES; shape++) {
			uint64_t steps = steps_for(shape, count, flow_steps_most(3 * count) / 4);
			assert_true(steps > flow_steps_least(count)); /* or else `least` were wrong */
			assert_true(steps < UINT64_C(1) << 26);
		}
	assert_int_equal(steps_for(ANYWHERE, 3000, 100000), 0);
}

/* The number of steps does not wrap. */
static void any_number_of_steps(void **state)
{
	(void)state;
	for (uint64_t arcs = 1; arcs < UINT64_C(1) << 34; arcs *= 2) {
		assert_true(flow_steps_most(2 * arcs) > flow_steps_most(arcs) || flow_steps_most(arcs) == UINT64_MAX);
		assert_true(flow_steps_least(arcs) < flow_steps_most(arcs));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),    cmocka_unit_test(the_only_way),
		cmocka_unit_test(a_huge_block_on_the_only_way),
		cmocka_unit_test(a_loop),       cmocka_unit_test(a_loop_alone),
		cmocka_unit_test(most_samples), cmocka_unit_test(vanishing_blocks),
		cmocka_unit_test(ways_without_samples),
		cmocka_unit_test(random_functions),
		cmocka_unit_test(hard_graphs),
		cmocka_unit_test(any_number_of_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
