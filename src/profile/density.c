/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/density.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/code/cfg.h"
#include "src/count/located.h"

DEFINE_VEC(index_vec, uint32_t);

/* Blocks that the table says of one fragment. */
struct told_blocks {
	size_t first;   /* of `told.starts` */
	uint32_t count; /* 0: none are reported */
};

struct told {
	struct told_blocks *of;  /* by fragment; NULL: nobody asked */
	struct index_vec starts; /* offsets in the fragment, ascending from 0 on */
};

struct job {
	struct located_counts *located;
	const struct executed_options *options;
	struct cfg *graphs;
	struct told told; /* of fragments whose code has no graph */
	struct executed *bytes;
};

/* Sums of neighboring rows of one function, added to its total at once. */
struct sum {
	const struct function *function;
	uint64_t bytes;
};

static void add(const struct job *job, struct sum *sum, struct output_place place, uint64_t bytes)
{
	const struct binary *binary = job->located->binary;
	const struct function *owner = binary_owner(binary, place);

	if (!owner)
		owner = place.function;
	if (sum->function != owner) {
		if (sum->function)
			atomic_fetch_add_explicit(
				executed_of(job->bytes, functions_code_number(&binary->functions,
									      sum->function)),
				sum->bytes, memory_order_relaxed);
		*sum = (struct sum){owner, 0};
	}
	sum->bytes += bytes;
}

static void take(const struct job *job, struct sum *sum)
{
	if (sum->function)
		add(job, sum, (struct output_place){0}, 0);
}

static void count_traces(void *ctx, size_t shard, unsigned worker)
{
	const struct job *job = ctx;
	struct located_counts *located = job->located;
	const struct count_table *table = located_rows(located, shard);
	struct impute impute = {0};
	struct sum sum = {0};

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		const struct count_row *row = &table->rows[i];
		struct trace trace = trace_of(row->key);
		const struct location *at = located_row(located, shard, i);
		struct output_place from = located_place(located, at[END_FROM]);
		const struct function *to = located_place(located, at[END_TO]).function;
		if (job->options->imputes) {
			trace.to = impute_end(&impute, located->binary, row, from);
			to = binary_place(located->binary, trace_end_vaddr(trace.to), from.function)
				     .function;
		}
		if (trace_has_fall_through(&trace) && from.function && to == from.function)
			add(job, &sum, from,
			    row->count *
				    (trace_end_vaddr(trace.to).v - trace_end_vaddr(trace.from).v));
	}
	take(job, &sum);
}

DEFINE_SEARCH(starts_up_to, uint32_t, uint32_t, *item <= key)

static uint64_t told_size(const struct job *job, struct output_place place)
{
	const struct binary *binary = job->located->binary;

	if (!place.fragment || !job->told.of)
		return 0;
	uint32_t fragment = (uint32_t)(place.fragment - binary->bat.fragments);
	uint64_t size = binary_fragment_size(binary, fragment);
	const struct told_blocks *told = &job->told.of[fragment];
	if (!told->count || place.offset >= size)
		return 0;
	const uint32_t *starts = job->told.starts.at + told->first;
	size_t next = starts_up_to(starts, told->count, place.offset);
	return (next < told->count ? starts[next] : size) - starts[next - 1];
}

/* The size of the block that holds a location; 0: it is not known. */
static uint64_t block_size(const struct job *job, struct output_place place)
{
	const struct graph *graph = cfg_find(job->graphs, place.function);

	if (!graph || !graph->count)
		return told_size(job, place);
	if (place.offset >= graph->size)
		return 0;
	size_t at = graph_block_at(graph, place.offset);
	return (at + 1 < graph->count ? graph->blocks[at + 1].start : graph->size) -
	       graph->blocks[at].start;
}

static void count_addresses(void *ctx, size_t shard, unsigned worker)
{
	const struct job *job = ctx;
	const struct count_table *table = located_rows(job->located, shard);
	struct sum sum = {0};

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		struct output_place place =
			located_place(job->located, *located_row(job->located, shard, i));
		if (place.function)
			add(job, &sum, place, table->rows[i].count * block_size(job, place));
	}
	take(job, &sum);
}

/* The functions that addresses lie in. */
static bool note_addresses(const struct job *job, struct index_vec *out)
{
	const struct function *functions = job->located->binary->functions.at;

	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(job->located, shard);
		uint32_t last = LOCATION_NONE;
		for (size_t i = 0; i < table->used; i++) {
			uint32_t function = located_row(job->located, shard, i)->function;
			if (function != last && function != LOCATION_NONE &&
			    functions[function].kind != FUNCTION_PLT &&
			    !index_vec_push(out, function))
				return false;
			last = function;
		}
	}
	return true;
}

/* Takes the blocks of a fragment from its entries.  Those after its end are of code that was
 * deleted. */
static bool tell_fragment(struct job *job, uint32_t number)
{
	const struct binary *binary = job->located->binary;
	const struct bat_fragment *fragment = &binary->bat.fragments[number];
	const struct bat_entry *entries = &binary->bat.entries[fragment->first_entry];
	struct told_blocks *told = &job->told.of[number];
	struct index_vec *starts = &job->told.starts;
	uint64_t size = binary_fragment_size(binary, number);

	if (told->count || !size)
		return true;
	told->first = starts->len;
	bool ok = index_vec_push(starts, 0);
	for (uint32_t i = 0; ok && i < fragment->entry_count; i++) {
		uint32_t at = entries[i].output;
		if (!bat_entry_is_branch(entries[i]) && at > starts->at[starts->len - 1] &&
		    at < size)
			ok = index_vec_push(starts, at);
	}
	told->count = (uint32_t)(starts->len - told->first);
	return ok;
}

/* Takes the blocks of the chosen functions without a graph: as llvm-bolt, cfg/ makes none of a
 * function that was split. */
static bool tell_blocks(struct job *job, const struct index_vec *chosen)
{
	const struct binary *binary = job->located->binary;
	bool ok = true;

	if (job->options->as_perf2bolt || !binary->bat.fragment_count)
		return true;
	job->told.of = calloc(binary->bat.fragment_count, sizeof(*job->told.of));
	ok = job->told.of;
	for (size_t i = 0; ok && i < chosen->len; i++) {
		const struct graph *graph =
			cfg_find(job->graphs, &binary->functions.at[chosen->at[i]]);
		uint32_t fragment = binary->fragment_of[chosen->at[i]];
		if (fragment != NO_FRAGMENT && (!graph || !graph->count))
			ok = tell_fragment(job, fragment);
	}
	return ok;
}

static bool count_basic(struct job *job, unsigned threads, struct bc_error *err)
{
	const struct binary *binary = job->located->binary;
	struct index_vec chosen = {0};
	bool ok = (note_addresses(job, &chosen) || bc_fail_nomem(err)) &&
		  cfg_build(&binary->image, &binary->functions, chosen.at, chosen.len, threads,
			    job->graphs, err);

	ok = ok && (tell_blocks(job, &chosen) || bc_fail_nomem(err));
	index_vec_free(&chosen);
	if (ok)
		parallel_for(threads, COUNTS_SHARDS, count_addresses, job);
	free(job->told.of);
	index_vec_free(&job->told.starts);
	return ok;
}

bool executed_count(struct located_counts *located, const struct executed_options *options,
		    struct cfg *graphs, unsigned threads, struct executed *out,
		    struct bc_error *err)
{
	struct job job = {.located = located, .options = options, .bytes = out, .graphs = graphs};

	if (!executed_make(out, &located->binary->functions))
		return bc_fail_nomem(err);
	if (located->basic)
		return count_basic(&job, threads, err);
	parallel_for(threads, COUNTS_SHARDS, count_traces, &job);
	return true;
}

/* ---- of a profile ---- */

struct dense {
	double density;
	uint64_t samples;
};
DEFINE_VEC(dense_vec, struct dense);

DEFINE_BY_NAME(cold_bytes, uint64_t)

struct taking {
	const struct profile *profile;
	const struct binary *binary;
	const struct executed *executed;
	const struct density_options *options;
	struct cold_bytes cold; /* that BOLT split off a function */
	uint64_t *samples;      /* by location in profile->by_name */
	struct dense_vec dense;
	struct density *out;
};

static void taking_free(struct taking *t)
{
	cold_bytes_free(&t->cold);
	free(t->samples);
	dense_vec_free(&t->dense);
}

/* The beginning of a PLT section counts as a function, its entries do not. */
static bool is_plt_entry(const struct function *f)
{
	return f->kind == FUNCTION_PLT && strstr(f->primary, "@PLT");
}

static void count_functions(const struct taking *t)
{
	for (size_t i = 0; i < t->binary->functions.count; i++)
		t->out->functions += !is_plt_entry(&t->binary->functions.at[i]);
}

static bool note_cold(struct taking *t)
{
	const struct binary *binary = t->binary;
	const struct bat_table *bat = &binary->bat;

	if (!cold_bytes_make(&t->cold, &binary->functions))
		return false;
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		if (!f->cold || f->parent == BAT_NO_PARENT)
			continue;
		const struct function *parent = binary_fragment_function(binary, f->parent);
		if (parent)
			*cold_bytes_of(&t->cold,
				       functions_name_number(&binary->functions, parent)) +=
				binary_fragment_size(binary, i);
	}
	return true;
}

static bool count_samples(struct taking *t)
{
	const struct profile *profile = t->profile;

	t->samples = calloc(profile->function_count + 1, sizeof(*t->samples));
	for (size_t i = 0; t->samples && i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (record.kind != RECORD_ENTRY)
			t->samples[profile_owner(profile, i)] += record.count;
	}
	return t->samples;
}

/* For what BOLT did not split: their own code says if it is understood. */
static bool build_graphs(struct taking *t, struct bc_error *err)
{
	const struct function_table *functions = &t->binary->functions;
	uint32_t *chosen = calloc(t->profile->function_count + 1, sizeof(*chosen));
	size_t count = 0;

	if (!chosen)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < t->profile->function_count; i++) {
		struct name_number name = t->profile->by_name[i];
		struct code_number code;
		if (functions_code_of(functions, name, &code) &&
		    functions->at[code.v].kind != FUNCTION_PLT && !*cold_bytes_of(&t->cold, name))
			chosen[count++] = code.v;
	}
	bool ok = cfg_build(&t->binary->image, functions, chosen, count, t->options->threads,
			    t->options->graphs, err);
	free(chosen);
	t->out->no_disassembler = t->options->graphs->no_disassembler;
	return ok;
}

static bool is_simple(const struct taking *t, struct name_number name, struct code_number code)
{
	if (*cold_bytes_of(&t->cold, name))
		return true; /* not as it is, but the input's function was */
	if (t->options->left_out.at && *code_marks_of(&t->options->left_out, code))
		return false;
	const struct graph *graph = cfg_find(t->options->graphs, &t->binary->functions.at[code.v]);
	return graph && graph->count && !graph->takes_own &&
	       (t->options->strict || !graph->unknown_jumps);
}

static bool note_function(struct taking *t, size_t place)
{
	struct name_number name = t->profile->by_name[place];
	const struct function *f = &t->binary->functions.at[name.v];
	struct code_number code;

	if (is_plt_entry(f) || !functions_code_of(&t->binary->functions, name, &code))
		return true;
	if (!is_simple(t, name, code)) {
		t->out->non_simple++;
		if (t->options->non_simple)
			*name_marks_of(t->options->non_simple, name) = true;
		return true;
	}
	t->out->profiled++;
	uint64_t size = f->size + *cold_bytes_of(&t->cold, name);
	struct dense dense = {size ? (double)*executed_of(t->executed, code) / (double)size : 0,
			      t->samples[place]};
	return dense_vec_push(&t->dense, dense);
}

/* The densest first; of equal ones those with fewer samples. */
static int by_density(const void *left, const void *right)
{
	const struct dense *a = left, *b = right;

	if (a->density != b->density)
		return a->density < b->density ? 1 : -1;
	return (a->samples > b->samples) - (a->samples < b->samples);
}

/* Samples of functions without a fall-through are not counted on. */
static void take_density(struct taking *t)
{
	struct dense_vec *all = &t->dense;
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < all->len; i++)
		total += all->at[i].density > 0 ? all->at[i].samples : 0;
	if (all->len)
		qsort(all->at, all->len, sizeof(*all->at), by_density);
	uint64_t cutoff = t->options->cutoff;
	uint64_t most = total / 1000000 * cutoff + total % 1000000 * cutoff / 1000000;
	for (size_t i = 0; i < all->len && seen < most; i++) {
		seen += all->at[i].samples;
		t->out->density = all->at[i].density;
	}
}

bool density_measure(const struct profile *profile, const struct executed *executed,
		     const struct density_options *options, struct density *out,
		     struct bc_error *err)
{
	struct taking t = {.profile = profile,
			   .binary = profile->binary,
			   .executed = executed,
			   .options = options,
			   .out = out};

	*out = (struct density){0};
	count_functions(&t);
	bool ok = ((note_cold(&t) && count_samples(&t)) || bc_fail_nomem(err)) &&
		  build_graphs(&t, err);
	for (size_t i = 0; ok && i < profile->function_count; i++)
		ok = note_function(&t, i) || bc_fail_nomem(err);
	if (ok)
		take_density(&t);
	taking_free(&t);
	return ok;
}
