/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/problem.h"

#include <stdlib.h>

#define MOST_INSTRUCTIONS (UINT32_C(1) << 20)

/* Counts the instructions of a block at which a sample can be. */
static uint32_t count_instructions(const struct function *f, const struct insn *first,
				   const struct insn *end, bool bolted)
{
	uint32_t count = 0;

	for (const struct insn *insn = first; insn < end; insn++)
		count +=
			!bolted || !(insn->nop || (insn->kind == INSN_JUMP && insn_stays(f, insn)));
	return count ? count : 1;
}

static struct flow_block block_of(const struct function *f, const struct graph *graph,
				  uint32_t number, bool bolted)
{
	const struct graph_code *code = &graph->code;
	const struct insn *first = &code->insns.at[code->first_insn[number]];
	const struct insn *end = &code->insns.at[code->first_insn[number + 1]];
	uint32_t instructions = count_instructions(f, first, end, bolted);
	struct flow_block block = {
		.instructions = instructions < MOST_INSTRUCTIONS ? instructions : MOST_INSTRUCTIONS,
		.removable = code_is_removable(f, first, end),
		.entry = !number,
		.pad = number && graph->blocks[number].entered,
		.leaves = code->first_next[number] == code->first_next[number + 1] ||
			  graph->blocks[number].indirect,
	};

	for (const struct insn *insn = first; insn < end; insn++) {
		block.leaves |= insn->kind == INSN_RETURN || insn_is_tail_call(f, insn);
		block.may_end |= insn_is_call(*insn);
	}
	return block;
}

static void count_samples(const struct graph *graph, const struct function_sample *samples,
			  size_t count, uint64_t divisor, struct flow_block *blocks)
{
	uint32_t block = 0;

	for (size_t i = 0; i < count; i++) {
		while (block + 1 < graph->count &&
		       graph->blocks[block + 1].start <= samples[i].offset)
			block++;
		uint64_t share = samples[i].count / divisor;
		blocks[block].samples += share ? share : samples[i].count != 0;
	}
}

/* Only the instructions that were counted show how often their block ran. */
static void count_known(const struct graph *graph, const struct function_sample *samples,
			size_t count, struct flow_block *blocks)
{
	for (uint32_t i = 0; i < graph->count; i++)
		blocks[i].instructions = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t *known = &blocks[graph_block_at(graph, samples[i].offset)].instructions;
		*known += *known < MOST_INSTRUCTIONS;
	}
	for (uint32_t i = 0; i < graph->count; i++) {
		blocks[i].removable = !blocks[i].instructions;
		blocks[i].instructions += blocks[i].removable;
	}
}

static void take_edges(const struct graph *graph, struct flow_edge *edges)
{
	const struct graph_code *code = &graph->code;

	for (uint32_t block = 0; block < graph->count; block++)
		for (uint32_t i = code->first_next[block]; i < code->first_next[block + 1]; i++)
			edges[i] = (struct flow_edge){block, code->next[i]};
}

bool function_problem_make(const struct function *function, const struct graph *graph,
			   const struct function_sample *samples, size_t count, uint64_t divisor,
			   enum counted_as as, struct function_problem *out)
{
	uint32_t edges = graph->code.first_next[graph->count];
	size_t blocks = graph->count;

	*out = (struct function_problem){
		.blocks = calloc(blocks + 1, sizeof(*out->blocks)),
		.edges = calloc((size_t)edges + 1, sizeof(*out->edges)),
		.counts = {.blocks = calloc(blocks + 1, sizeof(uint64_t)),
			   .entries = calloc(blocks + 1, sizeof(uint64_t)),
			   .edges = calloc((size_t)edges + 1, sizeof(uint64_t))},
	};
	if (!out->blocks || !out->edges || !out->counts.blocks || !out->counts.entries ||
	    !out->counts.edges)
		return false;
	for (uint32_t i = 0; i < graph->count; i++)
		out->blocks[i] = block_of(function, graph, i, as == SAMPLES_OF_BOLTED);
	count_samples(graph, samples, count, divisor, out->blocks);
	if (as == RUNS_OF_SOME)
		count_known(graph, samples, count, out->blocks);
	take_edges(graph, out->edges);
	out->problem = (struct flow_problem){.blocks = out->blocks,
					     .block_count = graph->count,
					     .edges = out->edges,
					     .edge_count = edges};
	return true;
}

void function_problem_free(struct function_problem *problem)
{
	free(problem->blocks);
	free(problem->edges);
	free(problem->counts.blocks);
	free(problem->counts.entries);
	free(problem->counts.edges);
	*problem = (struct function_problem){0};
}

static uint32_t callee_of(const struct targets *targets, const struct function *function,
			  const struct insn *insn)
{
	uint32_t callee = targets_of(targets, insn);
	bool direct = insn_is_direct(*insn);

	if (callee == NO_TARGET || !(insn_is_call(*insn) || insn_is_tail_call(function, insn) ||
				     insn->kind == INSN_JUMP_INDIRECT))
		return NO_TARGET;
	/* A slot that a PLT entry shares is called without that entry. */
	return direct || targets->functions->at[callee].kind != FUNCTION_PLT ? callee : NO_TARGET;
}

/* rest: how often the block was left for none of its successors. */
static bool take_calls(const struct flow_solved *solved, uint32_t block, uint64_t rest,
		       flow_step_fn *take, void *ctx)
{
	const struct graph_code *code = &solved->graph->code;
	uint32_t leaving = 0;
	bool ok = true;

	for (uint32_t i = code->first_insn[block]; i < code->first_insn[block + 1]; i++)
		leaving += insn_is_tail_call(solved->function, &code->insns.at[i]);
	for (uint32_t i = code->first_insn[block]; ok && i < code->first_insn[block + 1]; i++) {
		const struct insn *insn = &code->insns.at[i];
		bool call = insn_is_call(*insn);
		struct flow_step step = {
			block,    insn,
			NO_BLOCK, callee_of(solved->targets, solved->function, insn),
			true,     call ? solved->counts->blocks[block] : rest};
		if (step.callee != NO_TARGET && (call || leaving <= 1) && step.count)
			ok = take(ctx, &step);
	}
	return ok;
}

bool flow_steps(const struct flow_solved *solved, flow_step_fn *take, void *ctx)
{
	const struct graph *graph = solved->graph;
	const struct graph_code *code = &graph->code;
	uint64_t address = solved->function->address;
	bool ok = true;

	for (uint32_t block = 0; ok && block < graph->count; block++) {
		uint64_t rest = solved->counts->blocks[block];
		for (uint32_t i = code->first_next[block]; ok && i < code->first_next[block + 1];
		     i++) {
			struct flow_step step = {.block = block,
						 .to = code->next[i],
						 .callee = NO_TARGET,
						 .count = solved->counts->edges[i]};
			step.from = graph_code_source(graph, address, block, step.to);
			step.taken = step.from->kind == INSN_JUMP_INDIRECT ||
				     (insn_jumps(*step.from) &&
				      step.from->target == address + graph->blocks[step.to].start);
			ok = take(ctx, &step);
			rest -= step.count < rest ? step.count : rest;
		}
		const struct flow_step out = {
			block,    &code->insns.at[code->first_insn[block + 1] - 1],
			NO_BLOCK, NO_TARGET,
			false,    rest};
		ok = ok && take(ctx, &out) && take_calls(solved, block, rest, take, ctx);
	}
	return ok;
}
