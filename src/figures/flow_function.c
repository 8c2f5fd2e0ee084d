/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/flow_function.h"

#include "src/base/counts.h"
#include "src/base/sort.h"

void flow_function_free(struct flow_function *function)
{
	flow_block_vec_free(&function->blocks);
	flow_edge_vec_free(&function->edges);
	input_block_vec_free(&function->input.blocks);
	flow_number_vec_free(&function->work);
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- where blocks begin ---- */

static bool block_less(const struct balance_block *a, const struct balance_block *b)
{
	return a->start < b->start;
}
DEFINE_SORT(sort_blocks, struct balance_block, block_less)

static bool push_start(struct flow_function *f, uint64_t start)
{
	return flow_block_vec_push(&f->blocks, (struct balance_block){.start = start});
}

/* Finds the blocks in the profile itself: each target of a record begins a block, and numbered
 * blocks are those that it names. */
static bool starts_of_records(struct flow_function *f, const struct flat_profile *profile,
			      const struct flat_function *function)
{
	size_t kept = 0;

	if (!push_start(f, 0))
		return false;
	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		if (record->kind == FLAT_EDGE && !push_start(f, record->to_at))
			return false;
		if (profile->by_block && record->from && !push_start(f, record->from_at))
			return false;
	}
	sort_blocks(f->blocks.at, f->blocks.len);
	for (size_t i = 0; i < f->blocks.len; i++)
		if (!kept || f->blocks.at[kept - 1].start != f->blocks.at[i].start)
			f->blocks.at[kept++] = f->blocks.at[i];
	f->blocks.len = kept;
	return true;
}

static bool starts_of_graph(struct flow_function *f)
{
	for (uint32_t i = 0; i < f->graph->count; i++)
		if (!push_start(f, f->graph->blocks[i].start))
			return false;
	return true;
}

static bool starts_of_table(struct flow_function *f, const struct flow_code *code, const struct flat_function *function)
{
	if (!blocks_of(code->blocks, &code->binary->functions.at[function->number.v], &f->input))
		return false;
	for (size_t i = 0; i < f->input.blocks.len; i++)
		if (!push_start(f, f->input.blocks.at[i].offset))
			return false;
	return true;
}

const struct graph *flow_graph(const struct flow_code *code, const struct flat_function *function)
{
	if (!code->graphs)
		return NULL;
	const struct function *own = &code->binary->functions.at[function->number.v];
	const struct function *with_code = code->pair ? pair_input_of(code->pair, own) : own;
	const struct graph *graph = with_code ? cfg_find(code->graphs, with_code) : NULL;
	return graph && graph->count && graph->code.first_insn ? graph : NULL;
}

static bool find_starts(struct flow_function *f, const struct flat_profile *profile, const struct flat_function *function,
			const struct flow_code *code)
{
	f->graph = flow_graph(code, function);
	if (f->graph)
		return starts_of_graph(f);
	struct code_number number;
	if (code->blocks && functions_code_of(&code->binary->functions, function->number, &number))
		return starts_of_table(f, code, function);
	return starts_of_records(f, profile, function);
}

/* ---- counts ---- */

DEFINE_SEARCH(blocks_above, struct balance_block, uint64_t, item->start <= key)

/* The block that holds a place, or NULL if it is before the first. */
static struct balance_block *block_at(const struct flow_function *f, uint64_t at)
{
	size_t above = blocks_above(f->blocks.at, f->blocks.len, at);

	return above ? &f->blocks.at[above - 1] : NULL;
}

/* Adds a record as an edge, if it leads to the beginning of a block. */
static bool add_edge(struct flow_function *f, struct balance_block *from, const struct flat_record *record)
{
	struct balance_block *to = block_at(f, record->to_at);
	struct flow_edge_count edge = {(uint32_t)(from - f->blocks.at), (uint32_t)(to - f->blocks.at), record->count};

	if (!to || to->start != record->to_at)
		return true;
	from->out = count_add_saturating(from->out, record->count);
	to->in = count_add_saturating(to->in, record->count);
	return flow_edge_vec_push(&f->edges, edge);
}

/* The calls at one place, which stand next to each other. */
struct call_site {
	struct balance_block *block;
	uint64_t at, site, count;
};

static void add_call(struct balance_block *block, const struct flat_record *record, struct call_site *last)
{
	if (last->block != block || last->at != record->from_at || last->site != record->site)
		*last = (struct call_site){block, record->from_at, record->site, 0};
	last->count = count_add_saturating(last->count, record->count);
	block->calls = most(block->calls, last->count);
	block->called = count_add_saturating(block->called, record->count);
}

static bool add_records(struct flow_function *f, const struct flat_profile *profile, const struct flat_function *function)
{
	struct call_site last = {0};

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		struct balance_block *from = record->from ? block_at(f, record->from_at) : NULL;
		if (!from)
			continue;
		if (record->kind == FLAT_CALL)
			add_call(from, record, &last);
		if (record->kind == FLAT_EDGE && !add_edge(f, from, record))
			return false;
	}
	return true;
}

static void settle_blocks(struct flow_function *f, const struct flat_function *function)
{
	size_t edge = 0;

	for (size_t i = 0; i < f->blocks.len; i++) {
		struct balance_block *block = &f->blocks.at[i];
		uint64_t in = block->start ? block->in : function->executed;
		block->count = most(most(in, block->out), block->calls);
		while (edge < f->edges.len && f->edges.at[edge].from < i)
			edge++;
		block->first_edge = (uint32_t)edge;
	}
}

bool flow_function_make(struct flow_function *f, const struct flat_profile *profile, uint32_t number,
			const struct flow_code *code)
{
	const struct flat_function *function = &profile->functions.at[number];

	f->blocks.len = f->edges.len = 0;
	if (!find_starts(f, profile, function, code) || !add_records(f, profile, function))
		return false;
	settle_blocks(f, function);
	return true;
}

/* ---- what leads where ---- */

bool flow_is_entry(const struct flow_function *function, size_t block)
{
	if (!function->blocks.at[block].start)
		return true;
	return function->graph && function->graph->blocks[block].entered && !function->graph->blocks[block].pad;
}

static bool reach(struct flow_function *f, uint32_t block)
{
	if (f->blocks.at[block].reached)
		return true;
	f->blocks.at[block].reached = true;
	return flow_number_vec_push(&f->work, block);
}

static bool reach_all(struct flow_function *f)
{
	f->work.len = 0;
	for (size_t i = 0; i < f->blocks.len; i++)
		if (f->blocks.at[i].count && flow_is_entry(f, i) && !reach(f, (uint32_t)i))
			return false;
	while (f->work.len) {
		uint32_t block = f->work.at[--f->work.len];
		for (size_t i = f->blocks.at[block].first_edge; i < f->edges.len && f->edges.at[i].from == block; i++)
			if (f->edges.at[i].count && !reach(f, f->edges.at[i].to))
				return false;
	}
	return true;
}

bool flow_function_reach(struct flow_function *f, uint64_t *lost, uint64_t *all)
{
	*lost = *all = 0;
	if (!reach_all(f))
		return false;
	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct balance_block *block = &f->blocks.at[i];
		*all = count_add_saturating(*all, block->count);
		*lost = count_add_saturating(*lost, block->reached ? 0 : block->count);
	}
	return true;
}
