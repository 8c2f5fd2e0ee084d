/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/convert.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/cfg/cfg.h"
#include "src/profile/address_check.h"
#include "src/profile/impute.h"
#include "src/profile/nameable.h"
#include "src/profile/insn_starts.h"
#include "src/profile/made_blocks.h"
#include "src/profile/plt_calls.h"
#include "src/profile/return_places.h"
#include "src/profile/runs.h"

/* One thread's share of the conversion. */
struct converter {
	const struct binary *binary;
	const struct returns *returns;
	const uint8_t *unnameable; /* by function; NULL: none is */
	const bool *left_out; /* as in struct aggregate */
	const struct number_set *typed; /* of those: by their type */
	struct insn_starts *starts;
	struct decoder decoder;
	struct return_places places;
	struct record_batch records;
	struct ledgers ledgers;
	struct build_check check;
	struct returns_found found;
	struct profile_rules rules;
	const struct made_blocks *made;
	const struct plt_calls *plt;
	struct restored restored;
	const struct function *near; /* where the last trace was */
	struct address_walk walk;    /* to the last address */
	struct index_vec without_map; /* functions that a fall-through needs the graph of */
	const struct cfg *cfg;        /* their graphs */
	const struct pair *pair;      /* NULL: the input is not at hand */
	struct index_vec of_input;    /* functions of the input that something ran in */
	const struct cfg *input_cfg;  /* their graphs */
	bool imputes;
	struct impute impute; /* of the shard at hand */
	struct runs runs; /* of the function at hand */
	const struct function *runs_of;
	const struct function *runs_owner; /* the input function of its code */
	bool out_of_memory;
};

static bool has_return(struct converter *c, struct place source, struct insn insn)
{
	enum insn_verdict verdict = insn_is_return(c->starts, &c->decoder, source, insn);

	c->out_of_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES;
}

/* Code that runs where the input has it: its place is the input's. */
static struct old_place old_place(const struct converter *c, uint64_t vaddr)
{
	bool bodies = rules_restore(&c->rules, RESTORE_OLD), left = rules_restore(&c->rules, RESTORE_LEFT);

	return c->pair && (bodies || left) ? pair_old_place(c->pair, vaddr, bodies, left) : (struct old_place){0};
}

/* Does an instruction of the input end right there, which is a call? */
static bool follows_old_call(const struct converter *c, struct old_place at)
{
	const struct graph *graph = cfg_find(c->input_cfg, at.input);
	size_t low = 0;

	for (size_t high = graph ? graph->code.insns.len : 0; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (graph->code.insns.at[middle].offset < at.offset)
			low = middle + 1;
		else
			high = middle;
	}
	const struct insn *before = low ? &graph->code.insns.at[low - 1] : NULL;
	return before && insn_is_call(*before) && before->offset + before->size == at.offset;
}

/* The same two questions of code that runs at the input's own place. */
static bool is_old_return(struct converter *c, const struct count_row *row, struct insn insn)
{
	struct trace trace = trace_of(row->key);
	struct old_place target = old_place(c, trace.from);

	if (old_place(c, trace.branch).input)
		return insn.kind == INSN_RETURN;
	return target.input && return_places_may_have(&c->places, trace) && follows_old_call(c, target);
}

static bool is_return(struct converter *c, const struct count_row *row, struct place source,
		      struct place from, struct insn insn)
{
	struct trace trace = trace_of(row->key);

	if (trace.branch == TRACE_FT_RETURN || has_return(c, source, insn) || (c->pair && is_old_return(c, row, insn)))
		return true;
	if (returns_has(c->returns, trace.branch)) {
		c->found.by_type += number_set_has(c->typed, trace.branch) ? row->count : 0;
		return true;
	}
	if (!return_places_has(&c->places, trace, from))
		return false;
	c->found.by_place += trace.branch == TRACE_EXTERNAL ? row->count : 0;
	return true;
}

static bool is_unnameable(const struct converter *c, const struct function *f)
{
	return c->unnameable && f && c->unnameable[f - c->binary->functions.at];
}

static void add_record(struct converter *c, struct record record)
{
	if (!record_push(&c->records, c->binary, &record))
		c->out_of_memory = true;
}

static void add(struct converter *c, enum record_kind kind, struct input_place from,
		struct input_place to, uint64_t count, uint64_t mispredicted)
{
	add_record(c, (struct record){kind, from, to, count, mispredicted, 0});
}

/* A way within a function to a place that begins no block of the input. */
static bool leads_to_made(const struct converter *c, struct input_place from, struct input_place to)
{
	return from.function && from.function == to.function && to.offset &&
	       made_blocks_lead(c->made, from.function, from.offset, to.offset);
}

/* Where several blocks begin with the function's code, those before the last became empty: what
 * comes from elsewhere enters the first one. */
static bool enters_empty(const struct converter *c, struct place target, struct input_place from,
			 struct input_place to)
{
	const struct bat_fragment *fragment = target.fragment;

	if (!rules_restore(&c->rules, RESTORE_ENTRIES) || !fragment || fragment->cold || target.offset ||
	    !to.offset || from.function == to.function || !fragment->entry_count)
		return false;
	struct bat_entry first = c->binary->bat.entries[fragment->first_entry];
	return !first.output && !first.input;
}

/* Is only the block known that a branch comes from?  So it is for code that BOLT put in, from bodies of
 * other functions such as inlined ones. */
static bool is_unsited(const struct converter *c, struct place source)
{
	if (!source.fragment)
		return false;
	const struct bat_entry *entry = bat_entry_at(&c->binary->bat, source.fragment, source.offset);
	return entry && !bat_entry_is_branch(*entry) && entry->output != source.offset;
}

/* A call through the GOT that was one through the PLT: as the input has it.  False: none. */
static bool add_plt_call(struct converter *c, const struct count_row *row, struct place source,
			 struct place target, struct input_place from)
{
	if (target.function || !source.function || source.function->kind == FUNCTION_PLT)
		return false;
	const struct plt_slot *slot = plt_calls_find(c->plt, &c->binary->image, trace_of(row->key).branch);
	if (!slot)
		return false;
	struct input_place entry = {slot->entry, 0}, jump = {slot->entry, slot->jump};
	c->restored.count[RESTORE_PLT] += row->count;
	add_record(c, (struct record){RECORD_BRANCH, from, entry, row->count, row->extra,
				      is_unsited(c, source) ? row->count : 0});
	add(c, RECORD_BRANCH, jump, (struct input_place){0}, row->count, 0);
	return true;
}

static void count_old(struct converter *c, const struct old_place *old, uint64_t count)
{
	bool has_table = c->binary->fragment_of[old->output - c->binary->functions.at] != NO_FRAGMENT;

	c->restored.count[has_table ? RESTORE_OLD : RESTORE_LEFT] += count;
}

static bool translate(struct converter *c, struct place place, uint64_t vaddr, bool is_source,
		      struct input_place *out)
{
	struct old_place old = old_place(c, vaddr);

	if (!old.input)
		return binary_translate(c->binary, place, is_source, out);
	*out = (struct input_place){old.output, old.offset};
	return true;
}

/* A taken branch: within its function it is one record; between functions, or
 * to the beginning of its own (recursion), it is a record of the source and,
 * if the source is in no function, an entry record of the target. */
static void convert_branch(struct converter *c, const struct count_row *row, struct place source,
			   struct place target)
{
	struct ledger *ledger = &c->ledgers.branches;
	struct input_place from, to;

	if (!translate(c, source, trace_of(row->key).branch, true, &from) ||
	    !translate(c, target, trace_of(row->key).from, false, &to)) {
		ledger->dropped[ENTRY_NO_PARENT] += row->count;
		return;
	}
	if (!from.function && !to.function) {
		ledger->dropped[ENTRY_OUTSIDE] += row->count;
		return;
	}
	if (is_unnameable(c, from.function) || is_unnameable(c, to.function)) {
		ledger->dropped[ENTRY_UNNAMEABLE] += row->count;
		return;
	}
	if (leads_to_made(c, from, to)) {
		ledger->dropped[ENTRY_MADE] += row->count;
		c->restored.count[RESTORE_MADE] += row->count;
		return;
	}
	ledger->kept += row->count;
	if (add_plt_call(c, row, source, target, from))
		return;
	if (enters_empty(c, target, from, to)) {
		to.offset = 0;
		c->restored.count[RESTORE_ENTRIES] += row->count;
	}
	add_record(c, (struct record){from.function ? RECORD_BRANCH : RECORD_ENTRY, from, to, row->count,
				      row->extra, is_unsited(c, source) ? row->count : 0});
}

static void add_edge(void *ctx, uint32_t from, uint32_t to, uint64_t count)
{
	struct converter *c = ctx;
	struct input_place source = {c->runs_owner, from}, target = {c->runs_owner, to};

	if (leads_to_made(c, source, target))
		c->restored.count[RESTORE_MADE] += count;
	else
		add(c, RECORD_BRANCH, source, target, count, 0);
}

/* All of the function that the last traces ran through. */
static void take_runs(struct converter *c)
{
	runs_take(&c->runs, &c->binary->bat, add_edge, c);
}

/* Where BOLT left the function alone: its blocks are in its code. */
static enum trace_drop walk_code(struct converter *c, const struct count_row *row,
				 struct place from, struct place to, bool after_return)
{
	const struct graph *graph = cfg_find(c->cfg, from.function);
	uint64_t branch = trace_of(row->key).branch;
	uint32_t first, last;

	if (!graph || !graph->count)
		return RUN_NO_MAP;
	struct run run = {.from = from.offset, .to = to.offset, .after_return = after_return,
			  .from_outside = branch != TRACE_FT_ONLY &&
					  branch - from.function->address >= graph->size};
	switch (graph_walk(graph, &run, &first, &last)) {
	case WALK_EDGES:
		if (!runs_add_blocks(&c->runs, graph, first, last, row->count))
			c->out_of_memory = true;
		return TRACE_DROP_COUNT;
	case WALK_ONE_BLOCK:
		return RUN_ONE_BLOCK;
	case WALK_INVALID:
		break;
	}
	return RUN_INVALID;
}

/* Did a branch come from the function itself, in its old body or its new one? */
static bool is_of(struct converter *c, uint64_t vaddr, const struct function *output)
{
	struct old_place old = old_place(c, vaddr);

	if (old.input)
		return old.output == output;
	struct place place = binary_place(c->binary, (struct vaddr){vaddr}, NULL);
	return place.function && binary_owner(c->binary, place) == output;
}

/* Where code of the input runs at its own place. */
static enum trace_drop walk_old(struct converter *c, const struct count_row *row, struct old_place from,
				uint64_t end, bool after_return)
{
	struct old_place to = old_place(c, end);
	const struct graph *graph = cfg_find(c->input_cfg, from.input);
	uint64_t branch = trace_of(row->key).branch;
	uint32_t first, last;

	if (to.input != from.input)
		return to.input ? RUN_TWO_FRAGMENTS : RUN_OUTSIDE;
	if (from.offset > to.offset)
		return RUN_BACKWARDS;
	if (c->runs_of != from.input) {
		take_runs(c);
		c->runs_of = from.input;
		c->runs_owner = from.output;
	}
	if (is_unnameable(c, c->runs_owner))
		return RUN_UNNAMEABLE;
	if (!graph || !graph->count)
		return RUN_NO_MAP;
	struct run run = {.from = from.offset, .to = to.offset, .after_return = after_return,
			  .from_outside = branch != TRACE_FT_ONLY && !is_of(c, branch, from.output)};
	switch (graph_walk(graph, &run, &first, &last)) {
	case WALK_EDGES:
		count_old(c, &from, row->count);
		if (!runs_add_blocks(&c->runs, graph, first, last, row->count))
			c->out_of_memory = true;
		return TRACE_DROP_COUNT;
	case WALK_ONE_BLOCK:
		return RUN_ONE_BLOCK;
	case WALK_INVALID:
		break;
	}
	return RUN_INVALID;
}

/* Where BAT has the function. */
static enum trace_drop walk_map(struct converter *c, const struct count_row *row,
				struct place from, struct place to, bool after_return)
{
	bool any = false;

	if (!c->runs_owner)
		return RUN_NO_PARENT;
	/* The block that made the call comes first where a return led here. */
	if (after_return && !from.offset)
		return RUN_ONE_BLOCK;
	if (!runs_add(&c->runs, &c->binary->bat, from.fragment, from.offset - after_return, to.offset,
		      row->count, &any))
		c->out_of_memory = true;
	return any ? TRACE_DROP_COUNT : RUN_ONE_BLOCK;
}

/* Walk the blocks that a trace ran through.  Returns why nothing came of it,
 * or TRACE_DROP_COUNT. */
static enum trace_drop walk_trace(struct converter *c, const struct count_row *row,
				  struct place from, struct vaddr end, bool after_return)
{
	const struct binary *binary = c->binary;
	struct place to = binary_place(binary, end, from.function);

	if (!from.function || !to.function)
		return RUN_OUTSIDE;
	if (from.function != to.function)
		return RUN_TWO_FRAGMENTS;
	if (from.offset > to.offset)
		return RUN_BACKWARDS;
	if (c->runs_of != from.function) { /* neighbours are of one, as rows are sorted */
		take_runs(c);
		c->runs_of = from.function;
		c->runs_owner = binary_owner(binary, from);
	}
	if (is_unnameable(c, c->runs_owner))
		return RUN_UNNAMEABLE;
	if (!from.fragment)
		return from.function->kind == FUNCTION_PLT
			       ? RUN_ONE_BLOCK
			       : walk_code(c, row, from, to, after_return);
	return walk_map(c, row, from, to, after_return);
}

/* Where a trace ends; rows come as they are sorted. */
static uint64_t trace_end(struct converter *c, const struct count_row *row, struct place from)
{
	return c->imputes ? impute_end(&c->impute, c->binary, row, from) : trace_of(row->key).to;
}

static void convert_fallthrough(struct converter *c, const struct count_row *row,
				struct place from, uint64_t end, bool after_return)
{
	struct ledger *ledger = &c->ledgers.traces;
	struct old_place old = old_place(c, trace_of(row->key).from);
	enum trace_drop why = old.input ? walk_old(c, row, old, end, after_return)
					: walk_trace(c, row, from, (struct vaddr){end}, after_return);

	if (why == TRACE_DROP_COUNT)
		ledger->kept += row->count;
	else
		ledger->dropped[why] += row->count;
}

static void convert_trace(struct converter *c, const struct count_row *row, struct place source)
{
	struct trace trace = trace_of(row->key);
	struct place from = binary_place(c->binary, (struct vaddr){trace.from}, c->near);
	struct insn insn = build_check_insn(&c->binary->image, trace.branch);
	bool returns = is_return(c, row, source, from, insn);
	uint64_t end = trace_end(c, row, from);

	c->near = from.function;
	if (trace.branch < TRACE_FT_RETURN) {
		if (returns)
			c->ledgers.branches.dropped[ENTRY_RETURN] += row->count;
		else
			convert_branch(c, row, source, from);
	}
	if (trace.to != end)
		c->ledgers.traces.read += row->count; /* imputed: only now is it one */
	if (end != TRACE_BR_ONLY)
		convert_fallthrough(c, row, from, end, returns);
	build_check_trace(&c->binary->image, &trace, insn, row->count, &c->check);
}

static void check_address(struct converter *c, struct place place, uint64_t count)
{
	enum address_verdict verdict = address_check(c->binary, place, &c->walk);

	if (verdict != ADDRESS_UNSURE)
		c->check.checked += count;
	if (verdict == ADDRESS_INSIDE)
		c->check.inside += count;
}

static void convert_address(struct converter *c, const struct count_row *row)
{
	struct ledger *ledger = &c->ledgers.samples;
	struct place place = binary_place(c->binary, (struct vaddr){row->key[0]}, c->near);
	struct input_place at;

	c->near = place.function;
	if (!place.function) {
		ledger->dropped[SAMPLE_NO_FUNCTION] += row->count;
	} else if (!binary_translate(c->binary, place, false, &at)) {
		ledger->dropped[SAMPLE_NO_PARENT] += row->count;
	} else if (is_unnameable(c, at.function)) {
		ledger->dropped[SAMPLE_UNNAMEABLE] += row->count;
	} else {
		check_address(c, place, row->count);
		ledger->kept += row->count;
		add(c, RECORD_SAMPLE, at, (struct input_place){0}, row->count, 0);
	}
}

struct job {
	struct counts *counts;
	bool basic;
	struct converter *workers;
};

/* Note the input function that a place is of. */
static void note_input(struct converter *c, uint64_t vaddr)
{
	struct index_vec *noted = &c->of_input;
	struct old_place old = old_place(c, vaddr);

	if (!old.input) {
		struct place place = binary_place(c->binary, (struct vaddr){vaddr}, c->near);
		const struct function *owner = place.fragment ? binary_owner(c->binary, place) : NULL;
		old.input = owner ? pair_input_of(c->pair, owner) : NULL;
	}
	if (!old.input)
		return;
	uint32_t index = (uint32_t)(old.input - c->pair->functions.at);
	if ((!noted->len || noted->at[noted->len - 1] != index) && !index_vec_push(noted, index))
		c->out_of_memory = true;
}

/* Note a trace that walk_code() will walk. */
static void note_walk(struct converter *c, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	if (c->pair)
		note_input(c, trace.from);
	struct index_vec *noted = &c->without_map;

	bool entered = return_places_may_have(&c->places, trace);
	if (trace.to == TRACE_BR_ONLY && !c->imputes && !entered)
		return;
	struct place from = binary_place(c->binary, (struct vaddr){trace.from}, c->near);
	c->near = from.function;
	if (entered)
		return_places_note(&c->places, trace, from);
	if (trace.to == TRACE_BR_ONLY && !c->imputes)
		return;
	struct vaddr end = {trace_end(c, row, from)};
	if (!from.function || from.fragment || from.function->kind == FUNCTION_PLT)
		return;
	uint32_t index = (uint32_t)(from.function - c->binary->functions.at);
	if (c->left_out && c->left_out[index])
		return;
	if (noted->len && noted->at[noted->len - 1] == index)
		return;
	struct place to = binary_place(c->binary, end, from.function);
	if (to.function == from.function && !index_vec_push(noted, index))
		c->out_of_memory = true;
}

/* Rows are sorted by their first word, where the trace begins or the sample lies:
 * neighbours lie in one function, and what was looked up for one is at hand for the
 * next. */
static void note_walks(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;
	const struct count_table *table = &job->counts->shards[shard];

	job->workers[worker].impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i++)
		note_walk(&job->workers[worker], &table->rows[i]);
}

/* Rows that are looked up together. */
#define ROWS_AHEAD ((size_t)32)

/* Of most fragments all entries, of large ones those where a search begins. */
#define ENTRIES_LINE ((uint32_t)(64 / sizeof(struct bat_entry)))
#define ENTRIES_ASKED (8 * ENTRIES_LINE)

static void prefetch_entries(const struct bat_table *bat, const struct bat_fragment *f)
{
	const struct bat_entry *entries = bat->entries + f->first_entry;
	uint32_t step = f->entry_count > ENTRIES_ASKED ? f->entry_count / 8 : ENTRIES_LINE;

	for (uint32_t i = 0; i < f->entry_count; i += step)
		__builtin_prefetch(&entries[i]);
}

/* Branches come from anywhere in the binary: ask for the memory of all of some
 * rows before the first is needed. */
static void convert_traces(struct converter *c, const struct count_row *rows, size_t count)
{
	struct place sources[ROWS_AHEAD];
	const struct binary *binary = c->binary;

	for (size_t i = 0; i < count; i++) {
		struct vaddr at = {trace_of(rows[i].key).branch};
		__builtin_prefetch(image_bytes_at(&binary->image, at).data);
		functions_prefetch(&binary->functions, at);
		returns_prefetch(c->returns, at.v);
	}
	for (size_t i = 0; i < count; i++) {
		struct vaddr at = {trace_of(rows[i].key).branch};
		sources[i] = binary_place(binary, at, i ? sources[i - 1].function : NULL);
		__builtin_prefetch(sources[i].fragment);
	}
	for (size_t i = 0; i < count; i++)
		if (sources[i].fragment)
			prefetch_entries(&binary->bat, sources[i].fragment);
	for (size_t i = 0; i < count; i++)
		convert_trace(c, &rows[i], sources[i]);
}

static void convert_shard(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;
	struct count_table *table = &job->counts->shards[shard];
	struct converter *c = &job->workers[worker];

	c->impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i += ROWS_AHEAD) {
		size_t count = table->used - i < ROWS_AHEAD ? table->used - i : ROWS_AHEAD;
		if (!job->basic)
			convert_traces(c, table->rows + i, count);
		for (size_t k = i; job->basic && k < i + count; k++)
			convert_address(c, &table->rows[k]);
	}
	take_runs(c);
	count_table_free(table);
}

/* What the threads noted; each of them forgets it. */
static bool take_noted(struct job *job, unsigned threads, bool of_input, struct index_vec *all)
{
	bool ok = true;

	for (unsigned i = 0; i < threads; i++) {
		struct converter *c = &job->workers[i];
		struct index_vec *noted = of_input ? &c->of_input : &c->without_map;
		for (size_t k = 0; ok && k < noted->len; k++)
			ok = index_vec_push(all, noted->at[k]);
		index_vec_free(noted);
	}
	return ok;
}

static bool build_input_graphs(struct job *job, unsigned threads, struct cfg *cfg, struct bc_error *err)
{
	const struct pair *pair = job->workers[0].pair;
	struct index_vec all = {0};

	if (!pair)
		return true;
	bool ok = (take_noted(job, threads, true, &all) || bc_fail_nomem(err)) &&
		  cfg_build_code(&pair->image, &pair->functions, all.at, all.len, threads, cfg, err);
	for (unsigned i = 0; i < threads; i++)
		job->workers[i].input_cfg = cfg;
	index_vec_free(&all);
	return ok;
}

/* The graphs of the functions that were noted. */
static bool build_graphs(struct job *job, unsigned threads, struct cfg *cfg, struct bc_error *err)
{
	const struct binary *binary = job->workers[0].binary;
	struct index_vec all = {0};
	bool ok = take_noted(job, threads, false, &all);

	for (unsigned i = 0; i < threads; i++) {
		job->workers[i].cfg = cfg;
		job->workers[i].near = NULL;
	}
	ok = (ok || bc_fail_nomem(err)) && cfg_build(&binary->image, &binary->functions, all.at,
						     all.len, threads, cfg, err);
	index_vec_free(&all);
	return ok;
}

static bool collect(struct job *job, unsigned threads, struct converted *out, struct bc_error *err)
{
	struct record_vec batches[PARALLEL_MOST];
	const struct binary *binary = job->workers[0].binary;
	bool out_of_memory = false;

	for (unsigned i = 0; i < threads; i++) {
		struct converter *c = &job->workers[i];
		ledger_add(&out->ledgers.samples, &c->ledgers.samples);
		ledger_add(&out->ledgers.branches, &c->ledgers.branches);
		ledger_add(&out->ledgers.traces, &c->ledgers.traces);
		build_check_add(&out->check, &c->check);
		out->found.by_type += c->found.by_type;
		out->found.by_place += c->found.by_place;
		for (size_t rule = 0; rule < RESTORE_COUNT; rule++)
			out->restored.count[rule] += c->restored.count[rule];
		batches[i] = c->records.records;
		runs_free(&c->runs);
		out_of_memory |= c->out_of_memory || c->places.no_memory;
	}
	if (!profile_build(binary, job->basic, batches, threads, threads, &out->profile, err))
		return false;
	if (!out_of_memory)
		return true;
	profile_free(&out->profile);
	return bc_fail_nomem(err);
}

/* The landing pads of all functions that were entered behind a call. */
static bool find_pads(struct job *job, unsigned threads, struct label_vec *pads, struct bc_error *err)
{
	struct index_vec entered = {0};
	bool ok = true;

	for (unsigned i = 0; i < threads; i++) {
		ok = return_places_take(&job->workers[i].places, &entered) && ok;
		job->workers[i].places.pads = pads;
	}
	ok = ok && return_places_pads(job->workers[0].binary, &entered, pads);
	index_vec_free(&entered);
	return ok || bc_fail_nomem(err);
}

static bool convert_with(struct job *job, unsigned threads, struct converted *out,
			 struct bc_error *err)
{
	struct label_vec pads = {0};
	struct cfg cfg = {0};

	if (!job->basic)
		parallel_for(threads, COUNTS_SHARDS, note_walks, job);
	bool ok = build_graphs(job, threads, &cfg, err) && build_input_graphs(job, threads, &out->input_graphs, err);
	ok = find_pads(job, threads, &pads, err) && ok;
	insn_starts_take(job->workers[0].starts, &cfg);
	if (ok)
		parallel_for(threads, COUNTS_SHARDS, convert_shard, job);
	out->no_disassembler = cfg.no_disassembler || out->input_graphs.no_disassembler;
	cfg_free(&cfg);
	label_vec_free(&pads);
	ok = ok && collect(job, threads, out, err);
	if (!ok)
		cfg_free(&out->input_graphs);
	return ok;
}

bool convert(struct aggregate *aggregate, const struct binary *binary, const struct pair *pair, bool basic,
	     unsigned threads, struct converted *out, struct bc_error *err)
{
	struct job job = {.basic = basic};
	uint8_t *unnameable;
	struct insn_starts starts = {0};
	const struct profile_rules rules = aggregate->options.rules;
	struct made_blocks made = {0};
	struct plt_calls plt = {0};

	*out = (struct converted){0};
	if (threads > COUNTS_SHARDS)
		threads = COUNTS_SHARDS;
	job.counts = basic ? &aggregate->totals.basic : &aggregate->totals.traces;
	if (!nameable_find(&binary->functions, &binary->image, aggregate->options.names, &unnameable))
		return bc_fail_nomem(err);
	job.workers = calloc(threads, sizeof(*job.workers));
	if (!job.workers) {
		free(unnameable);
		return bc_fail_nomem(err);
	}
	for (unsigned i = 0; i < threads; i++)
		job.workers[i] = (struct converter){
			.binary = binary,
			.returns = &aggregate->returns,
			.typed = &aggregate->tally.types.inside,
			.unnameable = unnameable,
			.left_out = aggregate->left_out,
			.imputes = aggregate->options.impute,
			.starts = &starts,
			.rules = rules,
			.pair = pair,
			.made = &made,
			.plt = &plt,
			.places = {.starts = &starts,
				   .decoder = &job.workers[i].decoder,
				   .used = aggregate->options.rules.returns_by_place},
		};
	for (unsigned i = 0; i < threads; i++)
		decoder_open(binary->image.machine, &job.workers[i].decoder);
	bool ok = insn_starts_open(&starts, binary, err) &&
		  (!rules_restore(&rules, RESTORE_MADE) || made_blocks_open(binary, &made, err)) &&
		  (!rules_restore(&rules, RESTORE_PLT) || plt_calls_open(binary, &plt, err)) &&
		  convert_with(&job, threads, out, err);
	made_blocks_close(&made);
	plt_calls_close(&plt);
	for (unsigned i = 0; i < threads; i++)
		decoder_close(&job.workers[i].decoder);
	insn_starts_close(&starts);
	free(job.workers);
	free(unnameable);
	return ok;
}
