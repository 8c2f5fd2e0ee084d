/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/executed.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/base/search.h"
#include "src/cfg/cfg.h"
#include "src/elf/translate.h"
#include "src/profile/impute.h"

DEFINE_VEC(index_vec, uint32_t);

struct job {
	const struct aggregate *aggregate;
	const struct binary *binary;
	struct cfg *graphs;
	struct executed *bytes;
};

/* Sums of neighbouring rows of one function, added to its total at once. */
struct sum {
	const struct function *function;
	uint64_t bytes;
};

static void add(const struct job *job, struct sum *sum, struct output_place place, uint64_t bytes)
{
	const struct function *owner = binary_owner(job->binary, place);

	if (!owner)
		owner = place.function;
	if (sum->function != owner) {
		if (sum->function)
			atomic_fetch_add_explicit(executed_of(job->bytes, functions_code_number(&job->binary->functions,
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
	const struct count_table *table = &job->aggregate->totals.traces.shards[shard];
	const struct function *near = NULL;
	struct impute impute = {0};
	struct sum sum = {0};

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		const struct count_row *row = &table->rows[i];
		struct trace trace = trace_of(row->key);
		struct output_place from = binary_place(job->binary, trace_end_vaddr(trace.from), near);
		if (job->aggregate->options.impute)
			trace.to = impute_end(&impute, job->binary, row, from);
		near = from.function;
		if (!trace_has_fall_through(&trace) || !from.function)
			continue;
		struct output_place to = binary_place(job->binary, trace_end_vaddr(trace.to), near);
		if (to.function == from.function)
			add(job, &sum, from, row->count * (trace_end_vaddr(trace.to).v - trace_end_vaddr(trace.from).v));
	}
	take(job, &sum);
}

DEFINE_SEARCH(blocks_above, struct block, uint32_t, item->start <= key)

/* The size of the block that holds a place; 0: its function has none. */
static uint64_t block_size(const struct cfg *cfg, struct output_place place)
{
	const struct graph *graph = cfg_find(cfg, place.function);

	if (!graph || !graph->count || place.offset >= graph->size)
		return 0;
	size_t above = blocks_above(graph->blocks, graph->count, place.offset), at = above ? above - 1 : 0;
	return (at + 1 < graph->count ? graph->blocks[at + 1].start : graph->size) - graph->blocks[at].start;
}

static void count_addresses(void *ctx, size_t shard, unsigned worker)
{
	const struct job *job = ctx;
	const struct count_table *table = &job->aggregate->totals.basic.shards[shard];
	struct output_place place = {0};
	struct sum sum = {0};

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		const struct count_row *row = &table->rows[i];
		place = binary_place(job->binary, (struct vaddr){row->key[0]}, place.function);
		if (place.function)
			add(job, &sum, place, row->count * block_size(job->graphs, place));
	}
	take(job, &sum);
}

/* The functions that addresses lie in. */
static bool note_addresses(const struct job *job, struct index_vec *out)
{
	const struct binary *binary = job->binary;
	struct output_place place = {0};

	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = &job->aggregate->totals.basic.shards[shard];
		for (size_t i = 0; i < table->used; i++) {
			const struct function *before = place.function;
			place = binary_place(binary, (struct vaddr){table->rows[i].key[0]}, before);
			if (place.function && place.function != before && place.function->kind != FUNCTION_PLT &&
			    !index_vec_push(out, (uint32_t)(place.function - binary->functions.at)))
				return false;
		}
	}
	return true;
}

static bool count_basic(struct job *job, unsigned threads, struct bc_error *err)
{
	const struct binary *binary = job->binary;
	struct index_vec chosen = {0};
	bool ok = (note_addresses(job, &chosen) || bc_fail_nomem(err)) &&
		  cfg_build(&binary->image, &binary->functions, chosen.at, chosen.len, threads, job->graphs, err);

	index_vec_free(&chosen);
	if (ok)
		parallel_for(threads, COUNTS_SHARDS, count_addresses, job);
	return ok;
}

bool executed_count(const struct aggregate *aggregate, const struct binary *binary, bool basic,
		    struct cfg *graphs, unsigned threads, struct executed *out, struct bc_error *err)
{
	struct job job = {.aggregate = aggregate, .binary = binary, .bytes = out, .graphs = graphs};

	if (!executed_make(out, &binary->functions))
		return bc_fail_nomem(err);
	if (basic)
		return count_basic(&job, threads, err);
	parallel_for(threads, COUNTS_SHARDS, count_traces, &job);
	return true;
}
