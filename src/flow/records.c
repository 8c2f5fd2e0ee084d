/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/records.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/elf/plt.h"
#include "src/profile/profile.h"

/* ---- calls through the PLT ---- */

static bool has_text(struct bytes bytes, const char *text)
{
	size_t size = strlen(text);

	for (; bytes.size >= size; bytes = bytes_from(bytes, 1))
		if (!memcmp(bytes.data, text, size))
			return true;
	return false;
}

/* Notes are short; what is not is no command line. */
#define COMMAND_LINE_MOST ((uint64_t)1 << 20)

static bool may_have_inlined(const struct image *image)
{
	const struct section *info = image_section(image, ".note.bolt_info");

	if (image->machine == MACHINE_RISCV64)
		return false;
	return !info ||
	       has_text(bytes_first(image_section_bytes(image, info), COMMAND_LINE_MOST), "-plt=");
}

static bool is_got(const struct image *image, uint64_t address)
{
	const struct section *section = image_section_at(image, (struct vaddr){address});

	return section && text_starts(section->name, ".got");
}

static int by_address(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_entries(const struct binary *binary, const struct plt *plt, struct plt_calls *out)
{
	const struct image *image = &binary->image;

	for (size_t i = 0; i < plt->count; i++) {
		const struct plt_entry *entry = &plt->at[i];
		if (!entry->slot || !entry->slot->symbol || !is_got(image, entry->slot->address))
			continue;
		const struct function *f =
			functions_find(&binary->functions, (struct vaddr){entry->address});
		if (f && f->address == entry->address && f->kind == FUNCTION_PLT)
			out->at[out->count++] = (struct plt_slot){
				entry->slot->address, f,
				plt_jump_in(image, (struct vaddr){entry->address})};
	}
	if (out->count)
		qsort(out->at, out->count, sizeof(*out->at), by_address);
}

/* Lists slots in sections .got... that a PLT entry uses; none if the binary shows the command line
 * that BOLT was called with, and that has no -plt: such calls are the input's own then.  BC_NOMEM
 */
static bool plt_calls_open(const struct binary *binary, struct plt_calls *out, struct bc_error *err)
{
	struct got got = {0};
	struct plt plt = {0};

	*out = (struct plt_calls){0};
	if (binary->kind != BINARY_BOLTED || !may_have_inlined(&binary->image))
		return true;
	bool ok = got_read(&binary->image, &got, err) && plt_read(&binary->image, &got, &plt, err);
	if (ok) {
		out->at = calloc(plt.count + 1, sizeof(*out->at));
		ok = out->at || bc_fail_nomem(err);
	}
	if (ok)
		add_entries(binary, &plt, out);
	plt_free(&plt);
	got_free(&got);
	return ok;
}

static void plt_calls_close(struct plt_calls *calls)
{
	free(calls->at);
	*calls = (struct plt_calls){0};
}

DEFINE_SEARCH(slots_below, struct plt_slot, uint64_t, item->address < key)

/* The slot that the instruction at a vaddr calls or jumps through, or NULL. */
static const struct plt_slot *plt_calls_find(const struct plt_calls *calls,
					     const struct image *image, struct vaddr at)
{
	if (!calls->count)
		return NULL;
	uint64_t slot = plt_slot_of(image, at);
	size_t below = slots_below(calls->at, calls->count, slot);
	return slot && below < calls->count && calls->at[below].address == slot ?
		       &calls->at[below] :
		       NULL;
}

/* ---- what all threads read ---- */

bool record_facts_open(struct record_facts *facts, unsigned names, struct bc_error *err)
{
	const struct binary *binary = facts->binary;

	return (nameable_find(&binary->functions, &binary->image, names, &facts->unnameable) ||
		bc_fail_nomem(err)) &&
	       (!rules_restore(&facts->rules, RESTORE_INSERTED) ||
		made_blocks_open(binary, &facts->made, err)) &&
	       (!rules_restore(&facts->rules, RESTORE_PLT) ||
		plt_calls_open(binary, &facts->plt, err));
}

void record_facts_close(struct record_facts *facts)
{
	made_blocks_close(&facts->made);
	plt_calls_close(&facts->plt);
	code_marks_free(&facts->unnameable);
}

static bool cannot_name(const struct record_walker *r, const struct function *f)
{
	const struct record_facts *facts = r->facts;

	return facts->unnameable.at && f &&
	       *code_marks_of(&facts->unnameable,
			      functions_code_number(&facts->binary->functions, f));
}

static void add(struct record_walker *r, struct record record)
{
	if (!record_push(&r->records, r->facts->binary, &record))
		r->no_memory = true;
}

/* ---- taken branches ---- */

/* A path within a function to a location that begins no block of the input. */
static bool leads_to_made(const struct record_walker *r, struct input_place from,
			  struct input_place to)
{
	return from.function && from.function == to.function && to.offset &&
	       made_blocks_lead(&r->facts->made, from.function, from.offset, to.offset);
}

/* A step from a block of the input to itself, and none of a loop: llvm-bolt divided the block.  It
 * does so with a conditional tail call through the PLT, which becomes a conditional jump and a jump
 * through the GOT. */
static bool is_divided(const struct record_walker *r, struct input_place from,
		       struct input_place to)
{
	return rules_restore(&r->facts->rules, RESTORE_INSERTED) && from.function == to.function &&
	       from.offset == to.offset;
}

/* The code of the input that a jump of the output stays in; NULL: it does not, or the input is not
 * at hand. */
static const struct code *code_around(const struct record_walker *r, const struct located_trace *t,
				      struct input_place from, struct input_place to)
{
	const struct pair *pair = r->facts->pair;
	bool stays = pair && insn_jumps(t->insn) && from.function == to.function &&
		     rules_restore(&r->facts->rules, RESTORE_REMOVED);
	const struct code *code =
		stays ? pair_code(pair, pair_input_of(pair, from.function)) : NULL;

	return code && code_block_at(code, from.offset) != NO_BLOCK ? code : NULL;
}

/* Does a jump of the output lead back to the beginning of its block, as the input does through
 * blocks that llvm-bolt removed? */
static bool leads_back(const struct record_walker *r, const struct located_trace *t,
		       struct input_place from, struct input_place to)
{
	const struct bat_entry *entry =
		t->source.fragment ?
			bat_entry_at(&r->facts->binary->bat, t->source.fragment, t->source.offset) :
			NULL;
	bool back =
		entry && t->source.fragment == t->from.fragment && entry->output == t->from.offset;
	const struct code *code = back ? code_around(r, t, from, to) : NULL;
	struct way way;

	return code && code_way(code, from.offset, to.offset, &way) == WAY_FOUND;
}

/* Does a branch lead to a location of its function that begins no block of the table, so that it is
 * in or after the body of an inlined function? */
static bool stays_in_body(const struct record_walker *r, struct output_place source,
			  struct output_place target)
{
	if (!source.fragment || !target.fragment ||
	    !inlined_code_of(r->facts->inlined, target.function) ||
	    binary_owner(r->facts->binary, source) != binary_owner(r->facts->binary, target))
		return false;
	const struct bat_entry *entry =
		bat_entry_at(&r->facts->binary->bat, target.fragment, target.offset);
	return !entry || bat_entry_is_branch(*entry) || entry->output != target.offset;
}

/* Does a branch of the output lead into a function, and neither to its beginning, as recursion
 * does, nor to itself? */
static bool leads_on(struct output_place source, struct output_place target)
{
	bool itself = source.fragment == target.fragment && source.offset == target.offset;

	return target.fragment && (target.offset || target.fragment->cold) && !itself;
}

/* Where several blocks begin with the function's code, those before the last became empty: what
 * comes from elsewhere enters the first one. */
static bool enters_empty(const struct record_walker *r, struct output_place target,
			 struct input_place from, struct input_place to)
{
	const struct bat_fragment *fragment = target.fragment;

	if (!rules_restore(&r->facts->rules, RESTORE_ENTRIES) || !fragment || fragment->cold ||
	    target.offset || !to.offset || from.function == to.function || !fragment->entry_count)
		return false;
	struct bat_entry first = r->facts->binary->bat.entries[fragment->first_entry];
	return !first.output && !first.input;
}

/* Is only the block known that a branch comes from?  So it is for code that BOLT inserted, from
 * bodies of other functions such as inlined ones. */
static bool is_unsited(const struct record_walker *r, struct output_place source)
{
	if (!source.fragment || inlined_tie_at(r->facts->inlined, source))
		return false;
	const struct bat_entry *entry =
		bat_entry_at(&r->facts->binary->bat, source.fragment, source.offset);
	return entry && !bat_entry_is_branch(*entry) && entry->output != source.offset;
}

/* Adds the steps to each block of a way.  *step continues from the last one then. */
static void add_way(struct record_walker *r, const struct code *code, const struct way *way,
		    struct record *step)
{
	struct input_place to = step->to;

	for (uint32_t i = 0; i < way->count; i++) {
		step->to =
			(struct input_place){step->from.function, code_start(code, way->blocks[i])};
		add(r, *step);
		step->from.offset = code_last(code, way->blocks[i]);
		step->mispredicted = 0;
	}
	step->to = to;
}

/* A jump to the first block of its function, as the input has it: from its own location, through
 * blocks that llvm-bolt removed.  What shows less is taken for recursion.  False: the input has no
 * such jump. */
static bool add_jump_to_start(struct record_walker *r, const struct located_trace *t,
			      struct record step)
{
	const struct code *code = step.to.offset ? NULL : code_around(r, t, step.from, step.to);
	struct way way;
	uint32_t last =
		code ? code_end_towards(code, code_block_at(code, step.from.offset), 0, &way) :
		       NO_INSN;

	if (last == NO_INSN)
		return false;
	step.from.offset = code->insns->at[last].offset;
	step.unsited = 0;
	add_way(r, code, &way, &step);
	add(r, step);
	if (way.count)
		r->restored.count[RESTORE_REMOVED] += step.count;
	return true;
}

/* A jump to another function that llvm-bolt joined with the end of the block in front, as it does
 * with a block that is only that jump, or copied there: as the input has it, through each block.
 * False: it did not, or the input has no such way. */
static bool add_jump_out(struct record_walker *r, const struct located_trace *t, struct record step)
{
	const struct pair *pair = r->facts->pair;
	bool goes = insn_jumps(t->insn) ? t->insn.target == trace_end_vaddr(t->trace.from).v :
					  t->insn.kind == INSN_JUMP_INDIRECT;
	bool joined = goes && t->source.fragment && !inlined_tie_at(r->facts->inlined, t->source);
	bool leaves = joined && step.to.function && !step.to.offset &&
		      rules_restore(&r->facts->rules, RESTORE_TAILS);
	const struct code *code =
		leaves ? pair_code(pair, pair_input_of(pair, step.from.function)) : NULL;
	struct way_out out;
	enum way_kind kind =
		code ? pair_way_out_of_jump(pair, code, t->source.fragment, t->source.offset,
					    pair_body(pair, step.to.function), &out) :
		       WAY_AS_IS;

	if (kind == WAY_NONE)
		r->restored.skipped[GUARD_TAILS] += step.count;
	if (kind != WAY_FOUND)
		return false;
	if (out.way.count)
		step.from.offset =
			code->insns->at[code_jump(code, out.block, out.way.blocks[0])].offset;
	step.unsited = 0;
	add_way(r, code, &out.way, &step);
	step.from.offset = code->insns->at[out.insn].offset;
	add(r, step);
	r->restored.count[RESTORE_TAILS] += step.count;
	return true;
}

/* A branch as the input has it. */
static void add_branch(struct record_walker *r, const struct located_trace *t,
		       struct input_place from, struct input_place to)
{
	uint64_t count = t->row->count;
	struct record step = {
		from.function ? RECORD_BRANCH : RECORD_ENTRY, from, to, count, t->row->extra,
		is_unsited(r, t->source) ? count : 0};

	bool as_input =
		r->facts->pair && (add_jump_to_start(r, t, step) || add_jump_out(r, t, step));
	if (!as_input)
		add(r, step);
}

/* A call through the GOT that was one through the PLT: as the input has it, two records.  The slot
 * leads out of the binary, or to the beginning of one of its own functions that others may replace.
 * False: none. */
static bool add_plt_call(struct record_walker *r, const struct located_trace *t,
			 struct input_place from, struct input_place to)
{
	if (to.offset || !t->source.function || t->source.function->kind == FUNCTION_PLT)
		return false;
	const struct plt_slot *slot = plt_calls_find(&r->facts->plt, &r->facts->binary->image,
						     trace_end_vaddr(t->trace.branch));
	if (!slot)
		return false;
	uint64_t count = t->row->count;
	struct input_place entry = {slot->entry, 0}, jump = {slot->entry, slot->jump};
	r->restored.count[RESTORE_PLT] += count;
	add_branch(r, t, from, entry);
	add(r, (struct record){RECORD_BRANCH, jump, to, count, 0, 0});
	return true;
}

static bool translate(const struct record_walker *r, struct output_place place,
		      struct old_place old, bool is_source, struct input_place *out)
{
	old = old_place_by_rules(&r->facts->rules, old);
	if (!old.input) {
		if (is_source && inlined_call_at(r->facts->inlined, place, out))
			return true;
		if (!binary_translate(r->facts->binary, place, is_source, out))
			return false;
		if (is_source)
			out->offset =
				inlined_own_offset(r->facts->inlined, place, false, out->offset);
		return true;
	}
	*out = (struct input_place){old.output, old.offset};
	return true;
}

static void drop_made(struct record_walker *r, uint64_t count)
{
	r->ledgers.branches.dropped[BRANCH_DROP_MADE] += count;
	r->restored.count[RESTORE_INSERTED] += count;
}

/* A taken branch that is no return: within its function it is one record; between functions, or
 * to the beginning of its own (recursion), it is a record of the source and,
 * if the source is in no function, an entry record of the target. */
static void take_branch(struct record_walker *r, const struct located_trace *t)
{
	struct ledger *ledger = &r->ledgers.branches;
	uint64_t count = t->row->count;
	struct input_place from, to;

	if (!translate(r, t->source, t->old_source, true, &from) ||
	    !translate(r, t->from, t->old_from, false, &to)) {
		ledger->dropped[BRANCH_DROP_NO_PARENT] += count;
		return;
	}
	if (!from.function && !to.function) {
		ledger->dropped[BRANCH_DROP_OUTSIDE] += count;
		return;
	}
	if (cannot_name(r, from.function) || cannot_name(r, to.function)) {
		ledger->dropped[BRANCH_DROP_UNNAMEABLE] += count;
		return;
	}
	if (stays_in_body(r, t->source, t->from) || leads_to_made(r, from, to) ||
	    (is_divided(r, from, to) && leads_on(t->source, t->from) &&
	     !leads_back(r, t, from, to))) {
		drop_made(r, count);
		return;
	}
	ledger->kept += count;
	if (enters_empty(r, t->from, from, to)) {
		to.offset = 0;
		r->restored.count[RESTORE_ENTRIES] += count;
	}
	if (!add_plt_call(r, t, from, to))
		add_branch(r, t, from, to);
}

/* A conditional branch that was not taken, in front of a jump that llvm-bolt inserted.  That goes
 * to the next block of the input, and is sampled itself. */
static bool goes_on_to_made(const struct record_walker *r, const struct located_trace *t)
{
	struct output_place source = t->source, next = t->from;

	if (!rules_restore(&r->facts->rules, RESTORE_INSERTED) ||
	    r->facts->binary->image.machine != MACHINE_AARCH64 ||
	    t->insn.kind != INSN_CONDITIONAL || !source.fragment ||
	    source.fragment != next.fragment || next.offset != source.offset + 4)
		return false;
	const struct bat_entry *entry =
		bat_entry_at(&r->facts->binary->bat, next.fragment, next.offset);
	return entry && entry->output != next.offset;
}

/* ---- fall-throughs ---- */

/* A way within a function, by falling through. */
static void add_edge(void *ctx, uint32_t source, uint32_t target, uint32_t output, uint64_t count)
{
	struct record_walker *r = ctx;
	struct output_place next = {.function = r->walked_function, .offset = output};

	if (output != NO_OUTPUT)
		source = inlined_own_offset(r->facts->inlined, next, true, source);
	struct input_place from = {r->walked_owner, source}, to = {r->walked_owner, target};

	if (leads_to_made(r, from, to) || is_divided(r, from, to))
		r->restored.count[RESTORE_INSERTED] += count;
	else
		add(r, (struct record){RECORD_BRANCH, from, to, count, 0, 0});
}

void record_walker_end_shard(struct record_walker *r)
{
	fall_throughs_take(&r->fall_throughs, &r->facts->binary->bat, add_edge, r);
}

/* The lines that come are of a function, whose code is that of another one.  Neighbors are of one,
 * as rows are sorted. */
static void begin_function(struct record_walker *r, const struct function *function,
			   const struct function *owner)
{
	record_walker_end_shard(r);
	r->walked_function = function;
	r->walked_owner = owner;
}

/* Walks a line in the graph of its function, which may be NULL.  Returns TRACE_KEPT, or why it
 * gives no edge. */
static enum trace_drop walk_graph(struct record_walker *r, const struct graph *graph,
				  const struct fall_through *fall, uint64_t count)
{
	uint32_t first, last;

	if (!graph || !graph->count)
		return TRACE_DROP_NO_MAP;
	switch (graph_walk(graph, fall, &first, &last)) {
	case WALK_EDGES:
		if (!fall_throughs_add_blocks(&r->fall_throughs, graph, first, last, count))
			r->no_memory = true;
		return TRACE_KEPT;
	case WALK_ONE_BLOCK: return TRACE_DROP_ONE_BLOCK;
	case WALK_INVALID: break;
	}
	return TRACE_DROP_INVALID;
}

/* Can a branch be the return from a call of the function?  `own`: it came from the function itself.
 */
static bool may_return(const struct record_walker *r, const struct located_trace *t, bool own)
{
	if (trace_end_is(t->trace.branch, TRACE_END_NONE))
		return false;
	return !own || (t->returns && r->facts->rules.own_returns);
}

/* Where BOLT left the function alone: its blocks are in its code. */
static enum trace_drop walk_code(struct record_walker *r, const struct located_trace *t)
{
	const struct record_facts *facts = r->facts;
	const struct function *function = t->from.function;
	bool left_out = facts->left_out.at &&
			*code_marks_of(&facts->left_out,
				       functions_code_number(&facts->binary->functions, function));
	const struct graph *graph = left_out ? NULL : cfg_find(facts->cfg, function);
	bool own = graph && trace_end_vaddr(t->trace.branch).v - function->address < graph->size;
	struct fall_through fall = {.from = t->from.offset,
				    .to = t->to.offset,
				    .after_return = t->returns,
				    .may_follow_call = may_return(r, t, own)};

	return walk_graph(r, graph, &fall, t->row->count);
}

/* Where BAT has the function. */
static enum trace_drop walk_table(struct record_walker *r, const struct located_trace *t)
{
	bool any = false;

	if (!r->walked_owner)
		return TRACE_DROP_NO_PARENT;
	/* The block that made the call comes first where a return led here. */
	if (t->returns && !t->from.offset)
		return TRACE_DROP_ONE_BLOCK;
	if (!fall_throughs_add(&r->fall_throughs, &r->facts->binary->bat, t->from.fragment,
			       t->from.offset - t->returns, t->to.offset, t->row->count, &any))
		r->no_memory = true;
	return any ? TRACE_KEPT : TRACE_DROP_ONE_BLOCK;
}

/* Walks the blocks that a line ran through.  Returns TRACE_KEPT, or why it gives no edge. */
static enum trace_drop walk_line(struct record_walker *r, const struct located_trace *t)
{
	struct output_place from = t->from, to = t->to;

	if (!from.function || !to.function)
		return TRACE_DROP_OUTSIDE;
	if (from.function != to.function)
		return TRACE_DROP_TWO_FRAGMENTS;
	if (from.offset > to.offset)
		return TRACE_DROP_BACKWARDS;
	if (r->walked_function != from.function)
		begin_function(r, from.function, binary_owner(r->facts->binary, from));
	if (cannot_name(r, r->walked_owner))
		return TRACE_DROP_UNNAMEABLE;
	if (!from.fragment)
		return from.function->kind == FUNCTION_PLT ? TRACE_DROP_ONE_BLOCK : walk_code(r, t);
	return walk_table(r, t);
}

/* Did the branch come from the function itself, in its original body or its new one? */
static bool comes_from(const struct record_walker *r, const struct located_trace *t,
		       const struct function *output)
{
	struct old_place old = old_place_by_rules(&r->facts->rules, t->old_source);

	if (old.input)
		return old.output == output;
	return t->source.function && binary_owner(r->facts->binary, t->source) == output;
}

/* As walk_line(), where code of the input ran at its own location. */
static enum trace_drop walk_old(struct record_walker *r, const struct located_trace *t,
				struct old_place from)
{
	struct old_place to = old_place_by_rules(&r->facts->rules, t->old_to);

	if (to.input != from.input)
		return to.input ? TRACE_DROP_TWO_FRAGMENTS : TRACE_DROP_OUTSIDE;
	if (from.offset > to.offset)
		return TRACE_DROP_BACKWARDS;
	if (r->walked_function != from.input)
		begin_function(r, from.input, from.output);
	if (cannot_name(r, r->walked_owner))
		return TRACE_DROP_UNNAMEABLE;
	struct fall_through fall = {.from = from.offset,
				    .to = to.offset,
				    .after_return = t->returns,
				    .may_follow_call =
					    may_return(r, t, comes_from(r, t, from.output))};
	enum trace_drop why =
		walk_graph(r, cfg_find(&r->facts->pair->graphs, from.input), &fall, t->row->count);
	if (why == TRACE_KEPT)
		r->restored.count[from.has_table ? RESTORE_ORIGINAL : RESTORE_IGNORED] +=
			t->row->count;
	return why;
}

static void take_line(struct record_walker *r, const struct located_trace *t)
{
	struct ledger *ledger = &r->ledgers.traces;
	struct old_place old = old_place_by_rules(&r->facts->rules, t->old_from);
	enum trace_drop why = t->into_thunk ? TRACE_DROP_ONE_BLOCK :
			      old.input     ? walk_old(r, t, old) :
					      walk_line(r, t);

	if (!trace_end_equal(t->trace.to, t->end))
		ledger->read += t->row->count; /* imputed: only now is it one */
	if (why == TRACE_KEPT)
		ledger->kept += t->row->count;
	else
		ledger->dropped[why] += t->row->count;
}

void record_walker_take_trace(struct record_walker *r, const struct located_trace *t)
{
	if (trace_has_branch(&t->trace)) {
		inlined_take_branch(r->facts->inlined, t->source, t->row->count);
		if (t->returns)
			r->ledgers.branches.dropped[BRANCH_DROP_RETURN] += t->row->count;
		else if (t->of_thunk || goes_on_to_made(r, t))
			drop_made(r, t->row->count);
		else
			take_branch(r, t);
	}
	if (!trace_end_is(t->end, TRACE_END_NONE)) {
		if (t->from.function == t->to.function)
			inlined_take_line(r->facts->inlined, t->from, t->to.offset, t->row->count);
		take_line(r, t);
	}
}

/* ---- addresses ---- */

static void check_address(struct record_walker *r, struct output_place place, uint64_t count)
{
	enum address_verdict verdict = address_check(r->facts->binary, place, &r->walk);

	if (verdict != ADDRESS_UNSURE)
		r->check.checked += count;
	if (verdict == ADDRESS_INSIDE)
		r->check.inside += count;
}

void record_walker_take_address(struct record_walker *r, struct output_place place, uint64_t count)
{
	struct ledger *ledger = &r->ledgers.samples;
	struct input_place at;

	if (!place.function) {
		ledger->dropped[SAMPLE_DROP_NO_FUNCTION] += count;
	} else if (!binary_translate(r->facts->binary, place, false, &at)) {
		ledger->dropped[SAMPLE_DROP_NO_PARENT] += count;
	} else if (cannot_name(r, at.function)) {
		ledger->dropped[SAMPLE_DROP_UNNAMEABLE] += count;
	} else {
		check_address(r, place, count);
		ledger->kept += count;
		add(r, (struct record){RECORD_SAMPLE, at, {0}, count, 0, 0});
	}
}
