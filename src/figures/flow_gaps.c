/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/flow_gaps.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"

#define WORST_COUNT 500 /* blocks that ran more often can be the worst */

bool flow_calls_init(struct flow_calls *calls, const struct flat_profile *profile, const struct flow_code *code)
{
	*calls = (struct flow_calls){0};
	if (!code->graphs)
		return true;
	calls->counts = calloc(profile->functions.len + 1, sizeof(*calls->counts));
	if (!flat_numbers_make(&calls->number_of, &code->binary->functions) || !calls->counts)
		return false;
	for (uint32_t i = 1; i < profile->functions.len; i++)
		*flat_numbers_of(&calls->number_of, profile->functions.at[i].number) = i;
	return true;
}

void flow_calls_free(struct flow_calls *calls)
{
	free(calls->counts);
	flat_numbers_free(&calls->number_of);
	*calls = (struct flow_calls){0};
}

static void add(struct flow_calls *calls, uint32_t number, uint64_t count)
{
	calls->counts[number] = count_add_saturating(calls->counts[number], count);
}

/* The function of the profile that begins at an address of the code, or FLAT_OUTSIDE. */
static uint32_t callee_at(const struct flow_calls *calls, const struct flow_code *code, uint64_t address)
{
	const struct function_table *table = code->pair ? &code->pair->functions : &code->binary->functions;
	const struct function *callee = functions_at(table, address);
	const struct function *own = callee && code->pair ? pair_output_of(code->pair, callee) : callee;

	return own ? *flat_numbers_of(&calls->number_of, functions_name_number(&code->binary->functions, own)) : FLAT_OUTSIDE;
}

const struct function *flow_code_of(const struct flow_code *code, const struct flat_function *function)
{
	const struct function *own = &code->binary->functions.at[function->number.v];

	return code->pair ? pair_input_of(code->pair, own) : own;
}

/* Is it a direct call, or a jump that leaves the function? */
static bool calls_directly(const struct insn *insn, const struct function *function)
{
	return insn->kind == INSN_CALL || insn_is_tail_call(function, insn);
}

static void add_direct(struct flow_calls *calls, const struct flow_function *f, const struct function *function,
		       const struct flow_code *code)
{
	const struct graph_code *insns = &f->graph->code;

	for (uint32_t block = 0; block < f->graph->count; block++)
		for (uint32_t i = insns->first_insn[block]; i < insns->first_insn[block + 1]; i++) {
			const struct insn *insn = &insns->insns.at[i];
			if (f->blocks.at[block].count && calls_directly(insn, function))
				add(calls, callee_at(calls, code, insn->target), f->blocks.at[block].count);
		}
}

/* The instruction at an offset of the function, or NULL. */
static const struct insn *insn_at(const struct graph_code *code, uint64_t offset)
{
	const struct insn_vec *insns = &code->insns;
	size_t first = insns_before(insns->at, insns->len, offset);

	return first < insns->len && insns->at[first].offset == offset ? &insns->at[first] : NULL;
}

static void add_indirect(struct flow_calls *calls, const struct flow_function *f, const struct flat_profile *profile,
			 uint32_t number)
{
	const struct flat_function *function = &profile->functions.at[number];

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		const struct insn *insn = record->kind == FLAT_CALL ? insn_at(&f->graph->code, record->from_at) : NULL;
		if (insn && (insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_JUMP_INDIRECT))
			add(calls, record->to, record->count);
	}
}

void flow_calls_add(struct flow_calls *calls, const struct flow_function *f, const struct flat_profile *profile,
		    uint32_t number, const struct flow_code *code)
{
	if (!f->graph)
		return;
	add_direct(calls, f, flow_code_of(code, &profile->functions.at[number]), code);
	add_indirect(calls, f, profile, number);
}

static double gap(uint64_t least, uint64_t most)
{
	return most ? 1 - (double)least / (double)most : 0;
}

/* Compares what the entry blocks send on, less what comes back to them, with the calls. */
static double call_gap(const struct flow_function *f, uint64_t called)
{
	uint64_t in = 0, out = 0;

	for (size_t i = 0; i < f->blocks.len; i++) {
		if (!flow_is_entry(f, i))
			continue;
		in = count_add_saturating(in, f->blocks.at[i].in);
		out = count_add_saturating(out, f->blocks.at[i].out);
	}
	uint64_t sent = out > in ? out - in : 0;
	if (f->blocks.len < 2 || !called)
		return 0;
	return sent < called ? gap(sent, called) : gap(called, sent);
}

static bool ends_in_recursion(const struct graph *graph, uint32_t block, uint64_t address)
{
	const struct graph_code *code = &graph->code;
	uint32_t end = code->first_insn[block + 1];

	return end > code->first_insn[block] && code->insns.at[end - 1].kind == INSN_CALL &&
	       code->insns.at[end - 1].target == address;
}

/* Is a block left out of the figure?  It is where nothing can be missing, or where nobody knows
 * what is. */
static bool is_left_out(const struct flow_function *f, uint32_t block, uint64_t address)
{
	const struct graph *graph = f->graph;
	bool leaves = graph->code.first_next[block] == graph->code.first_next[block + 1];

	return leaves || flow_is_entry(f, block) || graph->blocks[block].pad || ends_in_recursion(graph, block, address);
}

static double block_gap(const struct balance_block *block)
{
	uint64_t least = block->in < block->out ? block->in : block->out;
	uint64_t most = block->in < block->out ? block->out : block->in;

	if (block->calls) {
		least = block->calls < least ? block->calls : least;
		most = block->calls > most ? block->calls : most;
	}
	return gap(least, most);
}

struct flow_gaps flow_gaps_take(const struct flow_function *f, uint64_t address, uint64_t called)
{
	struct flow_gaps gaps = {.call = call_gap(f, called)};
	double weights = 0;

	for (uint32_t i = 0; i < f->graph->count; i++) {
		const struct balance_block *block = &f->blocks.at[i];
		uint32_t insns = f->graph->code.first_insn[i + 1] - f->graph->code.first_insn[i];
		if (!block->count || !insns || is_left_out(f, i, address))
			continue;
		double weight = log((double)block->count * insns), part = block_gap(block);
		gaps.weighted += weight * part;
		weights += weight;
		if (block->count > WORST_COUNT && part > gaps.worst)
			gaps.worst = part;
	}
	gaps.weighted = weights > 0 ? gaps.weighted / weights : 0;
	return gaps;
}
