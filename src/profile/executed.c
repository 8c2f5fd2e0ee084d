/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/executed.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/code/cfg.h"
#include "src/profile/impute.h"

DEFINE_VEC(index_vec, uint32_t);

/* Blocks that the table tells of one fragment. */
struct told_blocks {
	size_t first; /* of told.starts */
	uint32_t count; /* 0: none are told */
};

struct told {
	struct told_blocks *of; /* by fragment; NULL: nobody asked */
	struct index_vec starts; /* offsets in the fragment, ascending from 0 on */
};

struct job {
	struct located_counts *located;
	const struct executed_options *options;
	struct cfg *graphs;
	struct told told; /* of fragments whose code has no graph */
	struct executed *bytes;
};

/* Sums of neighbouring rows of one function, added to its total at once. */
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
			atomic_fetch_add_explicit(executed_of(job->bytes, functions_code_number(&binary->functions, sum->function)), sum->bytes, memory_order_relaxed);
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
			to = binary_place(located->binary, trace_end_vaddr(trace.to), from.function).function;
		}
		if (trace_has_fall_through(&trace) && from.function && to == from.function)
			add(job, &sum, from, row->count * (trace_end_vaddr(trace.to).v - trace_end_vaddr(trace.from).v));
	}
	take(job, &sum);
}

DEFINE_SEARCH(blocks_above, struct block, uint32_t, item->start <= key)
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

/* The size of the block that holds a place; 0: it is not known. */
static uint64_t block_size(const struct job *job, struct output_place place)
{
	const struct graph *graph = cfg_find(job->graphs, place.function);

	if (!graph || !graph->count)
		return told_size(job, place);
	if (place.offset >= graph->size)
		return 0;
	size_t above = blocks_above(graph->blocks, graph->count, place.offset), at = above ? above - 1 : 0;
	return (at + 1 < graph->count ? graph->blocks[at + 1].start : graph->size) - graph->blocks[at].start;
}

static void count_addresses(void *ctx, size_t shard, unsigned worker)
{
	const struct job *job = ctx;
	const struct count_table *table = located_rows(job->located, shard);
	struct sum sum = {0};

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		struct output_place place = located_place(job->located, *located_row(job->located, shard, i));
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
			if (function != last && function != LOCATION_NONE && functions[function].kind != FUNCTION_PLT &&
			    !index_vec_push(out, function))
				return false;
			last = function;
		}
	}
	return true;
}

/* Takes the blocks of a fragment from its entries.  Those behind its end are of code that was deleted. */
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
		if (!bat_entry_is_branch(entries[i]) && at > starts->at[starts->len - 1] && at < size)
			ok = index_vec_push(starts, at);
	}
	told->count = (uint32_t)(starts->len - told->first);
	return ok;
}

/* Takes the blocks of the chosen functions without a graph: as llvm-bolt, cfg/ makes none of a function that was split. */
static bool tell_blocks(struct job *job, const struct index_vec *chosen)
{
	const struct binary *binary = job->located->binary;
	bool ok = true;

	if (job->options->as_perf2bolt || !binary->bat.fragment_count)
		return true;
	job->told.of = calloc(binary->bat.fragment_count, sizeof(*job->told.of));
	ok = job->told.of;
	for (size_t i = 0; ok && i < chosen->len; i++) {
		const struct graph *graph = cfg_find(job->graphs, &binary->functions.at[chosen->at[i]]);
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
		  cfg_build(&binary->image, &binary->functions, chosen.at, chosen.len, threads, job->graphs, err);

	ok = ok && (tell_blocks(job, &chosen) || bc_fail_nomem(err));
	index_vec_free(&chosen);
	if (ok)
		parallel_for(threads, COUNTS_SHARDS, count_addresses, job);
	free(job->told.of);
	index_vec_free(&job->told.starts);
	return ok;
}

bool executed_count(struct located_counts *located, const struct executed_options *options, struct cfg *graphs, unsigned threads,
		    struct executed *out, struct bc_error *err)
{
	struct job job = {.located = located, .options = options, .bytes = out, .graphs = graphs};

	if (!executed_make(out, &located->binary->functions))
		return bc_fail_nomem(err);
	if (located->basic)
		return count_basic(&job, threads, err);
	parallel_for(threads, COUNTS_SHARDS, count_traces, &job);
	return true;
}
