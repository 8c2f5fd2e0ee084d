/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a graph says of a function's flow, and the calls that a flow has: a function of five
 * blocks, put together by hand. */
#include "src/flow/problem.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"

enum { F, G, P };

#define INSN(number, type, to) {.offset = 4 * (number), .size = 4, .kind = (type), .target = (to)}

static struct function functions[] = {
	[F] = {.address = 0x1000, .size = 0x40, .extent = 0x40, .primary = "f", .printed = "f"},
	[G] = {.address = 0x2000, .size = 0x10, .extent = 0x10, .primary = "g", .printed = "g"},
	[P] = {.address = 0x3000,
	       .size = 0x10,
	       .extent = 0x10,
	       .primary = "p@PLT",
	       .printed = "p@PLT",
	       .kind = FUNCTION_PLT},
};
static struct function_table table = {.at = functions, .count = BC_COUNT(functions)};
static struct target_slot slots[] = {{0x7000, G}, {0x7008, P}};
static struct targets targets = {
	.functions = &table, .slots = slots, .slot_count = BC_COUNT(slots)};

static struct insn insns[] = {
	INSN(0, INSN_CALL, 0x2000),
	INSN(1, INSN_CALL_INDIRECT, 0x7000),
	INSN(2, INSN_CALL_INDIRECT, 0x7008),
	INSN(3, INSN_CALL, 0x3000),
	INSN(4, INSN_CONDITIONAL, 0x2000), /* block 0 */
	INSN(5, INSN_CONDITIONAL, 0x2000),
	INSN(6, INSN_JUMP, 0x3000),          /* 1: out of the function, twice */
	INSN(7, INSN_JUMP_INDIRECT, 0x7000), /* 2: through a slot */
	INSN(8, INSN_NEXT, 0),
	INSN(9, INSN_CONDITIONAL, 0x1000),
	INSN(10, INSN_RETURN, 0),    /* 3 */
	INSN(11, INSN_JUMP, 0x1000), /* 4 */
};
static struct block blocks[] = {
	{.start = 0, .last = 0x10, .entered = true},
	{.start = 0x14, .last = 0x18},
	{.start = 0x1c, .last = 0x1c, .entered = true, .indirect = true},
	{.start = 0x20, .last = 0x28},
	{.start = 0x2c, .last = 0x2c},
};
static uint32_t first_insn[] = {0, 5, 7, 8, 11, 12}, first_next[] = {0, 1, 1, 1, 2, 3},
		next[] = {1, 0, 0};
static const struct graph graph = {
	.blocks = blocks,
	.count = BC_COUNT(blocks),
	.size = 0x30,
	.code = {.insns = {insns, BC_COUNT(insns), BC_COUNT(insns)},
		 .first_insn = first_insn,
		 .first_next = first_next,
		 .next = next},
};

static uint64_t block_counts[] = {100, 40, 30, 20, 10}, edge_counts[] = {60, 20, 10};
static const struct flow_counts counts = {.blocks = block_counts, .edges = edge_counts};

static int setup(void **state)
{
	(void)state;
	return functions_index(&table) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(table.index.below);
	return 0;
}

struct expected_call {
	uint32_t insn, callee;
	uint64_t count;
};

struct seen_calls {
	uint32_t block;
	const struct expected_call *expected;
	size_t count;
};

static bool see_call(void *ctx, const struct flow_step *step)
{
	struct seen_calls *seen = ctx;

	if (step->block != seen->block || step->callee == NO_TARGET)
		return true;
	assert_ptr_equal(step->from, &insns[seen->expected[seen->count].insn]);
	assert_int_equal(step->callee, seen->expected[seen->count].callee);
	assert_int_equal(step->count, seen->expected[seen->count].count);
	seen->count++;
	return true;
}

static const struct flow_solved solved = {&targets, &functions[F], &graph, &counts};

static void assert_calls(uint32_t block, const struct expected_call *expected, size_t count)
{
	struct seen_calls seen = {block, expected, 0};

	assert_true(flow_steps(&solved, see_call, &seen));
	assert_int_equal(seen.count, count);
}

struct expected_step {
	uint32_t block, insn, to;
	bool taken;
	uint64_t count;
};

static bool see_step(void *ctx, const struct flow_step *step)
{
	const struct expected_step **expected = ctx;

	if (step->callee != NO_TARGET)
		return true;
	assert_int_equal(step->block, (*expected)->block);
	assert_ptr_equal(step->from, &insns[(*expected)->insn]);
	assert_int_equal(step->to, (*expected)->to);
	assert_int_equal(step->taken, (*expected)->taken);
	assert_int_equal(step->count, (*expected)->count);
	++*expected;
	return true;
}

/* Each block is left along its edges, by a jump that leads there or by going on, and for none of
 * them as often as is left. */
static void steps_of_blocks(void **state)
{
	static const struct expected_step steps[] = {
		{0, 4, 1, false, 60},        {0, 4, NO_BLOCK, false, 40},
		{1, 6, NO_BLOCK, false, 40}, {2, 7, NO_BLOCK, false, 30},
		{3, 9, 0, true, 20},         {3, 10, NO_BLOCK, false, 0},
		{4, 11, 0, true, 10},        {4, 11, NO_BLOCK, false, 0},
	};
	const struct expected_step *at = steps;

	(void)state;
	assert_true(flow_steps(&solved, see_step, &at));
	assert_ptr_equal(at, steps + BC_COUNT(steps));
}

/* A call is made as often as its block runs; through the slot of a PLT entry it is none of that
 * entry.  100 - 60 leave block 0 for g. */
static void calls_of_blocks(void **state)
{
	static const struct expected_call first[] = {{0, G, 100},
						     {1, G, 100},
						     {3, P, 100},
						     {4, G, 40}},
					  third[] = {{7, G, 30}};

	(void)state;
	assert_calls(0, first, BC_COUNT(first));
	assert_calls(1, NULL, 0);
	assert_calls(2, third, BC_COUNT(third));
	assert_calls(3, NULL, 0);
	assert_calls(4, NULL, 0);
	edge_counts[0] = 150; /* more than the block has: none are left */
	assert_calls(0, first, 3);
	edge_counts[0] = 60;
	block_counts[0] = 0;
	assert_calls(0, NULL, 0);
	block_counts[0] = 100;
}

static void assert_blocks(const struct function_problem *problem, const struct flow_block *expected)
{
	for (uint32_t i = 0; i < graph.count; i++) {
		const struct flow_block *block = &problem->problem.blocks[i];
		assert_int_equal(block->samples, expected[i].samples);
		assert_int_equal(block->instructions, expected[i].instructions);
		assert_int_equal(block->removable, expected[i].removable);
		assert_int_equal(block->entry, expected[i].entry);
		assert_int_equal(block->pad, expected[i].pad);
		assert_int_equal(block->leaves, expected[i].leaves);
		assert_int_equal(block->may_end, expected[i].may_end);
	}
}

/* Ten samples are one.  llvm-bolt's output has no nops, and no jumps within the function. */
static void blocks_of_a_graph(void **state)
{
	static const struct function_sample samples[] = {
		{0x10, 5}, {0x14, 95}, {0x2b, 10}, {0x2c, 20}, {0x100, 29}};
	static const struct flow_block bolted[] = {
		{.samples = 1, .instructions = 5, .entry = true, .leaves = true, .may_end = true},
		{.samples = 9, .instructions = 2, .leaves = true},
		{.instructions = 1, .pad = true, .leaves = true},
		{.samples = 1, .instructions = 2, .leaves = true},
		{.samples = 2 + 2, .instructions = 1, .removable = true},
	};
	static const struct flow_edge edges[] = {{0, 1}, {3, 0}, {4, 0}};
	struct flow_block own[BC_COUNT(bolted)];
	struct function_problem problem;

	(void)state;
	insns[8].nop = true;
	for (size_t i = 0; i < BC_COUNT(bolted); i++)
		own[i] = bolted[i];
	own[3].instructions = 3;
	assert_true(function_problem_make(&functions[F], &graph, samples, BC_COUNT(samples), 10,
					  true, &problem));
	assert_blocks(&problem, bolted);
	assert_int_equal(problem.problem.edge_count, BC_COUNT(edges));
	for (size_t i = 0; i < BC_COUNT(edges); i++) {
		assert_int_equal(problem.problem.edges[i].from, edges[i].from);
		assert_int_equal(problem.problem.edges[i].to, edges[i].to);
	}
	function_problem_free(&problem);
	assert_true(function_problem_make(&functions[F], &graph, samples, BC_COUNT(samples), 10,
					  false, &problem));
	assert_blocks(&problem, own);
	function_problem_free(&problem);
	insns[8].nop = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_of_blocks, setup, teardown),
		cmocka_unit_test(blocks_of_a_graph),
		cmocka_unit_test_setup_teardown(steps_of_blocks, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
