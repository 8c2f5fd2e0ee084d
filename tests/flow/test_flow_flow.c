/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The most likely flow of small functions, and of random ones what must hold of each. */
#include <stdlib.h>

#include "src/flow/flow.h"
#include "tests/support/cmocka.h"

#define MOST 40

static uint64_t blocks[MOST], entries[MOST], edges[4 * MOST];
static struct flow_counts counts = {blocks, entries, edges};
static bool is_sparse;
static double uneven;

static void solve(const struct flow_block *b, uint32_t block_count, const struct flow_edge *e,
		  uint32_t edge_count)
{
	struct flow_problem problem = {b, block_count, e, edge_count, uneven, is_sparse, false};
	uint64_t steps = flow_steps_most(block_count + edge_count);

	assert_int_equal(flow_solve(&problem, &steps, &counts), FLOW_SOLVED);
}

/* if/else: what the two ways hold decides, not what is missing in the block after. */
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
	/* 20 expected of 22 instructions at the count that they say together; a little less is
	 * likelier */
	assert_in_range(blocks[1], 7 * FLOW_UNITS, 10 * FLOW_UNITS);
}

/* So many instructions that one sample of them says less than a unit: they were passed, but seldom.
 * 201 samples of 40,020 instructions are 100 units. */
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

/* Neither way was sampled: where samples are few, both may have run, and a little of the flow goes
 * the longer one, too. */
static void ways_without_samples(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
	const struct flow_block block[] = {
		{.samples = 10000, .instructions = 4, .entry = true},
		{.samples = 0, .instructions = 4},
		{.samples = 0, .instructions = 3},
		{.samples = 10000, .instructions = 4, .leaves = true},
	};

	(void)state;
	solve(block, 4, way, 4);
	assert_int_equal(edges[0], 0);
	is_sparse = true;
	solve(block, 4, way, 4);
	is_sparse = false;
	/* As if the block of four instructions had a thirty-second of a sample: dear is what is
	 * more than three times that. */
	assert_int_equal(edges[0], FLOW_UNITS / 32 / 4 * 3);
	assert_in_range(edges[1], 1000 * FLOW_UNITS, 3000 * FLOW_UNITS);
}

/* Samples of a block that BOLT deletes show nothing, one way or the other. */
static void vanishing_blocks(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 2}};
	const struct flow_block block[] = {
		{.samples = 100, .instructions = 10, .entry = true},
		{.samples = 5000, .instructions = 1, .removable = true},
		{.samples = 100, .instructions = 10, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 3);
	assert_int_equal(blocks[0], 10 * FLOW_UNITS);
	assert_true(blocks[1] <= blocks[0]);
}

/* Blocks one after the other, each with its own count: k samples of n instructions each.  What is
 * most likely is the sum of all samples by the sum of all instructions; the curve of each block is
 * in segments from one power of two to the next, with the slope at its middle, so that the count is
 * off by the root of 2 at most.  No block says less than an eighth of it, or more than eight times
 * as much. */
static void likely_counts(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {1, 2}, {2, 3}};
	int tried = 0;

	(void)state;
	for (uint64_t seed = 1; tried < 300; seed++) {
		struct flow_block block[4];
		uint64_t samples = 0, instructions = 0;
		bool fits = true;
		for (uint32_t i = 0; i < 4; i++) {
			uint64_t mixed = seed * (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
			block[i] = (struct flow_block){.samples = (mixed >> 40) % 1000 + 10,
						       .instructions =
							       (uint32_t)(mixed >> 20) % 40 + 1,
						       .entry = !i,
						       .leaves = i == 3};
			samples += block[i].samples;
			instructions += block[i].instructions;
		}
		double likely = (double)samples / (double)instructions;
		for (uint32_t i = 0; i < 4; i++) {
			double own = (double)block[i].samples / block[i].instructions;
			fits &= own * 8 >= likely && own <= 8 * likely;
		}
		if (!fits)
			continue;
		tried++;
		solve(block, 4, way, 3);
		double count = (double)blocks[0] / FLOW_UNITS;
		assert_true(count > likely / 1.45 && count < likely * 1.45);
	}
}

/* One block was sampled, and one next to it, of up to thirty times as many instructions, was not: m
 * - k * ln m of both is least for k samples by all instructions.  The segment of the curve is a
 * power of two wide. */
static void a_block_without_samples(void **state)
{
	static const struct flow_edge way[] = {{0, 1}};

	(void)state;
	for (uint32_t more = 1; more <= 30; more++) {
		const struct flow_block block[] = {
			{.samples = 0, .instructions = 5 * more, .entry = true},
			{.samples = 10000, .instructions = 5, .leaves = true},
		};
		uint64_t likely = UINT64_C(10000) * FLOW_UNITS / (5 + 5 * more);
		solve(block, 2, way, 1);
		assert_in_range(blocks[0], likely / 2, likely * 2);
	}
}

/* Two jumps through tables to the same three blocks: samples do not show which took which, and each
 * takes all as often as these ran. */
static void tables_share(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 3}, {1, 4},
					       {1, 5}, {2, 3}, {2, 4}, {2, 5}};
	struct flow_block block[] = {
		{.samples = 120, .instructions = 1, .entry = true},
		{.samples = 60, .instructions = 1},
		{.samples = 60, .instructions = 1},
		{.samples = 60, .instructions = 1, .leaves = true},
		{.samples = 30, .instructions = 1, .leaves = true},
		{.samples = 30, .instructions = 1, .leaves = true},
	};

	(void)state;
	solve(block, 6, way, 8);
	for (uint32_t i = 2; i < 8; i++)
		assert_int_equal(edges[i], (i % 3 == 2 ? 30 : 15) * FLOW_UNITS);
	/* Samples of a block that BOLT deletes are no share of it. */
	block[4].samples = 60;
	block[5] = (struct flow_block){
		.samples = 5000, .instructions = 1, .leaves = true, .removable = true};
	solve(block, 6, way, 8);
	for (uint32_t i = 2; i < 8; i++)
		assert_int_equal(edges[i], (i % 3 == 1 ? 0 : 30) * FLOW_UNITS);
}

/* Two conditional jumps to the same two blocks: no edge crosses another.  Neither is
 * the next one. */
static void jumps_do_not_cross(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}, {1, 5}, {1, 4}, {2, 5}, {2, 4}};
	const struct flow_block block[] = {
		{.samples = 120, .instructions = 1, .entry = true},
		{.samples = 60, .instructions = 1},
		{.samples = 60, .instructions = 1},
		{.samples = 0, .instructions = 1, .leaves = true},
		{.samples = 60, .instructions = 1, .leaves = true},
		{.samples = 60, .instructions = 1, .leaves = true},
	};

	(void)state;
	solve(block, 6, way, 6);
	assert_int_equal(edges[3], 60 * FLOW_UNITS);
	assert_int_equal(edges[4], 60 * FLOW_UNITS);
}

/* Both ways are as long, and no block shows anything: it is the next one. */
static void the_next_block(void **state)
{
	static const struct flow_edge back_first[] = {{1, 0}, {1, 2}},
				      next_first[] = {{1, 2}, {1, 0}};
	const struct flow_block block[] = {
		{.instructions = 1, .leaves = true, .removable = true},
		{.samples = 10, .instructions = 1, .entry = true},
		{.instructions = 1, .leaves = true, .removable = true},
	};

	(void)state;
	solve(block, 3, back_first, 2);
	assert_int_equal(edges[1], 10 * FLOW_UNITS);
	solve(block, 3, next_first, 2);
	assert_int_equal(edges[0], 10 * FLOW_UNITS);
}

/* As many samples of both ways: a few do not show that the one that jumps ran as often, many do,
 * unless they differ by more than chance. */
static void a_jump_needs_samples(void **state)
{
	static const struct flow_edge way[] = {{0, 1}, {0, 2}};
	struct flow_block block[] = {
		{.samples = 2, .instructions = 1, .entry = true},
		{.samples = 1, .instructions = 1, .leaves = true},
		{.samples = 1, .instructions = 1, .leaves = true},
	};

	(void)state;
	solve(block, 3, way, 2);
	assert_true(edges[0] > edges[1]);
	for (size_t i = 0; i < BC_COUNT(block); i++)
		block[i].samples *= 100;
	solve(block, 3, way, 2);
	assert_int_equal(edges[0], 100 * FLOW_UNITS);
	assert_int_equal(edges[1], 100 * FLOW_UNITS);
	uneven = 2;
	solve(block, 3, way, 2);
	assert_true(edges[0] > edges[1]);
	uneven = 0;
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

static void is_conserved(const struct flow_block *b, uint32_t count, const struct flow_edge *e,
			 uint32_t edge_count)
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
		assert_true(out[i] == blocks[i] ||
			    (out[i] < blocks[i] && (b[i].leaves || b[i].may_end)));
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
			b[i] = (struct flow_block){.samples = any(3) ? any(500) : 0,
						   .instructions = 1 + any(30),
						   .entry = !i,
						   .pad = !any(9),
						   .removable = !any(12),
						   .leaves = !any(5),
						   .may_end = !any(7)};
			for (uint32_t from = i, ways = any(4); ways--;)
				e[edge_count++] = (struct flow_edge){from, any(count)};
		}
		solve(b, count, e, edge_count);
		is_conserved(b, count, e, edge_count);
	}
}

/* ---- large graphs that are hard: blocks that end with a conditional jump, one in two of them
 * sampled 2^0 to 2^20 times ---- */

enum shape {
	ANYWHERE, /* jumps to any block */
	NEAR,     /* at most 20 blocks away */
	ONWARD,   /* to any block after */
	MIRROR,   /* to the block that is as far from the end: each jump over those between */
	SHAPES,
};

static uint32_t target(enum shape shape, uint32_t block, uint32_t last)
{
	uint32_t near = block + any(41);

	switch (shape) {
	case NEAR: return near < 20 ? 0 : near - 20 > last ? last : near - 20;
	case ONWARD: return block + 1 + any(last - block);
	case MIRROR: return last - block;
	case ANYWHERE:
	case SHAPES: break;
	}
	return any(last + 1);
}

/* Returns how many steps it took; 0: more than `most`. */
static uint64_t steps_for(enum shape shape, uint32_t count, uint64_t most)
{
	uint32_t edge_count = 0;
	struct flow_block *b = calloc(count, sizeof(*b));
	struct flow_edge *e = calloc(2 * (size_t)count, sizeof(*e));
	struct flow_counts large = {calloc(count, sizeof(uint64_t)),
				    calloc(count, sizeof(uint64_t)),
				    calloc(2 * (size_t)count, sizeof(uint64_t))};

	assert_true(b && e && large.blocks && large.entries && large.edges);
	for (uint32_t i = 0; i < count; i++) {
		b[i] = (struct flow_block){.samples = any(2) ? (uint64_t)1 << any(21) : 0,
					   .instructions = 2,
					   .entry = !i,
					   .leaves = i + 1 == count};
		if (i + 1 == count)
			break;
		uint32_t to = target(shape, i, count - 1);
		e[edge_count++] = (struct flow_edge){i, i + 1};
		if (to != i + 1)
			e[edge_count++] = (struct flow_edge){i, to};
	}
	const struct flow_problem problem = {b, count, e, edge_count, 0, false, false};
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

/* 3,000 blocks are solved with a quarter of the steps that they may take, so that what is only
 * somewhat harder still is. */
static void hard_graphs(void **state)
{
	(void)state;
	for (uint32_t count = 30; count <= 3000; count *= 10)
		for (enum shape shape = 0; shape < SHAPES; shape++) {
			uint64_t steps = steps_for(shape, count, flow_steps_most(3 * count) / 4);
			assert_true(steps >
				    flow_steps_least(count)); /* or else `least` were wrong */
			assert_true(steps < UINT64_C(1) << 26);
		}
	assert_int_equal(steps_for(ANYWHERE, 3000, 100000), 0);
}

/* The number of steps does not wrap. */
static void any_number_of_steps(void **state)
{
	(void)state;
	for (uint64_t arcs = 1; arcs < UINT64_C(1) << 34; arcs *= 2) {
		assert_true(flow_steps_most(2 * arcs) > flow_steps_most(arcs) ||
			    flow_steps_most(arcs) == UINT64_MAX);
		assert_true(flow_steps_least(arcs) < flow_steps_most(arcs));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(the_only_way),
		cmocka_unit_test(a_huge_block_on_the_only_way),
		cmocka_unit_test(a_loop),
		cmocka_unit_test(a_loop_alone),
		cmocka_unit_test(most_samples),
		cmocka_unit_test(vanishing_blocks),
		cmocka_unit_test(ways_without_samples),
		cmocka_unit_test(likely_counts),
		cmocka_unit_test(a_block_without_samples),
		cmocka_unit_test(tables_share),
		cmocka_unit_test(jumps_do_not_cross),
		cmocka_unit_test(the_next_block),
		cmocka_unit_test(a_jump_needs_samples),
		cmocka_unit_test(random_functions),
		cmocka_unit_test(hard_graphs),
		cmocka_unit_test(any_number_of_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
