/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/search.h"
#include "src/flow/converter.h"

/* Code that runs where the input has it: its place is the input's. */
struct old_place converter_old_place(const struct converter *c, struct vaddr at)
{
	bool bodies = rules_restore(&c->rules, RESTORE_OLD), left = rules_restore(&c->rules, RESTORE_LEFT);

	return c->pair && (bodies || left) ? pair_old_place(c->pair, at.v, bodies, left) : (struct old_place){0};
}

DEFINE_SEARCH(insns_before, struct insn, uint32_t, item->offset < key)

/* Does an instruction of the input end right there, which is a call? */
static bool follows_old_call(const struct converter *c, struct old_place at)
{
	const struct graph *graph = cfg_find(&c->pair->graphs, at.input);
	size_t count = graph ? insns_before(graph->code.insns.at, graph->code.insns.len, at.offset) : 0;
	const struct insn *before = count ? &graph->code.insns.at[count - 1] : NULL;

	return before && insn_is_call(*before) && before->offset + before->size == at.offset;
}

/* The same two questions of code that runs at the input's own place. */
bool converter_is_old_return(struct converter *c, const struct count_row *row, struct insn insn)
{
	struct trace trace = trace_of(row->key);
	struct old_place target = converter_old_place(c, trace_end_vaddr(trace.from));

	if (converter_old_place(c, trace_end_vaddr(trace.branch)).input)
		return insn.kind == INSN_RETURN;
	return target.input && return_places_may_have(&c->places, trace) && follows_old_call(c, target);
}

static void count_old(struct converter *c, const struct old_place *old, uint64_t count)
{
	bool has_table = c->binary->fragment_of[old->output - c->binary->functions.at] != NO_FRAGMENT;

	c->restored.count[has_table ? RESTORE_OLD : RESTORE_LEFT] += count;
}

/* Did a branch come from the function itself, in its old body or its new one? */
static bool is_of(struct converter *c, struct vaddr at, struct output_place place, const struct function *output)
{
	struct old_place old = converter_old_place(c, at);

	if (old.input)
		return old.output == output;
	return place.function && binary_owner(c->binary, place) == output;
}

/* Where code of the input runs at its own place. */
enum trace_drop converter_walk_old(struct converter *c, const struct count_row *row, struct output_place source,
				   struct old_place from, struct vaddr end, bool after_return)
{
	struct old_place to = converter_old_place(c, end);
	const struct graph *graph = cfg_find(&c->pair->graphs, from.input);
	struct trace_end branch = trace_of(row->key).branch;

	if (to.input != from.input)
		return to.input ? TRACE_DROP_TWO_FRAGMENTS : TRACE_DROP_OUTSIDE;
	if (from.offset > to.offset)
		return TRACE_DROP_BACKWARDS;
	if (c->walked_function != from.input) {
		converter_take_fall_throughs(c);
		c->walked_function = from.input;
		c->walked_owner = from.output;
	}
	if (converter_cannot_name(c, c->walked_owner))
		return TRACE_DROP_UNNAMEABLE;
	struct fall_through fall = {.from = from.offset, .to = to.offset, .after_return = after_return,
			  .from_outside = !trace_end_is(branch, TRACE_END_NONE) &&
					  !is_of(c, trace_end_vaddr(branch), source, from.output)};
	enum trace_drop why = converter_walk_graph(c, graph, &fall, row->count);
	if (why == TRACE_KEPT)
		count_old(c, &from, row->count);
	return why;
}

