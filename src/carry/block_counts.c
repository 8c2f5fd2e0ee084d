/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/block_counts.h"

#include <stdlib.h>

#include "src/base/counts.h"
#include "src/base/sort.h"

#define NO_SLOT UINT32_MAX

struct taking {
	const struct flat_profile *profile;
	struct carry_build *build;
	struct old_counts *out;
	uint32_t *slot_of; /* by number in the profile: index in out->functions */
	uint64_t *in;      /* of all blocks, function by function: what enters each */
	size_t *first;     /* by slot: where its blocks begin in `in` */
};

static uint32_t block_of(const struct flat_profile *profile, const struct graph *graph, uint64_t at)
{
	if (profile->by_block)
		return at < graph->count ? (uint32_t)at : graph->count;
	return at < graph->size ? graph_block_at(graph, at) : graph->count;
}

static void note(struct taking *t, bool fits, uint64_t count)
{
	uint64_t *sum = fits ? &t->out->fits : &t->out->misfits;

	*sum = count_add_saturating(*sum, count);
}

/* What enters a block of a function of the profile. */
static bool enter(struct taking *t, uint32_t number, uint64_t at, uint64_t count)
{
	uint32_t slot = t->slot_of[number];
	const struct block_counts *f = slot == NO_SLOT ? NULL : &t->out->functions.at[slot];

	if (!f || !f->graph)
		return true;
	uint32_t block = block_of(t->profile, f->graph, at);
	bool fits = block < f->graph->count &&
		    (t->profile->by_block || f->graph->blocks[block].start == at);
	if (fits)
		t->in[t->first[slot] + block] =
			count_add_saturating(t->in[t->first[slot] + block], count);
	return fits;
}

/* The instruction of a record's location; NULL: there is none. */
static const struct insn *insn_of(const struct taking *t, const struct graph *graph,
				  const struct flat_record *record)
{
	if (!t->profile->by_block)
		return graph_insn_at(graph, record->from_at);
	return record->from_at < graph->count ?
		       graph_insn_at(graph, graph->blocks[record->from_at].start + record->site) :
		       NULL;
}

/* Keeps where a call went that does not show it. */
static bool keep_indirect(struct taking *t, const struct block_counts *f,
			  const struct flat_record *record)
{
	const struct insn *insn = insn_of(t, f->graph, record);
	uint32_t slot = t->slot_of[record->to];

	if (record->kind != FLAT_CALL || !record->count || record->to_at || slot == NO_SLOT ||
	    !insn || (insn->kind != INSN_CALL_INDIRECT && insn->kind != INSN_JUMP_INDIRECT))
		return true;
	return observed_call_vec_push(&t->out->calls,
				      (struct observed_call){f->function, insn->offset,
							     t->out->functions.at[slot].function,
							     record->count});
}

/* Records of one location, [from, end): edges that leave its block add up, and calls of one
 * location do.  A jump out of the function is a call that leaves. */
static void leave(struct taking *t, struct block_counts *f, uint64_t *left, size_t from, size_t end)
{
	const struct flat_record *records = t->profile->records.at;
	uint32_t block = block_of(t->profile, f->graph, records[from].from_at);
	const struct insn *insn =
		t->profile->by_block ? NULL : graph_insn_at(f->graph, records[from].from_at);
	uint64_t edges = 0, calls = 0;
	bool known = block < f->graph->count && (t->profile->by_block || insn);

	for (size_t i = from; i < end; i++) {
		uint64_t *sum = records[i].kind == FLAT_EDGE ? &edges : &calls;
		bool fits = known;
		if (records[i].kind == FLAT_EDGE)
			fits = enter(t, records[i].to, records[i].to_at, records[i].count) && known;
		note(t, fits, records[i].count);
		*sum = count_add_saturating(*sum, records[i].count);
	}
	if (!known)
		return;
	if (insn && insn_is_tail_call(f->function, insn)) {
		edges = count_add_saturating(edges, calls);
		calls = 0;
	}
	left[block] = count_add_saturating(left[block], edges);
	if (f->blocks[block] < calls)
		f->blocks[block] = calls;
}

/* Each function's own records; those from outside enter it. */
static bool take_records(struct taking *t, uint32_t number)
{
	const struct flat_function *flat = &t->profile->functions.at[number];
	const struct flat_record *records = t->profile->records.at;
	struct block_counts *f = &t->out->functions.at[t->slot_of[number]];
	uint64_t *left = f->graph ? calloc(f->graph->count + 1, sizeof(*left)) : NULL;
	size_t end = flat->first + flat->count;
	bool ok = !f->graph || left;

	for (size_t i = flat->first, next; ok && i < end; i = next) {
		for (next = i + 1;
		     next < end && records[next].from_at == records[i].from_at &&
		     records[next].site == records[i].site &&
		     (records[next].kind == FLAT_ENTRY) == (records[i].kind == FLAT_ENTRY);)
			next++;
		for (size_t k = i; k < next; k++)
			if (records[k].kind == FLAT_CALL ||
			    (records[k].kind == FLAT_ENTRY && !t->profile->by_block))
				(void)enter(t, records[k].to, records[k].to_at, records[k].count);
		if (f->graph && records[i].kind != FLAT_ENTRY)
			leave(t, f, left, i, next);
		for (size_t k = i; ok && f->graph && k < next; k++)
			ok = keep_indirect(t, f, &records[k]);
	}
	for (uint32_t i = 0; ok && f->graph && i < f->graph->count; i++)
		if (f->blocks[i] < left[i])
			f->blocks[i] = left[i];
	free(left);
	return ok;
}

/* In YAML, a function says how often it was entered. */
static void enter_known(struct taking *t)
{
	for (uint32_t i = 1; t->profile->by_block && i < t->profile->functions.len; i++) {
		uint32_t slot = t->slot_of[i];
		uint64_t executed = t->profile->functions.at[i].executed;
		if (slot == NO_SLOT || !t->out->functions.at[slot].graph)
			continue;
		uint64_t *block = &t->out->functions.at[slot].blocks[0];
		*block = *block > executed ? *block : executed;
	}
}

static void add_up(struct taking *t)
{
	for (size_t slot = 0; slot < t->out->functions.len; slot++) {
		struct block_counts *f = &t->out->functions.at[slot];
		for (uint32_t i = 0; f->graph && i < f->graph->count; i++) {
			uint64_t in = t->in[t->first[slot] + i];
			f->blocks[i] = f->blocks[i] > in ? f->blocks[i] : in;
			uint64_t insns =
				f->graph->code.first_insn[i + 1] - f->graph->code.first_insn[i];
			uint64_t most = UINT64_MAX / 4 / (insns + 1);
			f->runs = count_add_saturating(
				f->runs, (f->blocks[i] < most ? f->blocks[i] : most) * insns);
		}
	}
}

static bool runs_more(const struct block_counts *a, const struct block_counts *b)
{
	return a->runs != b->runs ? a->runs > b->runs : a->function < b->function;
}
DEFINE_SORT(sort_by_runs, struct block_counts, runs_more)

/* Finds the function of each name, which has one slot whatever it is called. */
static bool find_functions(struct taking *t)
{
	const struct function_table *functions = &t->build->binary.functions;
	uint32_t *slot_of_function = malloc((functions->count + 1) * sizeof(uint32_t));

	for (size_t i = 0; slot_of_function && i < functions->count; i++)
		slot_of_function[i] = NO_SLOT;
	bool ok = slot_of_function;
	for (uint32_t i = 0; ok && i < t->profile->functions.len; i++) {
		const struct function *function =
			carry_build_named(t->build, strings_at(&t->profile->names, i));
		t->slot_of[i] = NO_SLOT;
		if (!function || function->kind != FUNCTION_CODE)
			continue;
		uint32_t *slot = &slot_of_function[function - functions->at];
		if (*slot == NO_SLOT) {
			*slot = (uint32_t)t->out->functions.len;
			ok = block_counts_vec_push(&t->out->functions,
						   (struct block_counts){.function = function});
		}
		t->slot_of[i] = *slot;
	}
	free(slot_of_function);
	return ok;
}

static bool build_graphs(struct taking *t, unsigned threads, struct bc_error *err)
{
	const struct binary *binary = &t->build->binary;
	struct block_counts_vec *functions = &t->out->functions;
	uint32_t *chosen = malloc((functions->len + 1) * sizeof(*chosen));
	size_t blocks = 0;

	for (size_t i = 0; chosen && i < functions->len; i++)
		chosen[i] = (uint32_t)(functions->at[i].function - binary->functions.at);
	bool ok = chosen ? cfg_build_code(&binary->image, &binary->functions, chosen,
					  functions->len, threads, &t->build->graphs, err) ||
				   bc_fail_prefix(err, t->build->path) :
			   bc_fail_nomem(err);
	free(chosen);
	t->first = calloc(functions->len + 1, sizeof(*t->first));
	for (size_t i = 0; ok && t->first && i < functions->len; i++) {
		struct block_counts *f = &functions->at[i];
		f->graph = carry_build_graph(t->build, f->function);
		t->first[i] = blocks;
		if (!f->graph)
			continue;
		blocks += f->graph->count;
		f->blocks = calloc(f->graph->count + 1, sizeof(*f->blocks));
		if (!f->blocks)
			return bc_fail_nomem(err);
	}
	t->in = calloc(blocks + 1, sizeof(*t->in));
	return ok && ((t->first && t->in) || bc_fail_nomem(err));
}

static bool take(struct taking *t, unsigned threads, struct bc_error *err)
{
	if (!t->slot_of || !find_functions(t))
		return bc_fail_nomem(err);
	if (!build_graphs(t, threads, err))
		return false;
	for (uint32_t i = 1; i < t->profile->functions.len; i++) {
		if (t->slot_of[i] == NO_SLOT) {
			note(t, t->profile->functions.at[i].plt,
			     t->profile->functions.at[i].samples);
			continue;
		}
		if (!take_records(t, i))
			return bc_fail_nomem(err);
	}
	enter_known(t);
	add_up(t);
	observed_calls_sort(&t->out->calls);
	sort_by_runs(t->out->functions.at, t->out->functions.len);
	return true;
}

bool old_counts_take(const struct flat_profile *profile, struct carry_build *build,
		     unsigned threads, struct old_counts *out, struct bc_error *err)
{
	struct taking t = {.profile = profile,
			   .build = build,
			   .out = out,
			   .slot_of = calloc(profile->functions.len + 1, sizeof(uint32_t))};

	*out = (struct old_counts){0};
	if (profile->plain) {
		free(t.slot_of);
		bc_fail(err, BC_UNSUPPORTED, "the profile has addresses, and no branches");
		return bc_hint(err, "run: batconv %s SAMPLES -o FILE, which infers branches",
			       build->path);
	}
	bool ok = take(&t, threads, err);
	free(t.slot_of);
	free(t.first);
	free(t.in);
	return ok;
}

void old_counts_free(struct old_counts *counts)
{
	for (size_t i = 0; i < counts->functions.len; i++)
		free(counts->functions.at[i].blocks);
	block_counts_vec_free(&counts->functions);
	observed_call_vec_free(&counts->calls);
	*counts = (struct old_counts){0};
}
