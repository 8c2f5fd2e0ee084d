/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/ranges/ranges.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/ranges/walk.h"

#define X(name, key, text) {key, text},
const struct ledger_words range_words = {"ranges", "ranges for llvm-profgen", RANGE_DROP_COUNT, {RANGE_DROPS(X)}};
const struct ledger_words step_words = {"branches", "branches for llvm-profgen", STEP_DROP_COUNT, {STEP_DROPS(X)}};
#undef X

struct maker {
	const struct ranges_job *job;
	struct pieces pieces;
	struct targets targets;
	struct walker *walkers;
};

static void run_shard(void *ctx, size_t shard, unsigned worker)
{
	struct maker *m = ctx;

	walk_shard(&m->walkers[worker], &m->job->aggregate->totals.traces.shards[shard]);
}

static void run_piece(void *ctx, size_t piece, unsigned worker)
{
	struct maker *m = ctx;

	walk_piece_sums(&m->walkers[worker], &m->pieces.at[piece]);
}

/* Collects the rows of all threads, in order: ranges before branches. */
static bool gather(struct maker *m, unsigned threads, struct count_rows *rows, size_t *count)
{
	struct count_rows spare = {0};
	size_t all = 0;

	for (unsigned i = 0; i < threads; i++)
		all += m->walkers[i].counts.used;
	*rows = (struct count_rows){malloc((all + 1) * sizeof(*rows->at)), all + 1};
	*count = 0;
	for (unsigned i = 0; rows->at && i < threads; i++) {
		const struct count_table *table = &m->walkers[i].counts;
		for (size_t k = 0; k < table->capacity; k++)
			if (table->rows[k].count)
				rows->at[(*count)++] = table->rows[k];
	}
	if (rows->at)
		*count = count_rows_unify(rows, *count, &spare);
	free(spare.at);
	return rows->at;
}

static bool collect(struct maker *m, unsigned threads, struct ranges *out)
{
	struct count_rows rows;
	size_t count;
	bool ok = true;

	for (unsigned i = 0; i < threads; i++) {
		ledger_add(&out->runs, &m->walkers[i].runs);
		ledger_add(&out->steps, &m->walkers[i].steps);
		ok &= !m->walkers[i].no_memory;
	}
	if (!ok || !gather(m, threads, &rows, &count))
		return false;
	out->at = malloc((count + 1) * sizeof(*out->at));
	for (size_t i = 0; out->at && i < count; i++) {
		bool range = rows.at[i].key[0] == WALKED_RANGE;
		out->at[i] = (struct counted_range){rows.at[i].key[1], rows.at[i].key[2], rows.at[i].count};
		out->range_count += range;
		out->branch_count += !range;
	}
	free(rows.at);
	return out->at;
}

static bool run(struct maker *m, unsigned threads, struct ranges *out, struct bc_error *err)
{
	const struct ranges_job *job = m->job;

	m->walkers = calloc(threads, sizeof(*m->walkers));
	if (!m->walkers)
		return bc_fail_nomem(err);
	for (unsigned i = 0; i < threads; i++)
		m->walkers[i] = (struct walker){.job = job, .pieces = &m->pieces, .targets = job->pair ? &m->targets : NULL};
	parallel_for(threads, COUNTS_SHARDS, run_shard, m);
	parallel_for(threads, m->pieces.count, run_piece, m);
	bool ok = collect(m, threads, out) || bc_fail_nomem(err);
	for (unsigned i = 0; i < threads; i++)
		count_table_free(&m->walkers[i].counts);
	free(m->walkers);
	return ok;
}

/* Returns the address of the first page of code. */
static uint64_t first_code(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr & ~UINT64_C(0xfff);
	return 0;
}

bool ranges_make(const struct ranges_job *job, struct ranges *out, struct bc_error *err)
{
	struct maker maker = {.job = job};
	unsigned threads = job->threads > COUNTS_SHARDS ? COUNTS_SHARDS : job->threads;
	const struct pair *pair = job->pair;

	*out = (struct ranges){.base = first_code(pair ? &pair->image : &job->binary->image)};
	bool ok = (!pair || targets_open(&pair->image, &pair->functions, &maker.targets, err)) &&
		  pieces_open(job, &maker.pieces, err) && run(&maker, threads, out, err);
	pieces_close(&maker.pieces);
	targets_close(&maker.targets);
	if (!ok)
		ranges_free(out);
	return ok;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){0};
}
