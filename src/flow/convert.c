/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/flow/converter.h"
#include "src/flow/restore.h"
#include "src/profile/nameable.h"

static bool has_return(struct converter *c, struct output_place source, struct insn insn)
{
	enum insn_verdict verdict = insn_is_return(c->starts, &c->decoder, source, insn);

	c->out_of_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES;
}

static bool is_return(struct converter *c, const struct count_row *row, struct output_place source,
		      struct output_place from, struct insn insn)
{
	struct trace trace = trace_of(row->key);

	if (trace_end_is(trace.branch, TRACE_END_FT_RETURN) || has_return(c, source, insn) ||
	    (c->pair && converter_is_old_return(c, row, insn)))
		return true;
	if (returns_has(c->returns, trace.branch)) {
		c->found.by_type += number_set_has(c->typed, trace.branch.word) ? row->count : 0;
		return true;
	}
	if (!return_places_has(&c->places, trace, from))
		return false;
	c->found.by_place += trace_end_is(trace.branch, TRACE_END_EXTERNAL) ? row->count : 0;
	return true;
}

static void add_edge(void *ctx, uint32_t from, uint32_t to, uint64_t count)
{
	struct converter *c = ctx;

	converter_edge(c, (struct input_place){c->walked_owner, from}, (struct input_place){c->walked_owner, to}, count);
}

void converter_take_fall_throughs(struct converter *c)
{
	fall_throughs_take(&c->fall_throughs, &c->binary->bat, add_edge, c);
}

enum trace_drop converter_walk_graph(struct converter *c, const struct graph *graph, const struct fall_through *fall,
				     uint64_t count)
{
	uint32_t first, last;

	if (!graph || !graph->count)
		return TRACE_DROP_NO_MAP;
	switch (graph_walk(graph, fall, &first, &last)) {
	case WALK_EDGES:
		if (!fall_throughs_add_blocks(&c->fall_throughs, graph, first, last, count))
			c->out_of_memory = true;
		return TRACE_KEPT;
	case WALK_ONE_BLOCK:
		return TRACE_DROP_ONE_BLOCK;
	case WALK_INVALID:
		break;
	}
	return TRACE_DROP_INVALID;
}

/* Where BOLT left the function alone: its blocks are in its code. */
static enum trace_drop walk_code(struct converter *c, const struct count_row *row,
				 struct output_place from, struct output_place to, bool after_return)
{
	bool left_out = c->left_out.at && *code_marks_of(&c->left_out, functions_code_number(&c->binary->functions, from.function));
	const struct graph *graph = left_out ? NULL : cfg_find(c->cfg, from.function);
	struct trace_end branch = trace_of(row->key).branch;
	struct fall_through fall = {.from = from.offset, .to = to.offset, .after_return = after_return,
			  .from_outside = !trace_end_is(branch, TRACE_END_NONE) && graph &&
					  trace_end_vaddr(branch).v - from.function->address >= graph->size};

	return converter_walk_graph(c, graph, &fall, row->count);
}

/* Where BAT has the function. */
static enum trace_drop walk_map(struct converter *c, const struct count_row *row,
				struct output_place from, struct output_place to, bool after_return)
{
	bool any = false;

	if (!c->walked_owner)
		return TRACE_DROP_NO_PARENT;
	/* The block that made the call comes first where a return led here. */
	if (after_return && !from.offset)
		return TRACE_DROP_ONE_BLOCK;
	if (!fall_throughs_add(&c->fall_throughs, &c->binary->bat, from.fragment, from.offset - after_return, to.offset,
		      row->count, &any))
		c->out_of_memory = true;
	return any ? TRACE_KEPT : TRACE_DROP_ONE_BLOCK;
}

/* Walk the blocks that a trace ran through.  Returns TRACE_KEPT, or why the trace gives no edge. */
static enum trace_drop walk_trace(struct converter *c, const struct count_row *row,
				  struct output_place from, struct output_place to, bool after_return)
{
	if (!from.function || !to.function)
		return TRACE_DROP_OUTSIDE;
	if (from.function != to.function)
		return TRACE_DROP_TWO_FRAGMENTS;
	if (from.offset > to.offset)
		return TRACE_DROP_BACKWARDS;
	if (c->walked_function != from.function) { /* neighbours are of one, as rows are sorted */
		converter_take_fall_throughs(c);
		c->walked_function = from.function;
		c->walked_owner = binary_owner(c->binary, from);
	}
	if (converter_cannot_name(c, c->walked_owner))
		return TRACE_DROP_UNNAMEABLE;
	if (!from.fragment)
		return from.function->kind == FUNCTION_PLT
			       ? TRACE_DROP_ONE_BLOCK
			       : walk_code(c, row, from, to, after_return);
	return walk_map(c, row, from, to, after_return);
}

/* Where a trace ends; rows come as they are sorted. */
static struct trace_end end_of(struct converter *c, const struct count_row *row, struct output_place from)
{
	return c->imputes ? impute_end(&c->impute, c->binary, row, from) : trace_of(row->key).to;
}

/* Where that lies; `at`: the locations of the row. */
static struct output_place place_of_end(const struct converter *c, const struct location *at, struct output_place from,
					struct trace_end end)
{
	return c->imputes ? binary_place(c->binary, trace_end_vaddr(end), from.function) : located_place(c->located, at[END_TO]);
}

static void convert_fallthrough(struct converter *c, const struct count_row *row, const struct location *at,
				struct output_place source, struct output_place from, struct trace_end end, bool after_return)
{
	struct ledger *ledger = &c->ledgers.traces;
	struct old_place old = converter_old_place(c, trace_end_vaddr(trace_of(row->key).from));
	enum trace_drop why = old.input ? converter_walk_old(c, row, source, old, trace_end_vaddr(end), after_return)
					: walk_trace(c, row, from, place_of_end(c, at, from, end), after_return);

	if (why == TRACE_KEPT)
		ledger->kept += row->count;
	else
		ledger->dropped[why] += row->count;
}

/* A conditional branch that was not taken, in front of a jump that llvm-bolt put in.  That goes to the next block of the
 * input, and is sampled itself. */
static bool goes_on_to_made(const struct converter *c, struct insn insn, struct output_place source,
			    struct output_place next)
{
	if (!rules_restore(&c->rules, RESTORE_MADE) || c->binary->image.machine != MACHINE_AARCH64 ||
	    insn.kind != INSN_CONDITIONAL || !source.fragment || source.fragment != next.fragment ||
	    next.offset != source.offset + 4)
		return false;
	const struct bat_entry *entry = bat_entry_at(&c->binary->bat, next.fragment, next.offset);
	return entry && entry->output != next.offset;
}

static void convert_trace(struct converter *c, const struct count_row *row, const struct location *at, struct output_place source)
{
	struct trace trace = trace_of(row->key);
	struct output_place from = located_place(c->located, at[END_FROM]);
	struct insn insn = build_check_insn(&c->binary->image, trace_end_vaddr(trace.branch));
	bool returns = is_return(c, row, source, from, insn);
	struct trace_end end = end_of(c, row, from);

	if (trace_has_branch(&trace)) {
		if (returns) {
			c->ledgers.branches.dropped[BRANCH_DROP_RETURN] += row->count;
		} else if (goes_on_to_made(c, insn, source, from)) {
			c->ledgers.branches.dropped[BRANCH_DROP_MADE] += row->count;
			c->restored.count[RESTORE_MADE] += row->count;
		} else {
			converter_branch(c, row, source, from);
		}
	}
	if (!trace_end_equal(trace.to, end))
		c->ledgers.traces.read += row->count; /* imputed: only now is it one */
	if (!trace_end_is(end, TRACE_END_NONE))
		convert_fallthrough(c, row, at, source, from, end, returns);
	build_check_trace(&c->binary->image, &trace, insn, row->count, &c->check);
}

static void check_address(struct converter *c, struct output_place place, uint64_t count)
{
	enum address_verdict verdict = address_check(c->binary, place, &c->walk);

	if (verdict != ADDRESS_UNSURE)
		c->check.checked += count;
	if (verdict == ADDRESS_INSIDE)
		c->check.inside += count;
}

static void convert_address(struct converter *c, const struct count_row *row, struct output_place place)
{
	struct ledger *ledger = &c->ledgers.samples;
	struct input_place at;

	if (!place.function) {
		ledger->dropped[SAMPLE_DROP_NO_FUNCTION] += row->count;
	} else if (!binary_translate(c->binary, place, false, &at)) {
		ledger->dropped[SAMPLE_DROP_NO_PARENT] += row->count;
	} else if (converter_cannot_name(c, at.function)) {
		ledger->dropped[SAMPLE_DROP_UNNAMEABLE] += row->count;
	} else {
		check_address(c, place, row->count);
		ledger->kept += row->count;
		converter_add(c, (struct record){RECORD_SAMPLE, at, {0}, row->count, 0, 0});
	}
}

struct job {
	const struct convert_job *how;
	const struct binary *binary;
	struct converter *workers; /* one a thread */
	unsigned threads;
	/* shared by these */
	struct code_marks unnameable;
	struct insn_starts starts;
	struct made_blocks made;
	struct plt_calls plt;
	struct label_vec pads;
};

/* Note a trace that walk_code() will walk. */
static void note_walk(struct converter *c, const struct count_row *row, const struct location *at)
{
	struct trace trace = trace_of(row->key);
	struct index_vec *noted = &c->without_map;

	bool entered = return_places_may_have(&c->places, trace);
	if (!trace_has_fall_through(&trace) && !c->imputes && !entered)
		return;
	struct output_place from = located_place(c->located, at[END_FROM]);
	if (entered)
		return_places_note(&c->places, trace, from);
	if (!trace_has_fall_through(&trace) && !c->imputes)
		return;
	struct trace_end end = end_of(c, row, from);
	if (!from.function || from.fragment || from.function->kind == FUNCTION_PLT)
		return;
	struct code_number number = functions_code_number(&c->binary->functions, from.function);
	if (c->left_out.at && *code_marks_of(&c->left_out, number))
		return;
	if (noted->len && noted->at[noted->len - 1] == number.v)
		return;
	if (place_of_end(c, at, from, end).function == from.function && !index_vec_push(noted, number.v))
		c->out_of_memory = true;
}

/* Rows are sorted by their first word, where the trace begins or the sample lies:
 * neighbours lie in one function, and what was looked up for one is at hand for the
 * next. */
static void note_walks(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;
	struct located_counts *located = job->how->located;
	const struct count_table *table = located_rows(located, shard);

	job->workers[worker].impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i++)
		note_walk(&job->workers[worker], &table->rows[i], located_row(located, shard, i));
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
static void convert_traces(struct converter *c, const struct count_row *rows, const struct location *at, size_t count)
{
	struct output_place sources[ROWS_AHEAD];
	const struct binary *binary = c->binary;

	for (size_t i = 0; i < count; i++) {
		struct trace_end branch = trace_of(rows[i].key).branch;
		uint32_t source = at[i * END_COUNT + END_BRANCH].function;
		__builtin_prefetch(image_bytes_at(&binary->image, trace_end_vaddr(branch)).data);
		if (source != LOCATION_NONE)
			__builtin_prefetch(&binary->fragment_of[source]);
		returns_prefetch(c->returns, branch);
	}
	for (size_t i = 0; i < count; i++) {
		sources[i] = located_place(c->located, at[i * END_COUNT + END_BRANCH]);
		__builtin_prefetch(sources[i].fragment);
	}
	for (size_t i = 0; i < count; i++)
		if (sources[i].fragment)
			prefetch_entries(&binary->bat, sources[i].fragment);
	for (size_t i = 0; i < count; i++)
		convert_trace(c, &rows[i], &at[i * END_COUNT], sources[i]);
}

static void convert_shard(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;
	struct located_counts *located = job->how->located;
	const struct count_table *table = located_rows(located, shard);
	struct converter *c = &job->workers[worker];

	c->impute = (struct impute){0};
	for (size_t i = 0; i < table->used; i += ROWS_AHEAD) {
		size_t count = table->used - i < ROWS_AHEAD ? table->used - i : ROWS_AHEAD;
		if (!located->basic)
			convert_traces(c, table->rows + i, located_row(located, shard, i), count);
		for (size_t k = i; located->basic && k < i + count; k++)
			convert_address(c, &table->rows[k], located_place(located, *located_row(located, shard, k)));
	}
	converter_take_fall_throughs(c);
	if (!job->how->keep_counts)
		located_free_shard(located, shard);
}

/* What the threads noted; each of them forgets it. */
static bool take_noted(struct job *job, struct index_vec *all)
{
	bool ok = true;

	for (unsigned i = 0; i < job->threads; i++) {
		struct converter *c = &job->workers[i];
		for (size_t k = 0; ok && k < c->without_map.len; k++)
			ok = index_vec_push(all, c->without_map.at[k]);
		index_vec_free(&c->without_map);
	}
	return ok;
}

/* The graphs of the functions that were noted. */
static bool build_graphs(struct job *job, struct bc_error *err)
{
	const struct binary *binary = job->binary;
	struct index_vec all = {0};
	bool ok = take_noted(job, &all);

	ok = (ok || bc_fail_nomem(err)) && (job->how->keep_code ? cfg_build_code : cfg_build)(&binary->image, &binary->functions, all.at, all.len,
											       job->threads, job->how->graphs, err);
	index_vec_free(&all);
	insn_starts_share(&job->starts, job->how->graphs);
	return ok;
}

static void take_figures(const struct job *job, struct converted *out)
{
	for (unsigned i = 0; i < job->threads; i++) {
		const struct converter *c = &job->workers[i];
		ledger_add(&out->ledgers.samples, &c->ledgers.samples);
		ledger_add(&out->ledgers.branches, &c->ledgers.branches);
		ledger_add(&out->ledgers.traces, &c->ledgers.traces);
		build_check_add(&out->check, &c->check);
		out->found.by_type += c->found.by_type;
		out->found.by_place += c->found.by_place;
		for (size_t rule = 0; rule < RESTORE_COUNT; rule++)
			out->restored.count[rule] += c->restored.count[rule];
	}
}

/* Takes the records of all workers.  Returns false when one of them was out of memory. */
static bool take_records(struct job *job, struct record_vec *batches)
{
	bool out_of_memory = false;

	for (unsigned i = 0; i < job->threads; i++) {
		struct converter *c = &job->workers[i];
		batches[i] = c->records.records;
		fall_throughs_free(&c->fall_throughs);
		out_of_memory |= c->out_of_memory || c->places.no_memory;
	}
	return !out_of_memory;
}

/* Restores the records, and makes the profile of them.  Plain samples have no branches to restore anything from. */
static bool make_profile(struct job *job, const struct profile_rules *rules, struct converted *out, struct bc_error *err)
{
	const struct restoration how = {job->how->pair, *rules, job->threads, &out->restored};
	struct record_vec batches[PARALLEL_MOST], restored;
	bool basic = job->how->located->basic;

	if (!take_records(job, batches)) {
		for (unsigned i = 0; i < job->threads; i++)
			record_vec_free(&batches[i]);
		return bc_fail_nomem(err);
	}
	bool ok = how.pair && !basic
			  ? restore_records(&how, batches, job->threads, &restored, err) &&
				    profile_build(job->binary, false, &restored, 1, job->threads, &out->profile, err)
			  : profile_build(job->binary, basic, batches, job->threads, job->threads, &out->profile, err);
	if (ok)
		out->restored.count[RESTORE_NAMES] = profile_renumbered(&out->profile);
	return ok;
}

/* The landing pads of all functions that were entered behind a call. */
static bool find_pads(struct job *job, struct bc_error *err)
{
	struct index_vec entered = {0};
	bool ok = true;

	for (unsigned i = 0; i < job->threads; i++)
		ok = return_places_take(&job->workers[i].places, &entered) && ok;
	ok = ok && return_places_pads(job->binary, &entered, &job->pads);
	index_vec_free(&entered);
	return ok || bc_fail_nomem(err);
}

/* What all workers read, and the workers. */
static bool open_job(struct job *job, const struct aggregate *aggregate, struct bc_error *err)
{
	const struct profile_rules *rules = &aggregate->options.rules;

	job->workers = calloc(job->threads, sizeof(*job->workers));
	if (!job->workers || !nameable_find(&job->binary->functions, &job->binary->image, aggregate->options.names, &job->unnameable))
		return bc_fail_nomem(err);
	for (unsigned i = 0; i < job->threads; i++) {
		struct converter *c = &job->workers[i];
		*c = (struct converter){
			.binary = job->binary,
			.located = job->how->located,
			.returns = &aggregate->returns,
			.typed = &aggregate->counter.types.inside,
			.unnameable = job->unnameable,
			.left_out = job->how->left_out,
			.imputes = aggregate->options.impute,
			.starts = &job->starts,
			.rules = *rules,
			.pair = job->how->pair,
			.cfg = job->how->graphs,
			.made = &job->made,
			.plt = &job->plt,
			.places = {.starts = &job->starts, .decoder = &c->decoder, .pads = &job->pads, .used = rules->returns_by_place},
		};
		decoder_open(job->binary->image.machine, &c->decoder);
	}
	return insn_starts_open(&job->starts, job->binary, err) &&
	       (!rules_restore(rules, RESTORE_MADE) || made_blocks_open(job->binary, &job->made, err)) &&
	       (!rules_restore(rules, RESTORE_PLT) || plt_calls_open(job->binary, &job->plt, err));
}

static void close_job(struct job *job)
{
	made_blocks_close(&job->made);
	plt_calls_close(&job->plt);
	for (unsigned i = 0; job->workers && i < job->threads; i++)
		decoder_close(&job->workers[i].decoder);
	insn_starts_close(&job->starts);
	label_vec_free(&job->pads);
	free(job->workers);
	code_marks_free(&job->unnameable);
}

static bool convert_with(struct job *job, const struct profile_rules *rules, struct converted *out, struct bc_error *err)
{
	if (!job->how->located->basic)
		parallel_for(job->threads, COUNTS_SHARDS, note_walks, job);
	bool ok = build_graphs(job, err);
	ok = find_pads(job, err) && ok;
	if (ok)
		parallel_for(job->threads, COUNTS_SHARDS, convert_shard, job);
	out->no_disassembler = job->how->graphs->no_disassembler;
	take_figures(job, out);
	return ok && make_profile(job, rules, out, err);
}

bool convert(const struct convert_job *how, const struct aggregate *aggregate, struct converted *out, struct bc_error *err)
{
	struct job job = {.how = how, .binary = how->located->binary,
			  .threads = how->threads > COUNTS_SHARDS ? COUNTS_SHARDS : how->threads};

	*out = (struct converted){.ledgers = aggregate->counter.ledgers, .found = aggregate->counter.found};
	bool ok = open_job(&job, aggregate, err) && convert_with(&job, &aggregate->options.rules, out, err);
	close_job(&job);
	return ok;
}
