/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/flow_ranges.h"

#include "src/flow/problem.h"

static bool add(struct count_table *out, uint64_t what, uint64_t from, uint64_t to, uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {what, from, to};

	return !count || count_table_add(out, key, count, 0);
}

static bool add_edge(const struct flow_ran *ran, uint32_t block, uint32_t to, uint64_t count, struct count_table *out)
{
	uint64_t base = ran->function->address;
	const struct insn *source = graph_code_source(ran->graph, base, block, to);
	uint64_t target = base + ran->graph->blocks[to].start;
	bool direct = insn_jumps(*source);
	bool taken = source->kind == INSN_JUMP_INDIRECT || (direct && source->target == target);

	return add(out, COUNTED_RANGE, base + ran->graph->blocks[block].start, base + source->offset, count) &&
	       (!taken || add(out, COUNTED_BRANCH, base + source->offset, target, count));
}

static bool add_calls(const struct flow_ran *ran, uint32_t block, struct count_table *out)
{
	const struct function_table *functions = ran->targets->functions;
	struct flow_call_vec calls = {0};

	bool ok = flow_calls(ran->targets, ran->function, ran->graph, block, ran->counts, &calls);
	for (size_t i = 0; ok && i < calls.len; i++) {
		uint64_t callee = functions->at[calls.at[i].callee].address;
		if (functions_code_at(functions, callee))
			ok = add(out, COUNTED_BRANCH, ran->function->address + calls.at[i].insn->offset, callee, calls.at[i].count);
	}
	flow_call_vec_free(&calls);
	return ok;
}

/* Adds a block: up to the jump by which it is left, which need not be its last instruction. */
static bool add_block(const struct flow_ran *ran, uint32_t block, struct count_table *out)
{
	const struct graph_code *code = &ran->graph->code;
	const struct block *b = &ran->graph->blocks[block];
	uint64_t base = ran->function->address, rest = ran->counts->blocks[block];
	bool ok = true;

	for (uint32_t i = code->first_next[block]; ok && i < code->first_next[block + 1]; i++) {
		ok = add_edge(ran, block, code->next[i], ran->counts->edges[i], out);
		rest -= ran->counts->edges[i] < rest ? ran->counts->edges[i] : rest;
	}
	return ok && add_calls(ran, block, out) && add(out, COUNTED_RANGE, base + b->start, base + b->last, rest);
}

bool flow_ranges_add(const struct flow_ran *ran, struct count_table *out)
{
	bool ok = true;

	for (uint32_t block = 0; ok && block < ran->graph->count; block++)
		ok = add_block(ran, block, out);
	return ok;
}

bool flow_ranges_enter(const struct function *function, uint64_t count, struct count_table *out)
{
	return add(out, COUNTED_BRANCH, RANGE_FROM_OUTSIDE, function->address, count);
}

bool flow_ranges_whole(const struct function *function, uint64_t count, struct count_table *out)
{
	return !function->size || add(out, COUNTED_RANGE, function->address, function->address + function->size - 1, count);
}
