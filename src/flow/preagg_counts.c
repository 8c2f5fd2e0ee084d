/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/preagg_counts.h"

#include <stdlib.h>

#include "src/profile/build_check.h"
#include "src/flow/insn_starts.h"

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

/* How the place was reached that a fall-through began at.  In code that BOLT left alone a walk
 * depends on whether it was from outside the function, as well. */
static enum trace_end_kind way_to(const struct splitter *s, const struct trace *trace, struct output_place from, bool returns)
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

static void put(struct splitter *s, struct trace trace, uint64_t count, uint64_t mispredicted)
{
	struct count_row *row = &s->out->rows[s->out->count++];

	*row = (struct count_row){.count = count, .extra = mispredicted};
	trace_key(&trace, row->key);
}

static void split(struct splitter *s, const struct count_row *row, const struct location *at)
{
	struct trace trace = trace_of(row->key);

	if (!trace_has_branch(&trace)) {
		put(s, trace, row->count, 0);
		return;
	}
	struct output_place source = located_place(s->located, at[END_BRANCH]), from = located_place(s->located, at[END_FROM]);
	bool returns = is_return(s, trace.branch, source);
	if (returns)
		s->out->returns += row->count;
	else
		put(s, (struct trace){trace.branch, trace.from, trace_end_of(TRACE_END_NONE)}, row->count, row->extra);
	if (trace_has_fall_through(&trace))
		put(s, (struct trace){trace_end_of(way_to(s, &trace, from, returns)), trace.from, trace.to}, row->count, 0);
}

static void copy(struct splitter *s, const struct count_row *row, const struct location *at)
{
	(void)at;
	s->out->rows[s->out->count++] = *row;
}

/* Each table is freed when it was read, so that not all is there twice. */
static bool take(struct splitter *s, bool splits, struct bc_error *err)
{
	struct counts *counts = s->located->counts;
	struct count_rows spare = {0}, rows = {.capacity = (splits ? 2 : 1) * counts_used(counts) + 1};

	rows.at = malloc(rows.capacity * sizeof(*rows.at));
	s->out->rows = rows.at;
	if (!rows.at)
		return bc_fail_nomem(err);
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(s->located, shard);
		for (size_t i = 0; i < table->used; i++)
			(splits ? split : copy)(s, &table->rows[i], located_row(s->located, shard, i));
		located_free_shard(s->located, shard);
	}
	s->out->count = count_rows_unify(&rows, s->out->count, &spare);
	s->out->rows = rows.at;
	free(spare.at);
	return !s->no_memory || bc_fail_nomem(err);
}

bool preagg_counts_take(struct located_counts *located, const struct aggregate *aggregate, struct preagg_counts *out, struct bc_error *err)
{
	struct splitter s = {.located = located, .aggregate = aggregate, .out = out};

	*out = (struct preagg_counts){0};
	decoder_open(located->binary->image.machine, &s.decoder);
	bool ok = insn_starts_open(&s.starts, located->binary, err) && take(&s, !located->basic && has_mispredictions(located->counts), err);
	insn_starts_close(&s.starts);
	decoder_close(&s.decoder);
	return ok;
}
