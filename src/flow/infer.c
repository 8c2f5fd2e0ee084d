/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/infer.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/code/cfg.h"
#include "src/elf/plt.h"
#include "src/flow/problem.h"

enum sampled_state { NOT_YET, SOLVED, NO_GRAPH, TOO_MUCH, NO_STEPS, IN_PLT };

/* One function, and its records of the profile. */
struct sampled {
	const struct function *function; /* of the profile */
	const struct function *code;     /* of the binary that has its graph; NULL: it has none */
	size_t first, count;
	uint64_t samples;
	const struct graph *graph; /* once the state is to be solved, NOT_YET */
	uint64_t arcs;             /* blocks and edges of the graph */
	uint64_t steps;            /* it may take so many; then how many it took */
	enum sampled_state state;
	uint64_t entered; /* from the flow; a guess if there is none */
	double moved;
};
DEFINE_VEC(sampled_vec, struct sampled);

typedef struct sampled *sampled_ref;

static bool is_hotter(const sampled_ref *a, const sampled_ref *b)
{
	return (*a)->samples != (*b)->samples ? (*a)->samples > (*b)->samples :
						(*a)->first < (*b)->first;
}
DEFINE_SORT(sort_sampled, sampled_ref, is_hotter)

DEFINE_BY_NAME(called, atomic_uint_least64_t)

struct job {
	const struct profile *profile;
	const struct observed_vec *observed;   /* NULL: the profile has samples */
	const struct observed_call_vec *calls; /* NULL: none are known */
	const struct binary *binary;           /* of the profile */
	const struct pair *pair;               /* NULL: the code is the binary's own */
	const struct image *image;             /* the code's */
	const struct function_table *code;
	struct targets targets; /* likewise */
	struct cfg *graphs;
	struct sampled_vec functions;
	sampled_ref *at_once;         /* those that are solved now */
	uint64_t divisor;             /* of samples, where there are more than flow.h takes */
	bool sparse;                  /* there are fewer samples than INFER_SPARSE */
	double uneven;                /* of all functions */
	struct called called;         /* direct calls of each that were written */
	struct record_batch *batches; /* one a thread */
	struct count_table *ran; /* likewise: ranges and branches that ran, for ranges_gather();
				    NULL: not wanted */
	atomic_bool no_memory;
};

static void add(struct job *job, unsigned worker, const struct record *record)
{
	if (!record_push(&job->batches[worker], job->binary, record))
		atomic_store(&job->no_memory, true);
}

/* Where a sample lies, or what was observed. */
static struct observed sample_at(const struct job *job, size_t index)
{
	if (job->observed)
		return job->observed->at[index];
	struct record record = profile_record(job->profile, index);
	return (struct observed){record.from.function, record.from.offset, record.count};
}

static size_t sample_count(const struct job *job)
{
	return job->observed ? job->observed->len : job->profile->record_count;
}

/* ---- what is written of one function ---- */

/* A count of the flow as the profile has it. */
static uint64_t written_count(const struct job *job, uint64_t count)
{
	return job->observed ? (count + FLOW_UNITS / 2) / FLOW_UNITS * job->divisor : count;
}

/* Counts a range of the code, or a branch, if the ranges are wanted. */
static void count_ran(struct job *job, unsigned worker, uint64_t what, uint64_t from, uint64_t to,
		      uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {what, from, to};

	if (job->ran && count && !count_table_add(&job->ran[worker], key, count, 0))
		atomic_store(&job->no_memory, true);
}

/* The function of the profile that a function of the code is; NULL: none. */
static const struct function *profiled(const struct job *job, const struct function *code)
{
	return code && job->pair ? pair_output_of(job->pair, code) : code;
}

static void add_call(struct job *job, unsigned worker, struct input_place from,
		     const struct function *callee, uint64_t count)
{
	struct record record = {
		.kind = RECORD_BRANCH, .from = from, .to = {callee, 0}, .count = count};

	add(job, worker, &record);
	if (callee)
		atomic_fetch_add(called_of(&job->called,
					   functions_name_number(&job->binary->functions, callee)),
				 count);
}

struct writer {
	struct job *job;
	unsigned worker;
	const struct sampled *sampled;
};

/* A step is a record, and a range of the code up to its instruction, with the branch there. Returns
 * have none, as nobody asks for them; calls of PLT entries are outside of the ranges. */
static bool write_step(void *ctx, const struct flow_step *step)
{
	const struct writer *w = ctx;
	const struct function_table *functions = w->job->code;
	const struct block *blocks = w->sampled->graph->blocks;
	struct input_place from = {w->sampled->function, step->from->offset};
	uint64_t base = w->sampled->code->address, source = base + step->from->offset,
		 count = written_count(w->job, step->count);

	if (step->callee != NO_TARGET) {
		const struct function *code = &functions->at[step->callee],
				      *callee = profiled(w->job, code);
		if (callee)
			add_call(w->job, w->worker, from, callee, count);
		if (functions_code_at(functions, code->address))
			count_ran(w->job, w->worker, COUNTED_BRANCH, source, code->address, count);
		return true;
	}
	count_ran(w->job, w->worker, COUNTED_RANGE, base + blocks[step->block].start, source,
		  count);
	if (step->to == NO_BLOCK)
		return true;
	struct record record = {.kind = RECORD_BRANCH,
				.from = from,
				.to = {from.function, blocks[step->to].start},
				.count = count};
	add(w->job, w->worker, &record);
	if (step->taken)
		count_ran(w->job, w->worker, COUNTED_BRANCH, source, base + blocks[step->to].start,
			  count);
	return true;
}

static bool call_less(const struct observed_call *a, const struct observed_call *b)
{
	return a->function != b->function ? a->function < b->function : a->offset < b->offset;
}
DEFINE_SORT(sort_calls, struct observed_call, call_less)

void observed_calls_sort(struct observed_call_vec *calls)
{
	sort_calls(calls->at, calls->len);
}

/* A part of a count, as large as `part` is of `all`. */
static uint64_t part_of(uint64_t count, uint64_t part, uint64_t all)
{
	double exact = (double)count * ((double)part / (double)all) + 0.5;

	return exact < (double)count ? (uint64_t)exact : count;
}

/* How often the flow reaches an instruction that calls, or leaves the function by a jump, and does
 * not show where it goes. */
static uint64_t indirect_count(const struct writer *w, const struct function_problem *solved,
			       uint32_t offset)
{
	const struct graph *graph = w->sampled->graph;
	const struct insn *insn = graph_insn_at(graph, offset);
	uint32_t block = graph_block_at(graph, offset);

	if (!insn || targets_of(&w->job->targets, insn) != NO_TARGET)
		return 0;
	bool leaves = insn->kind == INSN_JUMP_INDIRECT &&
		      graph->code.first_next[block] == graph->code.first_next[block + 1];
	return insn->kind == INSN_CALL_INDIRECT || leaves ?
		       written_count(w->job, solved->counts.blocks[block]) :
		       0;
}

static void write_indirect_calls(const struct writer *w, const struct function_problem *solved)
{
	const struct observed_call_vec *calls = w->job->calls;
	const struct function *function = w->sampled->function;
	size_t end;

	for (size_t i = calls ? observed_calls_of(calls->at, calls->len, function) : 0;
	     calls && i < calls->len && calls->at[i].function == function; i = end) {
		uint32_t offset = calls->at[i].offset;
		uint64_t all = 0, count = indirect_count(w, solved, offset);
		for (end = i; end < calls->len && calls->at[end].function == function &&
			      calls->at[end].offset == offset;)
			all = count_add_saturating(all, calls->at[end++].count);
		for (size_t k = i; k < end; k++)
			add_call(w->job, w->worker, (struct input_place){function, offset},
				 calls->at[k].callee, part_of(count, calls->at[k].count, all));
	}
}

/* ---- one function ---- */

static double moved(const struct function_problem *p)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->problem.block_count; i++) {
		const struct flow_block *block = &p->blocks[i];
		double expected = (double)p->counts.blocks[i] * block->instructions / FLOW_UNITS;
		if (!block->removable && (double)block->samples > expected)
			sum += (double)block->samples - expected;
	}
	return sum;
}

/* Guesses the entries of a function without a graph: as if each of its instructions ran once for
 * each entry. */
static void guess_entries(const struct job *job, struct sampled *s)
{
	uint64_t instructions = s->function->size / 4 + 1;
	uint64_t samples = s->samples / job->divisor;

	s->entered = written_count(job, (samples ? samples : 1) * FLOW_UNITS / instructions);
	s->entered = s->entered ? s->entered : 1;
}

static struct function_sample *take_samples(const struct job *job, const struct sampled *s)
{
	struct function_sample *samples = malloc((s->count + 1) * sizeof(*samples));

	for (size_t i = 0; samples && i < s->count; i++) {
		struct observed sample = sample_at(job, s->first + i);
		samples[i] = (struct function_sample){sample.offset, sample.count};
	}
	return samples;
}

static void write_solved(struct job *job, unsigned worker, struct sampled *s,
			 const struct function_problem *solved)
{
	struct writer w = {job, worker, s};

	s->state = SOLVED;
	s->entered = written_count(job, solved->counts.entries[0]);
	s->moved = moved(solved);
	flow_steps(&(struct flow_solved){&job->targets, s->code, s->graph, &solved->counts},
		   write_step, &w);
	write_indirect_calls(&w, solved);
}

static bool solve(struct job *job, unsigned worker, struct sampled *s)
{
	struct function_problem problem = {0};
	struct function_sample *samples = take_samples(job, s);
	enum flow_result result = FLOW_NO_MEMORY;
	bool all_steps = s->steps == flow_steps_most(s->arcs);
	enum counted_as as = job->observed ? RUNS_OF_SOME :
			     job->pair     ? SAMPLES_OF_BOLTED :
					     SAMPLES_OF_CODE;

	if (samples && function_problem_make(s->code, s->graph, samples, s->count, job->divisor, as,
					     &problem)) {
		problem.problem.sparse = job->sparse;
		problem.problem.uneven = job->uneven;
		problem.problem.partial = job->observed;
		result = flow_solve(&problem.problem, &s->steps, &problem.counts);
	}
	if (result == FLOW_SOLVED)
		write_solved(job, worker, s, &problem);
	if (result == FLOW_TOO_MUCH)
		s->state = all_steps ? TOO_MUCH : NO_STEPS;
	function_problem_free(&problem);
	free(samples);
	return result != FLOW_NO_MEMORY;
}

static void solve_one(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;

	if (!solve(job, worker, job->at_once[index]))
		atomic_store(&job->no_memory, true);
}

/* ---- are the samples where the time was? ---- */

/* One block that has samples. */
struct sampled_block {
	uint32_t number, insns;
	double samples, squares;
};

struct dispersion {
	double excess, expected;
};

#define INSNS_MOST 200 /* longer blocks say little of their neighbors */

static void end_block(const struct sampled_block *b, struct dispersion *d)
{
	double n = b->insns, k = b->samples;

	if (n < 2 || n > INSNS_MOST || k < 2)
		return;
	d->excess += b->squares * n / k - k - (n - 1); /* chi-squared, less its expectation */
	d->expected += (k - 1) * (n - 1) / n;
}

static void add_dispersion(const struct job *job, const struct sampled *s, struct dispersion *d)
{
	const uint32_t *first = s->graph->code.first_insn;
	struct sampled_block now = {.number = NO_BLOCK};

	for (size_t i = 0; i < s->count; i++) {
		struct observed sample = sample_at(job, s->first + i);
		uint32_t block = graph_block_at(s->graph, sample.offset);
		double count = (double)sample.count;
		if (block != now.number) {
			end_block(&now, d);
			now = (struct sampled_block){block, first[block + 1] - first[block], 0, 0};
		}
		now.samples += count;
		now.squares += count * count;
	}
	end_block(&now, d);
}

static double unevenness(const struct job *job)
{
	struct dispersion d = {0};

	for (size_t i = 0; i < job->functions.len; i++) {
		const struct sampled *s = &job->functions.at[i];
		if (s->arcs)
			add_dispersion(job, s, &d);
	}
	return d.expected > 0 && d.excess > 0 ? d.excess / d.expected : 0;
}

/* ---- all of them ---- */

static bool begin_function(struct job *job, const struct function *function, size_t first)
{
	const struct function *code = job->pair ? pair_input_of(job->pair, function) : function;

	return sampled_vec_push(
		&job->functions,
		(struct sampled){.function = function, .code = code, .first = first});
}

/* Finds the records of each function, which are next to each other. */
static bool group(struct job *job, struct bc_error *err)
{
	uint64_t total = 0;

	for (size_t i = 0; i < sample_count(job); i++) {
		struct observed sample = sample_at(job, i);
		struct sampled *last =
			job->functions.len ? &job->functions.at[job->functions.len - 1] : NULL;
		if (!last || last->function != sample.function) {
			if (!begin_function(job, sample.function, i))
				return bc_fail_nomem(err);
			last = &job->functions.at[job->functions.len - 1];
		}
		last->count++;
		last->samples = count_add_saturating(last->samples, sample.count);
		total = count_add_saturating(total, sample.count);
	}
	job->divisor = total / FLOW_MOST_SAMPLES + 1;
	job->sparse = total < INFER_SPARSE && !job->observed;
	return true;
}

static bool build_graphs(struct job *job, unsigned threads, struct bc_error *err)
{
	uint32_t *chosen = malloc((job->functions.len + 1) * sizeof(*chosen));

	size_t count = 0;

	for (size_t i = 0; chosen && i < job->functions.len; i++)
		if (job->functions.at[i].code &&
		    job->functions.at[i].function->kind != FUNCTION_PLT)
			chosen[count++] = (uint32_t)(job->functions.at[i].code - job->code->at);
	bool ok = chosen ? cfg_build_code(job->image, job->code, chosen, count, threads,
					  job->graphs, err) :
			   bc_fail_nomem(err);
	free(chosen);
	return ok;
}

/* Sets the state of a function that is not solved, or finds its graph. */
static void find_graph(const struct job *job, struct sampled *s)
{
	s->graph = s->code ? cfg_find(job->graphs, s->code) : NULL;
	if (s->function->kind == FUNCTION_PLT)
		s->state = IN_PLT;
	else if (!s->graph || !s->graph->count)
		s->state = NO_GRAPH;
	else if (!s->graph->code.first_insn)
		s->state = TOO_MUCH;
	else
		s->arcs = (uint64_t)s->graph->count + s->graph->code.first_next[s->graph->count];
}

/* Gives the first of the functions steps, at most for half of what is left to each, until one would
 * get less than it may need. Returns how many of them it went through; *count of them can be solved
 * at the same time. */
static size_t give_steps(struct job *job, const sampled_ref *functions, size_t most, uint64_t left,
			 size_t *count)
{
	size_t i = 0;

	for (*count = 0; i < most; i++) {
		struct sampled *s = functions[i];
		uint64_t wanted = flow_steps_most(s->arcs),
			 affordable = left / 2 / flow_step_cost(s->arcs);
		if (wanted > affordable && *count)
			break;
		s->steps = wanted < affordable ? wanted : affordable;
		if (s->steps < flow_steps_least(s->arcs)) {
			s->state = NO_STEPS;
			continue;
		}
		left -= s->steps * flow_step_cost(s->arcs);
		job->at_once[(*count)++] = s;
	}
	return i;
}

static uint64_t spent(const struct sampled *s)
{
	return s->steps * flow_step_cost(s->arcs);
}

/* Solves the functions, those with most samples first.  Which of them get how many steps depends
 * only on how many those before took, and all that are solved at the same time have theirs before
 * one begins: so threads make no difference. */
static void solve_all(struct job *job, uint64_t left, unsigned threads, sampled_ref *functions,
		      size_t count)
{
	size_t now;

	sort_sampled(functions, count);
	for (size_t i = 0; i < count;) {
		i += give_steps(job, &functions[i], count - i, left, &now);
		parallel_for(threads, now, solve_one, job);
		for (size_t k = 0; k < now; k++)
			left -= spent(job->at_once[k]) < left ? spent(job->at_once[k]) : left;
	}
}

static uint64_t steps_of_all(const struct image *image)
{
	uint64_t most = UINT64_MAX / 2 - INFER_STEPS_ALWAYS,
		 size = image->work ? image->work->size : image->file.size;

	return INFER_STEPS_ALWAYS +
	       (size < most / INFER_STEPS_EACH ? size * INFER_STEPS_EACH : most);
}

static bool infer_all(struct job *job, unsigned threads, struct bc_error *err)
{
	sampled_ref *functions = malloc((job->functions.len + 1) * sizeof(*functions));
	size_t count = 0;

	job->at_once = malloc((job->functions.len + 1) * sizeof(*job->at_once));
	bool ok = functions && job->at_once;
	for (size_t i = 0; ok && i < job->functions.len; i++) {
		struct sampled *s = &job->functions.at[i];
		find_graph(job, s);
		if (s->state == NOT_YET)
			functions[count++] = s;
	}
	job->uneven = unevenness(job);
	if (ok)
		solve_all(job, steps_of_all(job->image), threads, functions, count);
	for (size_t i = 0; ok && i < job->functions.len; i++) {
		struct sampled *s = &job->functions.at[i];
		if (s->state != SOLVED && s->state != IN_PLT)
			guess_entries(job, s);
	}
	free(functions);
	free(job->at_once);
	return ok || bc_fail_nomem(err);
}

/* Writes the jump of each PLT entry that was called: out of the binary, or to the function of its
 * own that others may replace. */
static void write_plt_jump(struct job *job, const struct plt_entry *entry)
{
	const struct function *plt = profiled(job, functions_at(job->code, entry->address));

	if (!entry->slot || !plt || plt->kind != FUNCTION_PLT)
		return;
	uint64_t called = atomic_load(
		called_of(&job->called, functions_name_number(&job->binary->functions, plt)));
	bool own = entry->slot->symbol && entry->slot->value;
	const struct function *code = own ? functions_at(job->code, entry->slot->value) : NULL,
			      *to = profiled(job, code);
	if (!called || (own && !to))
		return;
	add_call(job, 0,
		 (struct input_place){plt, plt_jump_in(job->image, (struct vaddr){entry->address})},
		 to, called);
	if (to)
		count_ran(job, 0, COUNTED_BRANCH, RANGE_FROM_OUTSIDE, code->address, called);
}

static bool write_plt_jumps(struct job *job, struct bc_error *err)
{
	struct got got = {0};
	struct plt plt = {0};
	bool ok = got_read(job->image, &got, err) && plt_read(job->image, &got, &plt, err);

	for (size_t i = 0; ok && i < plt.count; i++)
		write_plt_jump(job, &plt.at[i]);
	plt_free(&plt);
	got_free(&got);
	return ok;
}

/* Writes the entries of functions: what enters a function beyond the calls that were written comes
 * from an unknown location. */
static void write_entries(struct job *job)
{
	for (size_t i = 0; i < job->functions.len; i++) {
		const struct sampled *s = &job->functions.at[i];
		uint64_t called = atomic_load(called_of(
			&job->called, functions_name_number(&job->binary->functions, s->function)));
		struct record record = {.kind = RECORD_ENTRY, .to = {s->function, 0}};
		if (s->entered <= called)
			continue;
		record.count = s->entered - called;
		add(job, 0, &record);
		if (s->code)
			count_ran(job, 0, COUNTED_BRANCH, RANGE_FROM_OUTSIDE, s->code->address,
				  record.count);
	}
}

/* Makes the ranges of all functions.  One without a flow ran from its beginning to its end as often
 * as it was entered. */
static bool make_ranges(struct job *job, unsigned threads, struct ranges *out, struct bc_error *err)
{
	*out = (struct ranges){.base = ranges_base(job->image)};
	for (size_t i = 0; i < job->functions.len; i++) {
		const struct sampled *s = &job->functions.at[i];
		out->runs.read = count_add_saturating(out->runs.read, s->samples);
		if (s->state == IN_PLT || !s->code) {
			uint64_t *dropped = &out->runs.dropped[s->state == IN_PLT ? RANGE_OUTSIDE :
										    RANGE_NO_CODE];
			*dropped = count_add_saturating(*dropped, s->samples);
			continue;
		}
		out->runs.kept = count_add_saturating(out->runs.kept, s->samples);
		if (s->state != SOLVED && s->code->size)
			count_ran(job, 0, COUNTED_RANGE, s->code->address,
				  s->code->address + s->code->size - 1, s->entered);
	}
	return (!atomic_load(&job->no_memory) && ranges_gather(job->ran, threads, out)) ||
	       bc_fail_nomem(err);
}

static struct inferred_share *share_of(struct inferred *out, enum sampled_state state)
{
	switch (state) {
	case SOLVED: return &out->solved;
	case NO_GRAPH: return &out->no_cfg;
	case IN_PLT: return &out->plt;
	case NO_STEPS: return &out->step_limit;
	case NOT_YET:
	case TOO_MUCH: break;
	}
	return &out->too_large;
}

static void count_functions(const struct job *job, struct inferred *out)
{
	double elsewhere = 0;

	*out = (struct inferred){.uneven = job->uneven};
	for (size_t i = 0; i < job->functions.len; i++) {
		const struct sampled *s = &job->functions.at[i];
		struct inferred_share *share = share_of(out, s->state);
		share->functions++;
		share->samples += s->samples;
		elsewhere += s->moved;
	}
	elsewhere *= (double)job->divisor;
	out->moved = elsewhere < 0x1p64 ? (uint64_t)elsewhere : UINT64_MAX;
}

/* Replaces the records of the profile, after everything else has succeeded. */
static bool replace(struct job *job, struct profile *profile, unsigned threads,
		    struct bc_error *err)
{
	struct record_vec records[PARALLEL_MOST];
	struct profile branches;

	for (unsigned i = 0; i < threads; i++) {
		records[i] = job->batches[i].records;
		job->batches[i].records = (struct record_vec){0};
	}
	if (!profile_build(job->binary, false, records, threads, threads, &branches, err))
		return false;
	branches.of_input = true;
	branches.accesses = profile->accesses;
	profile->accesses = (struct access_vec){0};
	profile_free(profile);
	*profile = branches;
	return true;
}

static bool run(struct job *job, const struct infer_job *how, struct profile *profile,
		struct inferred *out, struct bc_error *err)
{
	unsigned threads = how->threads;

	if (!called_make(&job->called, &job->binary->functions) || !job->batches ||
	    (how->ranges && !job->ran))
		return bc_fail_nomem(err);
	if (!group(job, err) || !build_graphs(job, threads, err) ||
	    !targets_open(job->image, job->code, &job->targets, err))
		return false;
	if (!infer_all(job, threads, err))
		return false;
	if (!write_plt_jumps(job, err))
		return false;
	write_entries(job);
	count_functions(job, out);
	if (atomic_load(&job->no_memory))
		return bc_fail_nomem(err);
	return (!how->ranges || make_ranges(job, threads, how->ranges, err)) &&
	       (how->figures_only || replace(job, profile, threads, err));
}

bool infer(const struct infer_job *wanted, struct profile *profile, struct inferred *out,
	   struct bc_error *err)
{
	const struct binary *binary = profile->binary;
	const struct pair *pair = wanted->pair;
	struct infer_job how = *wanted;
	struct job job = {.profile = profile,
			  .observed = wanted->observed,
			  .calls = wanted->calls,
			  .binary = binary,
			  .pair = pair,
			  .graphs = wanted->graphs,
			  .image = pair ? &pair->image : &binary->image,
			  .code = pair ? &pair->functions : &binary->functions};

	how.threads = how.threads < PARALLEL_MOST ? how.threads : PARALLEL_MOST;
	job.batches = calloc(how.threads, sizeof(*job.batches));
	job.ran = how.ranges ? calloc(how.threads, sizeof(*job.ran)) : NULL;
	bool ok = run(&job, &how, profile, out, err);
	for (unsigned i = 0; job.batches && i < how.threads; i++)
		record_vec_free(&job.batches[i].records);
	for (unsigned i = 0; job.ran && i < how.threads; i++)
		count_table_free(&job.ran[i]);
	free(job.batches);
	free(job.ran);
	called_free(&job.called);
	targets_close(&job.targets);
	sampled_vec_free(&job.functions);
	return ok;
}

uint64_t inferred_of(const struct inferred *i)
{
	uint64_t sum = count_add_saturating(i->solved.samples, i->plt.samples);

#define X(share, text) sum = count_add_saturating(sum, i->share.samples);
	INFERRED_REASONS(X)
#undef X
	return sum;
}

double inferred_percent(const struct inferred *i)
{
	return percent_of(i->solved.samples, inferred_of(i));
}

double inferred_moved_percent(const struct inferred *i)
{
	return percent_of(i->moved, i->solved.samples);
}
