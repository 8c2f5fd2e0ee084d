/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/ranges.h"

#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/flow/gather.h"
#include "src/flow/walk.h"

#define X(name, key, text) {key, text},
const struct ledger_words range_words = {"ranges", "ranges for llvm-profgen", RANGE_DROP_COUNT, {RANGE_DROPS(X)}};
const struct ledger_words step_words = {"branches", "branches for llvm-profgen", STEP_DROP_COUNT, {STEP_DROPS(X)}};
#undef X

struct maker {
	const struct ranges_job *job;
	struct pieces pieces;
	struct walker *walkers;
};

static void run_shard(void *ctx, size_t shard, unsigned worker)
{
	struct maker *m = ctx;

	walk_shard(&m->walkers[worker], shard);
}

static void run_piece(void *ctx, size_t piece, unsigned worker)
{
	struct maker *m = ctx;

	walk_piece_sums(&m->walkers[worker], &m->pieces.at[piece]);
}

static bool add_ledgers(const struct maker *m, unsigned threads, struct ranges *out)
{
	bool ok = true;

	for (unsigned i = 0; i < threads; i++) {
		ledger_add(&out->runs, &m->walkers[i].runs);
		ledger_add(&out->steps, &m->walkers[i].steps);
		ok &= !m->walkers[i].no_memory;
	}
	return ok;
}

static bool run(struct maker *m, unsigned threads, struct ranges *out, struct bc_error *err)
{
	const struct ranges_job *job = m->job;

	struct count_table *counts = calloc(threads, sizeof(*counts));
	bool ok = false;

	m->walkers = calloc(threads, sizeof(*m->walkers));
	for (unsigned i = 0; m->walkers && counts && i < threads; i++)
		m->walkers[i] = (struct walker){.job = job, .pieces = &m->pieces, .counts = &counts[i]};
	if (m->walkers && counts) {
		parallel_for(threads, COUNTS_SHARDS, run_shard, m);
		parallel_for(threads, m->pieces.count, run_piece, m);
		ok = add_ledgers(m, threads, out) && ranges_gather(counts, threads, out);
	}
	for (unsigned i = 0; counts && i < threads; i++)
		count_table_free(&counts[i]);
	free(counts);
	free(m->walkers);
	return ok || bc_fail_nomem(err);
}

bool ranges_make(const struct ranges_job *job, struct ranges *out, struct bc_error *err)
{
	struct maker maker = {.job = job};
	unsigned threads = job->threads > COUNTS_SHARDS ? COUNTS_SHARDS : job->threads;
	const struct pair *pair = job->pair;

	*out = (struct ranges){.base = ranges_base(pair ? &pair->image : &job->located->binary->image)};
	bool ok = pieces_open(job, &maker.pieces, err) && run(&maker, threads, out, err);
	pieces_close(&maker.pieces);
	if (!ok)
		ranges_free(out);
	return ok;
}
