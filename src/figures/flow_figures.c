/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/flow_figures.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"

/* ---- one function ---- */

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
DEFINE_UNIFY(unify_blocks, struct balance_block, last->start == item->start, (void)0)

static bool push_start(struct flow_function *f, uint64_t start)
{
	return flow_block_vec_push(&f->blocks, (struct balance_block){.start = start});
}

/* Finds the blocks in the profile itself: each target of a record begins a block, and numbered
 * blocks are those that it names. */
static bool starts_of_records(struct flow_function *f, const struct flat_profile *profile,
			      const struct flat_function *function)
{
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
	f->blocks.len = unify_blocks(f->blocks.at, f->blocks.len);
	return true;
}

static bool starts_of_graph(struct flow_function *f)
{
	for (uint32_t i = 0; i < f->graph->count; i++)
		if (!push_start(f, f->graph->blocks[i].start))
			return false;
	return true;
}

static bool starts_of_table(struct flow_function *f, const struct flow_code *code,
			    const struct flat_function *function)
{
	if (!blocks_of(code->blocks, &code->binary->functions.at[function->number.v], &f->input))
		return false;
	for (size_t i = 0; i < f->input.blocks.len; i++)
		if (!push_start(f, f->input.blocks.at[i].offset))
			return false;
	return true;
}

const struct graph *flow_graph_of(const struct flow_code *code, const struct function *own)
{
	if (!code->graphs)
		return NULL;
	const struct function *with_code = code->pair ? pair_input_of(code->pair, own) : own;
	const struct graph *graph = with_code ? cfg_find(code->graphs, with_code) : NULL;
	return graph && graph->count && graph->code.first_insn ? graph : NULL;
}

static const struct graph *flow_graph(const struct flow_code *code,
				      const struct flat_function *function)
{
	return code->graphs ? flow_graph_of(code, &code->binary->functions.at[function->number.v]) :
			      NULL;
}

static bool find_starts(struct flow_function *f, const struct flat_profile *profile,
			const struct flat_function *function, const struct flow_code *code)
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

/* The block that holds a location, or NULL if it is before the first. */
static struct balance_block *block_at(const struct flow_function *f, uint64_t at)
{
	size_t above = blocks_above(f->blocks.at, f->blocks.len, at);

	return above ? &f->blocks.at[above - 1] : NULL;
}

/* Adds a record as an edge, if it leads to the beginning of a block. */
static bool add_edge(struct flow_function *f, struct balance_block *from,
		     const struct flat_record *record)
{
	struct balance_block *to = block_at(f, record->to_at);
	struct flow_edge_count edge = {(uint32_t)(from - f->blocks.at),
				       (uint32_t)(to - f->blocks.at), record->count};

	if (!to || to->start != record->to_at)
		return true;
	from->out = count_add_saturating(from->out, record->count);
	to->in = count_add_saturating(to->in, record->count);
	return flow_edge_vec_push(&f->edges, edge);
}

/* The calls at one location, which are next to each other. */
struct call_site {
	struct balance_block *block;
	uint64_t at, site, count;
};

static void add_call(struct balance_block *block, const struct flat_record *record,
		     struct call_site *last)
{
	if (last->block != block || last->at != record->from_at || last->site != record->site)
		*last = (struct call_site){block, record->from_at, record->site, 0};
	last->count = count_add_saturating(last->count, record->count);
	block->calls = most(block->calls, last->count);
	block->called = count_add_saturating(block->called, record->count);
}

static bool add_records(struct flow_function *f, const struct flat_profile *profile,
			const struct flat_function *function)
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

bool flow_function_make(struct flow_function *f, const struct flat_profile *profile,
			uint32_t number, const struct flow_code *code)
{
	const struct flat_function *function = &profile->functions.at[number];

	f->blocks.len = f->edges.len = 0;
	if (!find_starts(f, profile, function, code) || !add_records(f, profile, function))
		return false;
	settle_blocks(f, function);
	return true;
}

/* ---- what leads where ---- */

static bool flow_is_entry(const struct flow_function *function, size_t block)
{
	if (!function->blocks.at[block].start)
		return true;
	return function->graph && function->graph->blocks[block].entered &&
	       !function->graph->blocks[block].pad;
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
		for (size_t i = f->blocks.at[block].first_edge;
		     i < f->edges.len && f->edges.at[i].from == block; i++)
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

/* ---- gaps ---- */

#define WORST_COUNT 500 /* blocks that ran more often can be the worst */

static bool flow_calls_init(struct flow_calls *calls, const struct flat_profile *profile,
			    const struct flow_code *code)
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
static uint32_t callee_at(const struct flow_calls *calls, const struct flow_code *code,
			  uint64_t address)
{
	const struct function_table *table =
		code->pair ? &code->pair->functions : &code->binary->functions;
	const struct function *callee = functions_at(table, address);
	const struct function *own =
		callee && code->pair ? pair_output_of(code->pair, callee) : callee;

	return own ? *flat_numbers_of(&calls->number_of,
				      functions_name_number(&code->binary->functions, own)) :
		     FLAT_OUTSIDE;
}

const struct function *flow_code_of(const struct flow_code *code,
				    const struct flat_function *function)
{
	const struct function *own = &code->binary->functions.at[function->number.v];

	return code->pair ? pair_input_of(code->pair, own) : own;
}

/* Is it a direct call, or a jump that leaves the function? */
static bool calls_directly(const struct insn *insn, const struct function *function)
{
	return insn->kind == INSN_CALL || insn_is_tail_call(function, insn);
}

static void add_direct(struct flow_calls *calls, const struct flow_function *f,
		       const struct function *function, const struct flow_code *code)
{
	const struct graph_code *insns = &f->graph->code;

	for (uint32_t block = 0; block < f->graph->count; block++)
		for (uint32_t i = insns->first_insn[block]; i < insns->first_insn[block + 1]; i++) {
			const struct insn *insn = &insns->insns.at[i];
			if (f->blocks.at[block].count && calls_directly(insn, function))
				add(calls, callee_at(calls, code, insn->target),
				    f->blocks.at[block].count);
		}
}

/* The instruction at an offset of the function, or NULL. */
static void add_indirect(struct flow_calls *calls, const struct flow_function *f,
			 const struct flat_profile *profile, uint32_t number)
{
	const struct flat_function *function = &profile->functions.at[number];

	for (size_t i = 0; i < function->count; i++) {
		const struct flat_record *record = &profile->records.at[function->first + i];
		const struct insn *insn =
			record->kind == FLAT_CALL ? graph_insn_at(f->graph, record->from_at) : NULL;
		if (insn && (insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_JUMP_INDIRECT))
			add(calls, record->to, record->count);
	}
}

static void flow_calls_add(struct flow_calls *calls, const struct flow_function *f,
			   const struct flat_profile *profile, uint32_t number,
			   const struct flow_code *code)
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

	return leaves || flow_is_entry(f, block) || graph->blocks[block].pad ||
	       ends_in_recursion(graph, block, address);
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

/* ---- all functions ---- */

/* These are the numbers of llvm-bolt. */
#define FUNCTIONS_LOOKED_AT 1000
#define PERCENTILE          95
#define BIAS_COUNT          100

DEFINE_VEC(share_vec, double);

static bool share_less(const double *a, const double *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_shares, double, share_less)

static double percentile(struct share_vec *shares)
{
	if (!shares->len)
		return 0;
	sort_shares(shares->at, shares->len);
	return 100 * shares->at[shares->len * PERCENTILE / 100];
}

struct taking {
	const struct flat_profile *profile;
	const struct flow_code *code;
	struct flow_function function;
	struct flow_figures *out;
	struct share_vec biases;  /* of the blocks of which the mean is taken */
	struct share_vec entries; /* of entries, which only the deviation has */
	uint64_t lost, counted;
	struct share_vec discontinuities, call_gaps, flow_gaps, worst_gaps;
	struct flow_calls *calls;
};

static void taking_free(struct taking *t)
{
	flow_function_free(&t->function);
	share_vec_free(&t->biases);
	share_vec_free(&t->entries);
	share_vec_free(&t->discontinuities);
	share_vec_free(&t->call_gaps);
	share_vec_free(&t->flow_gaps);
	share_vec_free(&t->worst_gaps);
}

bool flow_has(const struct flow_code *code, const struct flat_function *function)
{
	if (function->plt || !(function->count || function->executed))
		return false;
	if (code->graphs) {
		const struct graph *graph = flow_graph(code, function);
		return graph && flow_optimizes(graph);
	}
	return !code->left_out.at || !*name_marks_of(&code->left_out, function->number);
}

/* ---- bias ---- */

static bool note_biases(struct taking *t)
{
	for (size_t i = 0; i < t->function.blocks.len; i++) {
		const struct balance_block *block = &t->function.blocks.at[i];
		double in = (double)block->in, out = (double)block->out;
		if (block->in < BIAS_COUNT || !block->out)
			continue;
		if (!share_vec_push(flow_is_entry(&t->function, i) ? &t->entries : &t->biases,
				    fabs(out - in) / in))
			return false;
	}
	return true;
}

static double squares(const struct share_vec *shares, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < shares->len; i++)
		sum += (shares->at[i] - mean) * (shares->at[i] - mean);
	return sum;
}

static void settle_bias(struct taking *t)
{
	double sum = 0;
	size_t all = t->biases.len + t->entries.len;

	for (size_t i = 0; i < t->biases.len; i++)
		sum += t->biases.at[i];
	double mean = t->biases.len ? sum / (double)t->biases.len : 0;
	t->out->blocks = t->biases.len;
	t->out->bias = 100 * mean;
	if (all)
		t->out->deviation =
			100 * sqrt((squares(&t->biases, mean) + squares(&t->entries, mean)) /
				   (double)all);
}

/* ---- what is one number a function ---- */

struct executed_function {
	uint32_t number;
	uint64_t executed;
};
DEFINE_VEC(executed_vec, struct executed_function);

static bool executed_more(const struct executed_function *a, const struct executed_function *b)
{
	return a->executed != b->executed ? a->executed > b->executed : a->number < b->number;
}
DEFINE_SORT(sort_executed, struct executed_function, executed_more)

static bool note_reach(struct taking *t)
{
	uint64_t lost, all;

	if (!flow_function_reach(&t->function, &lost, &all))
		return false;
	t->lost = count_add_saturating(t->lost, lost);
	t->counted = count_add_saturating(t->counted, all);
	bool one = t->function.blocks.len < 2;
	return share_vec_push(&t->discontinuities, one || !all ? 0 : (double)lost / (double)all);
}

static bool note_gaps(struct taking *t, uint32_t number)
{
	const struct flat_function *function = &t->profile->functions.at[number];
	struct flow_gaps gaps;

	if (!t->out->has_gaps || !t->function.graph)
		return true;
	gaps = flow_gaps_take(&t->function, flow_code_of(t->code, function)->address,
			      t->calls->counts[number]);
	return share_vec_push(&t->call_gaps, gaps.call) &&
	       share_vec_push(&t->flow_gaps, gaps.weighted) &&
	       share_vec_push(&t->worst_gaps, gaps.worst);
}

static bool look_at(struct taking *t, const struct executed_vec *functions)
{
	for (size_t i = 0; i < functions->len && i < FUNCTIONS_LOOKED_AT; i++) {
		uint32_t number = functions->at[i].number;
		if (!flow_function_make(&t->function, t->profile, number, t->code) ||
		    !note_reach(t) || !note_gaps(t, number))
			return false;
		t->out->functions++;
	}
	return true;
}

/* Takes all functions that have blocks, and the bias of each. */
static bool take_functions(struct taking *t, struct executed_vec *functions)
{
	for (uint32_t i = 1; i < t->profile->functions.len; i++) {
		const struct flat_function *function = &t->profile->functions.at[i];
		if (!flow_has(t->code, function))
			continue;
		if (!flow_function_make(&t->function, t->profile, i, t->code) || !note_biases(t))
			return false;
		if (t->out->has_gaps)
			flow_calls_add(t->calls, &t->function, t->profile, i, t->code);
		if (t->function.blocks.len &&
		    !executed_vec_push(functions,
				       (struct executed_function){i, function->executed}))
			return false;
	}
	sort_executed(functions->at, functions->len);
	return true;
}

bool flow_take(const struct flat_profile *profile, const struct flow_code *code,
	       struct flow_calls *calls, struct flow_figures *out, struct bc_error *err)
{
	struct taking t = {.profile = profile, .code = code, .out = out, .calls = calls};
	struct executed_vec functions = {0};

	*out = (struct flow_figures){.has_gaps = code->graphs};
	bool ok = flow_calls_init(t.calls, profile, code) && take_functions(&t, &functions) &&
		  look_at(&t, &functions);
	if (ok) {
		settle_bias(&t);
		out->discontinuity = percentile(&t.discontinuities);
		out->unreachable = percent_of(t.lost, t.counted);
		out->call_gap = percentile(&t.call_gaps);
		out->flow_gap = percentile(&t.flow_gaps);
		out->worst_gap = percentile(&t.worst_gaps);
	}
	executed_vec_free(&functions);
	taking_free(&t);
	return ok || bc_fail_nomem(err);
}
