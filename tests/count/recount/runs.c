/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/runs.h"

#include "tests/count/recount/mistakes.h"
#include "tests/count/recount/names.h"

DEFINE_VEC(index_vec, uint32_t);

bool runs_graphs(const struct count *count, struct cfg *out, struct bc_error *err)
{
	const struct binary *binary = count->binary;
	struct index_vec chosen = {0};

	for (size_t i = 0; i < count->traces.len; i++) {
		const uint64_t *key = count->traces.at[i].key;
		struct spot from = spot_of(binary, key[0]), to = spot_of(binary, key[2]);
		if (key[2] != TRACE_BR_ONLY && from.function && from.function == to.function &&
		    !from.fragment && from.function->kind == FUNCTION_CODE)
			must_have_memory(index_vec_push(
				&chosen, (uint32_t)(from.function - binary->functions.at)));
	}
	bool ok = cfg_build(&binary->image, &binary->functions, chosen.at, chosen.len, 1, out, err);
	index_vec_free(&chosen);
	return ok;
}

struct edges {
	struct should *should;
	const struct function *owner;
	uint64_t count;
};

static void put_edge(void *ctx, uint32_t from, uint32_t to)
{
	struct edges *edges = ctx;

	should_put(edges->should, (struct home){edges->owner, from},
		   (struct home){edges->owner, to}, edges->count, 0);
}

/* After a return the block that made the call is the first: it ends one byte before. */
static const char *by_map(struct should *should, const struct fallthrough *run)
{
	const struct binary *binary = should->count->binary;
	struct edges edges = {should, spot_owner(binary, &run->from), run->count};

	if (!edges.owner)
		return "traces.dropped.no_parent";
	if (run->returns && !run->from.offset)
		return "traces.dropped.one_block";
	size_t count =
		bat_fallthroughs(&binary->bat, run->from.fragment, run->from.offset - run->returns,
				 run->to.offset, put_edge, &edges);
	return count ? "traces.kept" : "traces.dropped.one_block";
}

static const char *by_graph(struct should *should, const struct fallthrough *run,
			    const struct cfg *cfg)
{
	const struct graph *graph = cfg_find(cfg, run->from.function);
	struct edges edges = {should, run->from.function, run->count};
	uint32_t first = 0, last = 0;

	if (!graph || !graph->count)
		return "traces.dropped.no_map";
	bool inside = run->branch >= run->from.function->address &&
		      run->branch - run->from.function->address < graph->size;
	bool own_return = run->returns && !should->count->options.as_perf2bolt;
	struct fall_through walk = {.from = run->from.offset,
				    .to = run->to.offset,
				    .after_return = run->returns,
				    .may_follow_call = own_return ||
						       (!inside && run->branch != TRACE_FT_ONLY)};
	switch (graph_walk(graph, &walk, &first, &last)) {
	case WALK_ONE_BLOCK: return "traces.dropped.one_block";
	case WALK_INVALID: return "traces.dropped.invalid";
	case WALK_EDGES: break;
	}
	for (uint32_t i = first; i < last; i++)
		put_edge(&edges, graph->blocks[i].last, graph->blocks[i + 1].start);
	return "traces.kept";
}

const char *fallthrough_take(struct should *should, const struct fallthrough *run,
			     const struct cfg *cfg)
{
	const struct function *f = run->from.function, *owner;

	if (!f || !run->to.function)
		return "traces.dropped.out_of_range";
	if (f != run->to.function)
		return "traces.dropped.two_fragments";
	if (run->from.offset > run->to.offset)
		return "traces.dropped.backwards";
	owner = spot_owner(should->count->binary, &run->from);
	if (owner && !names_can_hold(&should->count->options, owner->printed))
		return "traces.dropped.unnameable";
	if (run->from.fragment)
		return by_map(should, run);
	if (f->kind == FUNCTION_PLT)
		return "traces.dropped.one_block";
	return by_graph(should, run, cfg);
}
