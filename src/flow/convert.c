/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/convert.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/base/vec.h"
#include "src/flow/ranges.h"
#include "src/flow/records.h"
#include "src/flow/restore.h"

DEFINE_VEC(index_vec, uint32_t);

/* One thread. */
struct worker {
	struct trace_walk walk;
	struct record_walker record_walker;
	struct range_walker ranges;
};

struct job {
	const struct convert_job *how;
	const struct binary *binary;
	struct worker *workers;
	unsigned threads;
	/* shared by these */
	struct trace_facts traces;
	struct record_facts records;
	struct trace_notes notes;
	struct out_functions out_functions;
	/* With the input at hand: */
	struct targets input_targets, output_targets;
	struct decoder input_decoder;
	struct known_calls calls;
	struct inlined_bodies inlined;
};

static bool open_job(struct job *job, const struct aggregate *aggregate, struct bc_error *err)
{
	const struct convert_job *how = job->how;

	job->records = (struct record_facts){.binary = job->binary,
					     .pair = how->pair,
					     .cfg = how->graphs,
					     .rules = aggregate->options.rules,
					     .left_out = how->left_out,
					     .inlined = &job->inlined};
	job->workers = calloc(job->threads, sizeof(*job->workers));
	if (!job->workers)
		return bc_fail_nomem(err);
	bool ok = trace_facts_open(how->located, how->pair, aggregate, &job->traces, err);
	for (unsigned i = 0; i < job->threads; i++) {
		struct worker *w = &job->workers[i];
		trace_walk_open(&w->walk, &job->traces);
		w->record_walker.facts = &job->records;
		w->ranges = (struct range_walker){.facts = &job->traces,
						  .functions = &job->out_functions};
	}
	return ok && record_facts_open(&job->records, aggregate->options.names, err);
}

static void close_job(struct job *job)
{
	for (unsigned i = 0; job->workers && i < job->threads; i++) {
		struct worker *w = &job->workers[i];
		trace_walk_close(&w->walk);
		record_vec_free(&w->record_walker.records.records);
		fall_throughs_free(&w->record_walker.fall_throughs);
		count_table_free(&w->ranges.counts);
	}
	free(job->workers);
	free(job->notes.behind);
	free(job->notes.entered);
	free(job->notes.walked);
	free(job->notes.ran);
	record_facts_close(&job->records);
	trace_facts_close(&job->traces);
	inlined_bodies_close(&job->inlined);
	out_functions_close(&job->out_functions);
	known_calls_close(&job->calls);
	targets_close(&job->input_targets);
	targets_close(&job->output_targets);
	decoder_close(&job->input_decoder);
}

/* ---- what the walk needs: graphs and code of each function that ran ---- */

static bool make_notes(struct job *job)
{
	const struct pair *pair = job->how->pair;
	size_t functions = job->binary->functions.count + 1;
	struct trace_notes *notes = &job->notes;

	notes->walked = calloc(functions, sizeof(*notes->walked));
	notes->behind = calloc(functions, sizeof(*notes->behind));
	notes->entered = calloc(functions, sizeof(*notes->entered));
	if (pair)
		notes->ran = calloc(pair->functions.count + 1, sizeof(*notes->ran));
	return notes->walked && notes->behind && notes->entered && (!pair || notes->ran);
}

static void note_shard(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;

	traces_note(&job->workers[worker].walk, shard, &job->notes);
}

/* Lists the functions that are marked, and are not left out. */
static bool list_marked(const atomic_bool *marks, size_t count, const struct code_marks *left_out,
			struct index_vec *out)
{
	for (uint32_t i = 0; i < count; i++)
		if (marks[i] &&
		    !(left_out && left_out->at &&
		      *code_marks_of(left_out, (struct code_number){i})) &&
		    !index_vec_push(out, i))
			return false;
	return true;
}

static bool build_input_graphs(struct job *job, struct bc_error *err)
{
	struct pair *pair = job->how->pair;
	struct index_vec chosen = {0};

	if (!pair)
		return true;
	bool ok = list_marked(job->notes.ran, pair->functions.count, NULL, &chosen) ||
		  bc_fail_nomem(err);
	ok = ok && pair_build_graphs(pair, chosen.at, chosen.len, job->threads, err);
	index_vec_free(&chosen);
	return ok;
}

static bool build_graphs(struct job *job, struct bc_error *err)
{
	const struct convert_job *how = job->how;
	const struct function_table *functions = &job->binary->functions;
	struct index_vec chosen = {0};
	bool ok = list_marked(job->notes.walked, functions->count, &how->left_out, &chosen) ||
		  bc_fail_nomem(err);

	ok = ok && (how->keep_code ? cfg_build_code : cfg_build)(&job->binary->image, functions,
								 chosen.at, chosen.len,
								 job->threads, how->graphs, err);
	index_vec_free(&chosen);
	insn_starts_share(&job->traces.starts, how->graphs);
	return ok;
}

static bool find_pads(struct job *job, struct bc_error *err)
{
	struct index_vec behind = {0};
	bool ok = list_marked(job->notes.behind, job->binary->functions.count, NULL, &behind);
	const struct chosen chosen = {&job->binary->image, &job->binary->functions, behind.at,
				      behind.len};

	if (ok && behind.len) {
		ok = labels_of_landing_pads(&chosen, &job->traces.pads);
		labels_sort(&job->traces.pads);
	}
	index_vec_free(&behind);
	return ok || bc_fail_nomem(err);
}

/* What functions of the output call, and what was inlined into them. */
static bool read_calls(struct job *job, struct bc_error *err)
{
	const struct pair *pair = job->how->pair;

	if (!pair)
		return true;
	decoder_open(pair->image.machine, &job->input_decoder);
	if (!targets_open(&pair->image, &pair->functions, &job->input_targets, err) ||
	    !targets_open(&pair->output->image, &pair->output->functions, &job->output_targets,
			  err))
		return false;
	if (!known_calls_open(pair, &job->input_targets, &job->input_decoder, &job->calls))
		return bc_fail_nomem(err);
	return !rules_restore(&job->records.rules, RESTORE_INLINED) ||
	       inlined_bodies_open(&job->out_functions, &job->calls, &job->output_targets,
				   &job->inlined) ||
	       bc_fail_nomem(err);
}

static bool read_output(struct job *job, struct bc_error *err)
{
	const struct convert_job *how = job->how;

	if (!how->ranges && !how->pair)
		return true;
	return (out_functions_open(job->binary, how->pair, job->notes.ran, job->notes.entered,
				   how->ranges, job->threads, &job->out_functions) ||
		bc_fail_nomem(err)) &&
	       read_calls(job, err);
}

static bool read_code(struct job *job, struct bc_error *err)
{
	if (!make_notes(job))
		return bc_fail_nomem(err);
	parallel_for(job->threads, COUNTS_SHARDS, note_shard, job);
	return build_input_graphs(job, err) && build_graphs(job, err) && find_pads(job, err) &&
	       read_output(job, err);
}

/* ---- the walk ---- */

static void take_trace(void *ctx, const struct located_trace *trace)
{
	struct worker *w = ctx;

	record_walker_take_trace(&w->record_walker, trace);
	if (w->ranges.functions->walked)
		range_walker_take(&w->ranges, trace);
}

/* A row gives a record or two, and each worker takes its share of the rows: an array that grows by
 * doubling would be copied as often, and each copy needs memory that was never touched. */
static bool reserve_records(struct job *job)
{
	size_t rows = 0;
	bool ok = true;

	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		rows += job->how->located->counts->shards[i].used;
	for (unsigned i = 0; i < job->threads; i++)
		ok = ok && record_vec_reserve(&job->workers[i].record_walker.records.records,
					      rows / job->threads);
	return ok;
}

static void walk_shard(void *ctx, size_t shard, unsigned worker)
{
	struct job *job = ctx;
	struct located_counts *located = job->how->located;
	struct worker *w = &job->workers[worker];

	if (located->basic) {
		const struct count_table *table = located_rows(located, shard);
		for (size_t i = 0; i < table->used; i++)
			record_walker_take_address(
				&w->record_walker,
				located_place(located, *located_row(located, shard, i)),
				table->rows[i].count);
	} else {
		traces_walk(&w->walk, shard, take_trace, w);
		record_walker_end_shard(&w->record_walker);
	}
	if (!job->how->keep_counts)
		located_free_shard(located, shard);
}

static void take_sums(void *ctx, size_t number, unsigned worker)
{
	struct job *job = ctx;

	range_walker_sums(&job->workers[worker].ranges, &job->out_functions.at[number]);
}

/* ---- what the threads have ---- */

static void take_figures(const struct job *job, struct converted *out)
{
	out->no_disassembler = job->how->graphs->no_disassembler ||
			       (job->how->pair && job->how->pair->graphs.no_disassembler);
	for (unsigned i = 0; i < job->threads; i++) {
		const struct trace_walk *walk = &job->workers[i].walk;
		const struct record_walker *r = &job->workers[i].record_walker;
		ledger_add(&out->ledgers.samples, &r->ledgers.samples);
		ledger_add(&out->ledgers.branches, &r->ledgers.branches);
		ledger_add(&out->ledgers.traces, &r->ledgers.traces);
		build_check_add(&out->check, &walk->check);
		build_check_add(&out->check, &r->check);
		out->found.by_type += walk->found.by_type;
		out->found.by_address += walk->found.by_address;
		for (size_t rule = 0; rule < RESTORE_COUNT; rule++)
			out->restored.count[rule] += r->restored.count[rule];
		for (size_t guard = 0; guard < GUARD_COUNT; guard++)
			out->restored.skipped[guard] += r->restored.skipped[guard];
	}
}

static bool has_memory(const struct job *job)
{
	bool ok = true;

	for (unsigned i = 0; i < job->threads; i++) {
		const struct worker *w = &job->workers[i];
		ok = ok && !w->walk.no_memory && !w->walk.places.no_memory &&
		     !w->record_walker.no_memory && !w->ranges.no_memory;
	}
	return ok;
}

/* Restores the records, and makes the profile of them.  Basic samples have no branches to restore
 * anything from. */
static bool make_profile(struct job *job, struct converted *out, struct bc_error *err)
{
	const struct restoration how = {.pair = job->how->pair,
					.out_functions = &job->out_functions,
					.calls = &job->calls,
					.output_targets = &job->output_targets,
					.inlined = &job->inlined,
					.rules = job->records.rules,
					.threads = job->threads,
					.restored = &out->restored,
					.branches = &out->ledgers.branches};
	struct record_vec batches[PARALLEL_MOST], restored;
	bool basic = job->how->located->basic;

	for (unsigned i = 0; i < job->threads; i++) {
		batches[i] = job->workers[i].record_walker.records.records;
		job->workers[i].record_walker.records.records = (struct record_vec){0};
	}
	bool ok = how.pair && !basic ?
			  restore_records(&how, batches, job->threads, &restored, err) &&
				  profile_build(job->binary, false, &restored, 1, job->threads,
						&out->profile, err) :
			  profile_build(job->binary, basic, batches, job->threads, job->threads,
					&out->profile, err);
	if (ok)
		out->restored.count[RESTORE_NAMES] = profile_renumbered(&out->profile);
	return ok;
}

static bool make_ranges(struct job *job, const struct profile *profile, struct bc_error *err)
{
	struct ranges *out = job->how->ranges;
	const struct pair *pair = job->how->pair;
	struct count_table counts[PARALLEL_MOST];

	parallel_for(job->threads, job->out_functions.count, take_sums, job);
	*out = (struct ranges){.base = ranges_base(pair ? &pair->image : &job->binary->image)};
	for (unsigned i = 0; i < job->threads; i++) {
		const struct range_walker *w = &job->workers[i].ranges;
		counts[i] = w->counts;
		ledger_add(&out->runs, &w->runs);
		ledger_add(&out->steps, &w->steps);
	}
	return ((has_memory(job) && ranges_gather(counts, job->threads, out)) ||
		bc_fail_nomem(err)) &&
	       ranges_take_calls(profile, pair, out, err);
}

static bool convert_with(struct job *job, struct converted *out, struct bc_error *err)
{
	if (!job->how->located->basic && !read_code(job, err))
		return false;
	if (!reserve_records(job))
		return bc_fail_nomem(err);
	parallel_for(job->threads, COUNTS_SHARDS, walk_shard, job);
	take_figures(job, out);
	return (has_memory(job) || bc_fail_nomem(err)) && make_profile(job, out, err) &&
	       (!job->how->ranges || make_ranges(job, &out->profile, err));
}

bool convert(const struct convert_job *how, const struct aggregate *aggregate,
	     struct converted *out, struct bc_error *err)
{
	struct job job = {.how = how,
			  .binary = how->located->binary,
			  .threads = how->threads > COUNTS_SHARDS ? COUNTS_SHARDS : how->threads};

	*out = (struct converted){.ledgers = aggregate->counter.ledgers,
				  .found = aggregate->counter.found};
	bool ok = open_job(&job, aggregate, err) && convert_with(&job, out, err);
	close_job(&job);
	if (!ok)
		profile_free(&out->profile);
	return ok;
}

/* ---- the counts themselves as a result ---- */

void preagg_counts_free(struct preagg_counts *counts)
{
	free(counts->rows);
	*counts = (struct preagg_counts){0};
}

static bool has_mispredictions(const struct counts *counts)
{
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++)
		for (size_t i = 0; i < counts->shards[shard].used; i++)
			if (counts->shards[shard].rows[i].extra)
				return true;
	return false;
}

struct splitter {
	struct located_counts *located;
	const struct aggregate *aggregate;
	struct insn_starts starts;
	struct decoder decoder;
	struct preagg_counts *out;
	bool no_memory;
};

static bool is_return(struct splitter *s, struct trace_end branch, struct output_place source)
{
	struct insn insn = build_check_insn(&s->located->binary->image, trace_end_vaddr(branch));
	enum insn_verdict verdict = insn_is_return(&s->starts, &s->decoder, source, insn);

	s->no_memory |= verdict == INSN_NO_MEMORY;
	return verdict == INSN_YES || returns_has(&s->aggregate->returns, branch);
}

/* How the location was reached that a fall-through began at.  In code that BOLT ignored a walk
 * depends on whether it was from outside the function, as well. */
static enum trace_end_kind way_to(const struct splitter *s, const struct trace *trace,
				  struct output_place from, bool returns)
{
	struct vaddr branch = trace_end_vaddr(trace->branch);

	if (trace_end_is(trace->branch, TRACE_END_EXTERNAL))
		return TRACE_END_FT_EXTERNAL;
	if (!from.function)
		return TRACE_END_NONE;
	bool own = branch.v - from.function->address < from.function->size;
	if (returns && (from.fragment || !own || s->aggregate->options.rules.own_returns))
		return TRACE_END_FT_RETURN;
	return from.fragment || own ? TRACE_END_NONE : TRACE_END_FT_EXTERNAL;
}

static void put_row(struct splitter *s, struct trace trace, uint64_t count, uint64_t mispredicted)
{
	struct count_row *row = &s->out->rows[s->out->count++];

	*row = (struct count_row){.count = count, .extra = mispredicted};
	trace_key(&trace, row->key);
}

static void split_row(struct splitter *s, const struct count_row *row, const struct location *at)
{
	struct trace trace = trace_of(row->key);

	if (!trace_has_branch(&trace)) {
		put_row(s, trace, row->count, 0);
		return;
	}
	struct output_place source = located_place(s->located, at[END_BRANCH]),
			    from = located_place(s->located, at[END_FROM]);
	bool returns = is_return(s, trace.branch, source);
	if (returns)
		s->out->returns += row->count;
	else
		put_row(s, (struct trace){trace.branch, trace.from, trace_end_of(TRACE_END_NONE)},
			row->count, row->extra);
	if (trace_has_fall_through(&trace))
		put_row(s,
			(struct trace){trace_end_of(way_to(s, &trace, from, returns)), trace.from,
				       trace.to},
			row->count, 0);
}

static void copy_row(struct splitter *s, const struct count_row *row, const struct location *at)
{
	(void)at;
	s->out->rows[s->out->count++] = *row;
}

/* Each table is freed when it was read, so that not all is there twice. */
static bool take_rows(struct splitter *s, bool splits, struct bc_error *err)
{
	struct counts *counts = s->located->counts;
	struct count_rows spare = {0},
			  rows = {.capacity = (splits ? 2 : 1) * counts_used(counts) + 1};

	rows.at = malloc(rows.capacity * sizeof(*rows.at));
	s->out->rows = rows.at;
	if (!rows.at)
		return bc_fail_nomem(err);
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(s->located, shard);
		for (size_t i = 0; i < table->used; i++)
			(splits ? split_row : copy_row)(s, &table->rows[i],
							located_row(s->located, shard, i));
		located_free_shard(s->located, shard);
	}
	s->out->count = count_rows_unify(&rows, s->out->count, &spare);
	s->out->rows = rows.at;
	free(spare.at);
	return !s->no_memory || bc_fail_nomem(err);
}

bool preagg_counts_take(struct located_counts *located, const struct aggregate *aggregate,
			struct preagg_counts *out, struct bc_error *err)
{
	struct splitter s = {.located = located, .aggregate = aggregate, .out = out};

	*out = (struct preagg_counts){0};
	decoder_open(located->binary->image.machine, &s.decoder);
	bool ok = insn_starts_open(&s.starts, located->binary, err) &&
		  take_rows(&s, !located->basic && has_mispredictions(located->counts), err);
	insn_starts_close(&s.starts);
	decoder_close(&s.decoder);
	return ok;
}
