/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/input_graphs.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/parallel.h"

struct noting {
	struct located_counts *located;
	const struct pair *pair;
	bool old, left;    /* are the rules for these places in use? */
	atomic_bool *ran;  /* by function of the input */
};

static void note(const struct noting *n, struct trace_end end, struct location at)
{
	const struct function *input = pair_old_place(n->pair, trace_end_vaddr(end).v, n->old, n->left).input;

	if (!input) {
		struct output_place place = located_place(n->located, at);
		const struct function *owner = place.fragment ? binary_owner(n->pair->output, place) : NULL;
		input = owner ? pair_input_of(n->pair, owner) : NULL;
	}
	if (input)
		atomic_store_explicit(&n->ran[input - n->pair->functions.at], true, memory_order_relaxed);
}

static void note_shard(void *ctx, size_t shard, unsigned worker)
{
	const struct noting *n = ctx;
	const struct count_table *table = located_rows(n->located, shard);

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		struct trace trace = trace_of(table->rows[i].key);
		const struct location *at = located_row(n->located, shard, i);
		note(n, trace.from, at[END_FROM]);
		if (trace_end_is(trace.branch, TRACE_END_VADDR))
			note(n, trace.branch, at[END_BRANCH]);
	}
}

bool input_graphs_build(struct located_counts *located, const struct profile_rules *rules, struct pair *pair,
			unsigned threads, struct bc_error *err)
{
	size_t functions = pair->functions.count, count = 0;
	struct noting noting = {located, pair, rules_restore(rules, RESTORE_OLD),
				rules_restore(rules, RESTORE_LEFT), calloc(functions + 1, sizeof(*noting.ran))};
	uint32_t *chosen = malloc((functions + 1) * sizeof(*chosen));
	bool ok = noting.ran && chosen;

	if (ok)
		parallel_for(threads, COUNTS_SHARDS, note_shard, &noting);
	for (size_t i = 0; ok && i < functions; i++)
		if (noting.ran[i])
			chosen[count++] = (uint32_t)i;
	ok = ok ? pair_build_graphs(pair, chosen, count, threads, err) : bc_fail_nomem(err);
	free(noting.ran);
	free(chosen);
	return ok;
}
