/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/range_walk.h"

static void add(struct range_walker *w, uint64_t what, uint64_t from, uint64_t to, uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {what, from, to};

	if (count && !count_table_add(&w->counts, key, count, 0))
		w->no_memory = true;
}

static void add_insns(struct range_walker *w, const struct code *code, uint32_t first, uint32_t last, uint64_t count)
{
	if (last + 1 > first && first < code->insns->len)
		add(w, COUNTED_RANGE, code_address(code, first), code_address(code, last), count);
}

/* Counts the jump at the end of a block, if it leads to the next block that ran.  Else that was
 * reached by falling through. */
static void add_jump(struct range_walker *w, const struct code *code, uint32_t last, uint32_t block, uint64_t count)
{
	const struct insn *insn = &code->insns->at[last];
	uint64_t to = code_address(code, code->blocks.at[block].first);
	bool direct = insn_jumps(*insn);

	if (insn->kind == INSN_JUMP_INDIRECT || (direct && insn->target == to))
		add(w, COUNTED_BRANCH, code_address(code, last), to, count);
}

static void add_way(struct range_walker *w, const struct code *code, uint32_t last, const uint32_t *blocks, uint32_t count,
		    uint32_t to, uint64_t times)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct code_block *passed = &code->blocks.at[blocks[i]];
		add_jump(w, code, last, blocks[i], times);
		add_insns(w, code, passed->first, passed->end - 1, times);
		last = passed->end - 1;
	}
	add_jump(w, code, last, to, times);
}

/* Where one end of a trace lies. */
struct spot {
	struct piece *piece;   /* NULL: nowhere, or in a PLT entry */
	uint32_t insn;         /* of the piece; NO_INSN: it is within one, or behind what can be read */
	struct old_place old;  /* the input's own code at its place */
	bool walked;           /* the piece has a code: search the place */
};

static struct spot spot_at(const struct range_walker *w, struct output_place place, struct old_place old)
{
	struct spot spot = {.insn = NO_INSN, .old = old};

	if (old.input)
		return spot;
	spot.piece = pieces_of(w->pieces, place.function);
	if (!spot.piece)
		return spot;
	spot.insn = piece_insn(spot.piece, place.offset);
	spot.walked = spot.piece->code;
	return spot;
}

/* For a spot that is not walked: returns where the input has the instruction; 0: nowhere. */
static uint64_t same_place(const struct spot *spot, struct trace_end end)
{
	const struct piece *piece = spot->piece;
	uint64_t vaddr = trace_end_vaddr(end).v;

	if (spot->old.input)
		return vaddr;
	if (!piece || piece->fragment || !piece->input || spot->insn == NO_INSN)
		return 0;
	return piece->input->address + (vaddr - piece->output->address);
}

/* ---- straight lines ---- */

/* Counts all instructions from one to another, which may lie in a later group. */
static void add_groups(struct range_walker *w, struct piece *piece, struct enter from, const struct leave *to, uint64_t count)
{
	const struct group *groups = piece->groups.at;

	if (from.group >= to->group) {
		add_insns(w, piece->code, from.start, to->last, count);
		return;
	}
	bool whole = from.start == groups[from.group].start;
	if (!whole)
		add_insns(w, piece->code, from.start, groups[from.group].end, count);
	atomic_fetch_add_explicit(&piece->whole[from.group + !whole], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&piece->whole[to->group], count, memory_order_relaxed);
	atomic_fetch_add_explicit(&piece->beyond[from.group], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&piece->beyond[to->group], count, memory_order_relaxed);
	add_insns(w, piece->code, groups[to->group].start, to->last, count);
}

/* Counts the first block of a function, if llvm-bolt removed it: a call, or a jump from elsewhere,
 * enters it all the same in the input. */
static void add_taken_out(struct range_walker *w, const struct piece *piece, const struct group *group, uint64_t count)
{
	const struct code *code = piece->code;
	struct way way;

	if (group->first_input || !group->input || !group->block)
		return;
	uint32_t end = code_end_towards(code, 0, group->block, &way);
	if (end == NO_INSN)
		return;
	add_insns(w, code, 0, end, count);
	add_way(w, code, end, way.blocks, way.count, group->block, count);
}

static enum range_drop walk_piece(struct range_walker *w, struct spot *from, const struct spot *to, const struct enter *enter,
				  bool enters, uint64_t count)
{
	struct piece *piece = from->piece;

	if (enters && !piece->fragment->cold && !piece->insns.at[from->insn].offset)
		add_taken_out(w, piece, &piece->groups.at[0], count);
	struct leave leave = locate_leave(w->pieces->binary, piece, to->insn);
	add_groups(w, piece, *enter, &leave, count);
	return RANGE_DROP_COUNT;
}

/* Walks a straight line.  Returns why it was dropped, or RANGE_DROP_COUNT: it is counted. */
static enum range_drop take_line(struct range_walker *w, const struct located_trace *t, struct spot *from, const struct spot *to,
				 const struct enter *enter, bool enters)
{
	const struct trace *trace = &t->trace;
	uint64_t count = t->row->count;


	if ((!from->piece && !from->old.input) || (!to->piece && !to->old.input))
		return RANGE_OUTSIDE;
	if (from->piece != to->piece || from->old.input != to->old.input)
		return RANGE_TWO_FUNCTIONS;
	if (trace_end_vaddr(trace->from).v > trace_end_vaddr(trace->to).v)
		return RANGE_BACKWARDS;
	if (from->piece && (from->insn == NO_INSN || to->insn == NO_INSN || !piece_runs(from->piece, from->insn, to->insn)))
		return RANGE_INVALID;
	if (from->walked)
		return walk_piece(w, from, to, enter, enters, count);
	uint64_t first = same_place(from, trace->from), last = same_place(to, trace->to);
	if (!first || !last)
		return RANGE_NO_CODE;
	add(w, COUNTED_RANGE, first, last, count);
	return RANGE_DROP_COUNT;
}

/* ---- taken branches ---- */

static uint64_t block_address(const struct code *code, uint32_t block)
{
	return code_address(code, code->blocks.at[block].first);
}

/* Counts a branch within a function, through blocks that llvm-bolt removed. */
static void step_within(struct range_walker *w, const struct code *code, uint32_t last, uint32_t to, uint64_t count)
{
	struct way way = {.count = 0};

	if (code_end_towards(code, code_block_of(code, last), to, &way) == NO_INSN) {
		add(w, COUNTED_BRANCH, code_address(code, last), block_address(code, to), count);
		return;
	}
	add_way(w, code, last, way.blocks, way.count, to, count);
}

/* Finds the block that is only a jump to another function, to which a conditional jump of the input
 * leads: llvm-bolt joins the two.  NO_BLOCK: there is none. */
static uint32_t tail_between(const struct code *code, uint32_t last, uint64_t to)
{
	const struct code_block *block = &code->blocks.at[code_block_of(code, last)];

	for (uint32_t i = 0; i < block->succ_count && i < 2; i++) {
		uint32_t next = code->successors.at[block->succ + i], alone = code->blocks.at[next].alone;
		const struct insn *insn = alone == NO_INSN ? NULL : &code->insns->at[alone];
		if (insn && insn->kind == INSN_JUMP && insn->target == to)
			return next;
	}
	return NO_BLOCK;
}

/* Counts a branch to another function, or back from one. */
static void step_out(struct range_walker *w, const struct code *code, uint32_t last, uint64_t to, uint64_t count)
{
	const struct insn *insn = &code->insns->at[last];
	bool jumps = insn_jumps(*insn) || insn->kind == INSN_NEXT;
	uint32_t tail = jumps && insn->target != to ? tail_between(code, last, to) : NO_BLOCK;

	if (tail != NO_BLOCK) {
		const struct code_block *block = &code->blocks.at[tail];
		add_way(w, code, last, NULL, 0, tail, count);
		add_insns(w, code, block->first, block->end - 1, count);
		last = block->end - 1;
	}
	add(w, COUNTED_BRANCH, code_address(code, last), to, count);
}

/* Returns the address to which a branch leads in the input; 0: unknown. */
static uint64_t address_of(const struct spot *target, const struct enter *enter, struct trace_end at,
			   bool enters)
{
	const struct piece *piece = target->piece;

	if (!target->walked)
		return same_place(target, at);
	if (target->insn == NO_INSN || enter->start >= piece->code->insns->len)
		return 0;
	if (enters && !piece->fragment->cold && !piece->insns.at[target->insn].offset)
		return piece->input->address;
	return code_address(piece->code, enter->start);
}

/* Counts the way to a jump of another block that llvm-bolt joined with the jump of this one.
 * Returns the jump of the other block. */
static uint32_t step_to_tail(struct range_walker *w, const struct code *code, const struct leave *leave, uint64_t count)
{
	uint32_t block = code_block_of(code, leave->tail);

	step_within(w, code, leave->last, block, count);
	add_insns(w, code, code->blocks.at[block].first, leave->tail, count);
	return leave->tail;
}

static void step_from_code(struct range_walker *w, const struct spot *source, const struct spot *target,
			   const struct enter *enter, struct trace_end at, uint64_t count)
{
	const struct piece *piece = source->piece;
	const struct code *code = piece->code;
	struct leave leave = locate_leave(w->pieces->binary, piece, source->insn);
	const struct insn *insn = &piece->insns.at[source->insn];
	bool jumps = insn_jumps(*insn) || insn->kind == INSN_JUMP_INDIRECT;
	bool within = jumps && target->walked && target->piece->code == code;
	uint64_t to = address_of(target, enter, at, !within && insn->kind != INSN_RETURN);

	if (!to || leave.last >= code->insns->len) {
		w->steps.dropped[STEP_NO_CODE] += count;
		return;
	}
	w->steps.kept += count;
	if (leave.tail != NO_INSN)
		leave.last = step_to_tail(w, code, &leave, count);
	uint32_t block = code_block_of(code, leave.last);
	uint32_t next = within ? code_block_of(code, enter->start) : NO_BLOCK;
	bool begins = within && code->blocks.at[next].first == enter->start;
	if (begins && (leave.sited || leave.leads || next != block))
		step_within(w, code, leave.last, next, count);
	if (within)
		return;
	step_out(w, code, leave.last, to, count);
}

static const struct function_table *input_functions(const struct range_walker *w)
{
	return w->facts->pair ? &w->facts->pair->functions : &w->pieces->binary->functions;
}

/* ---- traces ---- */

/* Did a return lead to this place, from the call that ends there?  From outside, an exception
 * counts as one. */
static bool returned(const struct located_trace *t, const struct spot *source, const struct spot *target)
{
	const struct piece *piece = target->piece;

	if (!target->walked || target->insn == NO_INSN || !piece_follows_call(piece, target->insn))
		return false;
	if (t->returns || (source->piece && source->insn != NO_INSN))
		return t->returns;
	const struct group *group = &piece->groups.at[piece_group(piece, piece->insns.at[target->insn].offset)];
	bool pad = group->first == target->insn && piece->code->blocks.at[group->block].pad;
	return !trace_end_is(t->trace.branch, TRACE_END_NONE) && !pad;
}

/* Does a branch come from another function, or is it a call? */
static bool enters(const struct located_trace *t, const struct spot *source, const struct spot *target)
{
	if (trace_end_is(t->trace.branch, TRACE_END_NONE))
		return false;
	if (!source->piece || !target->piece || source->piece->owner != target->piece->owner)
		return true;
	return source->insn != NO_INSN && insn_is_call(source->piece->insns.at[source->insn]);
}

/* Counts a taken branch.  Calls from outside are those of the profile: ranges_take_calls(). */
static void take_step(struct range_walker *w, const struct located_trace *t, const struct spot *source, const struct spot *target,
		      const struct enter *enter)
{
	struct trace_end at = t->trace.from, branch = t->trace.branch;
	uint64_t count = t->row->count;

	w->steps.read += count;
	if (!target->piece && !target->old.input) {
		w->steps.dropped[STEP_OUTSIDE] += count;
		return;
	}
	if (source->walked && source->insn != NO_INSN) {
		step_from_code(w, source, target, enter, at, count);
		return;
	}
	uint64_t from = source->walked ? 0 : same_place(source, branch);
	uint64_t to = address_of(target, enter, at, true);
	if (!to) {
		w->steps.dropped[STEP_NO_CODE] += count;
		return;
	}
	w->steps.kept += count;
	if (from || trace_end_is(branch, TRACE_END_FT_RETURN) || !functions_code_at(input_functions(w), to))
		add(w, COUNTED_BRANCH, from ? from : RANGE_FROM_OUTSIDE, to, count);
}

void range_walker_take(struct range_walker *w, const struct located_trace *t)
{
	struct spot source = spot_at(w, t->source, t->old_source), target = spot_at(w, t->from, t->old_from);
	struct enter enter = {0};

	if (target.walked && target.insn != NO_INSN)
		enter = locate_enter(w->pieces->binary, target.piece, target.insn, returned(t, &source, &target));
	/* A return from outside has no branch to count. */
	if (trace_has_branch(&t->trace) || trace_end_is(t->trace.branch, TRACE_END_FT_RETURN))
		take_step(w, t, &source, &target, &enter);
	if (!trace_has_fall_through(&t->trace))
		return;
	w->runs.read += t->row->count;
	struct spot to = spot_at(w, t->to, t->old_to);
	enum range_drop why = take_line(w, t, &target, &to, &enter, enters(t, &source, &target));
	if (why == RANGE_DROP_COUNT)
		w->runs.kept += t->row->count;
	else
		w->runs.dropped[why] += t->row->count;
}

void range_walker_sums(struct range_walker *w, const struct piece *piece)
{
	const struct code *code = piece->code;
	uint64_t whole = 0, beyond = 0;

	for (size_t i = 0; code && i + 1 < piece->groups.len; i++) {
		const struct group *group = &piece->groups.at[i];
		whole += piece->whole[i];
		beyond += piece->beyond[i];
		if (whole)
			add_insns(w, code, group->start, group->end, whole);
		if (beyond && group[1].block != group->block && group->end < code->insns->len)
			add_way(w, code, group->end, group->passed_count ? piece->passed.at + group->passed : NULL, group->passed_count,
				       group[1].block, beyond);
	}
}
