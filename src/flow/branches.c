/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/converter.h"

void converter_add(struct converter *c, struct record record)
{
	if (!record_push(&c->records, c->binary, &record))
		c->out_of_memory = true;
}

static void add(struct converter *c, enum record_kind kind, struct input_place from,
		struct input_place to, uint64_t count, uint64_t mispredicted)
{
	converter_add(c, (struct record){kind, from, to, count, mispredicted, 0});
}

/* A way within a function to a place that begins no block of the input. */
static bool leads_to_made(const struct converter *c, struct input_place from, struct input_place to)
{
	return from.function && from.function == to.function && to.offset &&
	       made_blocks_lead(c->made, from.function, from.offset, to.offset);
}

/* A step from a block of the input to itself, and none of a loop: llvm-bolt divided the block.  It does so with a conditional tail call
 * through the PLT, which becomes a conditional jump and a jump through the GOT. */
static bool is_divided(const struct converter *c, struct input_place from, struct input_place to)
{
	return rules_restore(&c->rules, RESTORE_MADE) && from.function == to.function && from.offset == to.offset;
}

/* Does a branch of the output lead into a function, and neither to its beginning, as recursion does, nor to itself? */
static bool leads_on(struct output_place source, struct output_place target)
{
	bool itself = source.fragment == target.fragment && source.offset == target.offset;

	return target.fragment && (target.offset || target.fragment->cold) && !itself;
}

/* Where several blocks begin with the function's code, those before the last became empty: what
 * comes from elsewhere enters the first one. */
static bool enters_empty(const struct converter *c, struct output_place target, struct input_place from,
			 struct input_place to)
{
	const struct bat_fragment *fragment = target.fragment;

	if (!rules_restore(&c->rules, RESTORE_ENTRIES) || !fragment || fragment->cold || target.offset ||
	    !to.offset || from.function == to.function || !fragment->entry_count)
		return false;
	struct bat_entry first = c->binary->bat.entries[fragment->first_entry];
	return !first.output && !first.input;
}

/* Is only the block known that a branch comes from?  So it is for code that BOLT put in, from bodies of
 * other functions such as inlined ones. */
static bool is_unsited(const struct converter *c, struct output_place source)
{
	if (!source.fragment)
		return false;
	const struct bat_entry *entry = bat_entry_at(&c->binary->bat, source.fragment, source.offset);
	return entry && !bat_entry_is_branch(*entry) && entry->output != source.offset;
}

/* A call through the GOT that was one through the PLT: as the input has it, two records.  The slot leads out of the binary, or
 * to the beginning of one of its own functions that others may replace.  False: none. */
static bool add_plt_call(struct converter *c, const struct count_row *row, struct output_place source, struct input_place from,
			 struct input_place to)
{
	if (to.offset || !source.function || source.function->kind == FUNCTION_PLT)
		return false;
	const struct plt_slot *slot = plt_calls_find(c->plt, &c->binary->image,
						      trace_end_vaddr(trace_of(row->key).branch));
	if (!slot)
		return false;
	struct input_place entry = {slot->entry, 0}, jump = {slot->entry, slot->jump};
	c->restored.count[RESTORE_PLT] += row->count;
	converter_add(c, (struct record){RECORD_BRANCH, from, entry, row->count, row->extra,
				      is_unsited(c, source) ? row->count : 0});
	add(c, RECORD_BRANCH, jump, to, row->count, 0);
	return true;
}

static bool translate(struct converter *c, struct output_place place, struct vaddr at, bool is_source,
		      struct input_place *out)
{
	struct old_place old = converter_old_place(c, at);

	if (!old.input)
		return binary_translate(c->binary, place, is_source, out);
	*out = (struct input_place){old.output, old.offset};
	return true;
}

/* A taken branch: within its function it is one record; between functions, or
 * to the beginning of its own (recursion), it is a record of the source and,
 * if the source is in no function, an entry record of the target. */
void converter_branch(struct converter *c, const struct count_row *row, struct output_place source,
			   struct output_place target)
{
	struct ledger *ledger = &c->ledgers.branches;
	struct input_place from, to;

	if (!translate(c, source, trace_end_vaddr(trace_of(row->key).branch), true, &from) ||
	    !translate(c, target, trace_end_vaddr(trace_of(row->key).from), false, &to)) {
		ledger->dropped[BRANCH_DROP_NO_PARENT] += row->count;
		return;
	}
	if (!from.function && !to.function) {
		ledger->dropped[BRANCH_DROP_OUTSIDE] += row->count;
		return;
	}
	if (converter_cannot_name(c, from.function) || converter_cannot_name(c, to.function)) {
		ledger->dropped[BRANCH_DROP_UNNAMEABLE] += row->count;
		return;
	}
	if (leads_to_made(c, from, to) || (is_divided(c, from, to) && leads_on(source, target))) {
		ledger->dropped[BRANCH_DROP_MADE] += row->count;
		c->restored.count[RESTORE_MADE] += row->count;
		return;
	}
	ledger->kept += row->count;
	if (enters_empty(c, target, from, to)) {
		to.offset = 0;
		c->restored.count[RESTORE_ENTRIES] += row->count;
	}
	if (add_plt_call(c, row, source, from, to))
		return;
	converter_add(c, (struct record){from.function ? RECORD_BRANCH : RECORD_ENTRY, from, to, row->count,
				      row->extra, is_unsited(c, source) ? row->count : 0});
}

void converter_edge(struct converter *c, struct input_place from, struct input_place to, uint64_t count)
{
	if (leads_to_made(c, from, to) || is_divided(c, from, to))
		c->restored.count[RESTORE_MADE] += count;
	else
		add(c, RECORD_BRANCH, from, to, count, 0);
}
