/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/input_graphs.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/parallel.h"
#include "src/elf/translate.h"

struct noting {
	const struct count_table *shards;
	const struct pair *pair;
	bool old, left;    /* are the rules for these places in use? */
	atomic_bool *ran;  /* by function of the input */
};

static void note(const struct noting *n, struct trace_end end, const struct function **near)
{
	struct vaddr at = trace_end_vaddr(end);
	const struct function *input = pair_old_place(n->pair, at.v, n->old, n->left).input;

	if (!input) {
		struct output_place place = binary_place(n->pair->output, at, *near);
		const struct function *owner = place.fragment ? binary_owner(n->pair->output, place) : NULL;
		input = owner ? pair_input_of(n->pair, owner) : NULL;
		*near = place.function;
	}
	if (input)
		atomic_store_explicit(&n->ran[input - n->pair->functions.at], true, memory_order_relaxed);
}

static void note_shard(void *ctx, size_t shard, unsigned worker)
{
	const struct noting *n = ctx;
	const struct count_table *table = &n->shards[shard];
	const struct function *from = NULL, *branch = NULL;

	(void)worker;
	for (size_t i = 0; i < table->used; i++) {
		struct trace trace = trace_of(table->rows[i].key);
		note(n, trace.from, &from);
		if (trace_end_is(trace.branch, TRACE_END_VADDR))
			note(n, trace.branch, &branch);
	}
}

bool input_graphs_build(const struct aggregate *aggregate, struct pair *pair, unsigned threads, struct bc_error *err)
{
	const struct profile_rules *rules = &aggregate->options.rules;
	size_t functions = pair->functions.count, count = 0;
	struct noting noting = {aggregate->totals.traces.shards, pair, rules_restore(rules, RESTORE_OLD),
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
