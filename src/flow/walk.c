/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Straight lines of code, from one taken branch to the next. */
#include "src/flow/walker.h"

#include "src/flow/walk.h"

void walker_add(struct walker *w, uint64_t what, uint64_t from, uint64_t to, uint64_t count)
{
	const uint64_t key[COUNT_KEY_WORDS] = {what, from, to};

	if (count && !count_table_add(w->counts, key, count, 0))
		w->no_memory = true;
}

void walker_add_insns(struct walker *w, const struct code *code, uint32_t first, uint32_t last, uint64_t count)
{
	if (last + 1 > first && first < code->insns->len)
		walker_add(w, COUNTED_RANGE, code_address(code, first), code_address(code, last), count);
}

/* Counts the jump at the end of a block, if it leads to the next block that ran.  Else that was
 * reached by falling through. */
static void add_jump(struct walker *w, const struct code *code, uint32_t last, uint32_t block, uint64_t count)
{
	const struct insn *insn = &code->insns->at[last];
	uint64_t to = code_address(code, code->blocks.at[block].first);
	bool direct = insn_jumps(*insn);

	if (insn->kind == INSN_JUMP_INDIRECT || (direct && insn->target == to))
		walker_add(w, COUNTED_BRANCH, code_address(code, last), to, count);
}

void walker_add_way(struct walker *w, const struct code *code, uint32_t last, const uint32_t *blocks, uint32_t count,
		    uint32_t to, uint64_t times)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct code_block *passed = &code->blocks.at[blocks[i]];
		add_jump(w, code, last, blocks[i], times);
		walker_add_insns(w, code, passed->first, passed->end - 1, times);
		last = passed->end - 1;
	}
	add_jump(w, code, last, to, times);
}

struct spot walker_spot(const struct walker *w, struct trace_end end, struct location at)
{
	const struct pair *pair = w->job->pair;
	struct spot spot = {.insn = NO_INSN};

	if (pair)
		spot.old = pair_old_place(pair, trace_end_vaddr(end).v, true, true);
	if (spot.old.input)
		return spot;
	struct output_place place = located_place(w->job->located, at);
	spot.piece = pieces_of(w->pieces, place.function);
	if (!spot.piece)
		return spot;
	spot.insn = piece_insn(spot.piece, place.offset);
	spot.walked = spot.piece->code;
	return spot;
}

uint64_t walker_same_place(const struct spot *spot, struct trace_end end)
{
	const struct piece *piece = spot->piece;
	uint64_t vaddr = trace_end_vaddr(end).v;

	if (spot->old.input)
		return vaddr;
	if (!piece || piece->fragment || !piece->input || spot->insn == NO_INSN)
		return 0;
	return piece->input->address + (vaddr - piece->output->address);
}

/* Counts all instructions from one to another, which may lie in a later group. */
static void add_groups(struct walker *w, struct piece *piece, struct enter from, const struct leave *to, uint64_t count)
{
	const struct group *groups = piece->groups.at;

	if (from.group >= to->group) {
		walker_add_insns(w, piece->code, from.start, to->last, count);
		return;
	}
	bool whole = from.start == groups[from.group].start;
	if (!whole)
		walker_add_insns(w, piece->code, from.start, groups[from.group].end, count);
	atomic_fetch_add_explicit(&piece->whole[from.group + !whole], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&piece->whole[to->group], count, memory_order_relaxed);
	atomic_fetch_add_explicit(&piece->beyond[from.group], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&piece->beyond[to->group], count, memory_order_relaxed);
	walker_add_insns(w, piece->code, groups[to->group].start, to->last, count);
}

/* Counts the first block of a function, if llvm-bolt removed it: a call, or a jump from elsewhere,
 * enters it all the same in the input. */
static void add_taken_out(struct walker *w, const struct piece *piece, const struct group *group, uint64_t count)
{
	const struct code *code = piece->code;
	struct way way;

	if (group->first_input || !group->input || !group->block)
		return;
	uint32_t end = code_end_towards(code, 0, group->block, &way);
	if (end == NO_INSN)
		return;
	walker_add_insns(w, code, 0, end, count);
	walker_add_way(w, code, end, way.blocks, way.count, group->block, count);
}

static enum range_drop walk_piece(struct walker *w, struct spot *from, const struct spot *to, const struct enter *enter,
				  bool enters, uint64_t count)
{
	struct piece *piece = from->piece;

	if (enters && !piece->fragment->cold && !piece->insns.at[from->insn].offset)
		add_taken_out(w, piece, &piece->groups.at[0], count);
	struct leave leave = locate_leave(w->job->located->binary, piece, to->insn);
	add_groups(w, piece, *enter, &leave, count);
	return RANGE_DROP_COUNT;
}

/* Walks a straight line.  Returns why it was dropped, or RANGE_DROP_COUNT: it is counted. */
static enum range_drop walk(struct walker *w, const struct trace *trace, struct spot *from, const struct spot *to,
			    const struct enter *enter, bool enters, uint64_t count)
{
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
	uint64_t first = walker_same_place(from, trace->from), last = walker_same_place(to, trace->to);
	if (!first || !last)
		return RANGE_NO_CODE;
	walker_add(w, COUNTED_RANGE, first, last, count);
	return RANGE_DROP_COUNT;
}

/* Did a return lead to this place, from the call that ends there?  From outside, an exception
 * counts as one. */
static bool returned(const struct walker *w, const struct trace *trace, const struct spot *source, const struct spot *target)
{
	const struct piece *piece = target->piece;

	if (!target->walked || target->insn == NO_INSN || !piece_follows_call(piece, target->insn))
		return false;
	if (trace_end_is(trace->branch, TRACE_END_FT_RETURN) || returns_has(w->job->returns, trace->branch))
		return true;
	if (source->piece && source->insn != NO_INSN)
		return source->piece->insns.at[source->insn].kind == INSN_RETURN;
	const struct group *group = &piece->groups.at[piece_group(piece, piece->insns.at[target->insn].offset)];
	bool pad = group->first == target->insn && piece->code->blocks.at[group->block].pad;
	return !trace_end_is(trace->branch, TRACE_END_NONE) && !pad;
}

/* Does a branch come from another function, or is it a call? */
static bool enters(const struct trace *trace, const struct spot *source, const struct spot *target)
{
	if (trace_end_is(trace->branch, TRACE_END_NONE))
		return false;
	if (!source->piece || !target->piece || source->piece->owner != target->piece->owner)
		return true;
	return source->insn != NO_INSN && insn_is_call(source->piece->insns.at[source->insn]);
}

static void take_trace(struct walker *w, const struct count_row *row, const struct location *at)
{
	struct trace trace = trace_of(row->key);
	struct spot target = walker_spot(w, trace.from, at[END_FROM]);
	struct spot source = trace_end_is(trace.branch, TRACE_END_VADDR) ? walker_spot(w, trace.branch, at[END_BRANCH]) : (struct spot){.insn = NO_INSN};
	struct enter enter = {0};

	if (target.walked && target.insn != NO_INSN)
		enter = locate_enter(w->job->located->binary, target.piece, target.insn, returned(w, &trace, &source, &target));
	/* A return from outside has no branch to count. */
	if (trace_has_branch(&trace) || trace_end_is(trace.branch, TRACE_END_FT_RETURN))
		walker_step(w, row, &source, &target, &enter);
	if (!trace_has_fall_through(&trace))
		return;
	w->runs.read += row->count;
	struct spot to = walker_spot(w, trace.to, at[END_TO]);
	enum range_drop why = walk(w, &trace, &target, &to, &enter, enters(&trace, &source, &target), row->count);
	if (why == RANGE_DROP_COUNT)
		w->runs.kept += row->count;
	else
		w->runs.dropped[why] += row->count;
}

void walk_shard(struct walker *w, size_t shard)
{
	struct located_counts *located = w->job->located;
	const struct count_table *table = located_rows(located, shard);

	for (size_t i = 0; i < table->used; i++)
		take_trace(w, &table->rows[i], located_row(located, shard, i));
}

void walk_piece_sums(struct walker *w, const struct piece *piece)
{
	const struct code *code = piece->code;
	uint64_t whole = 0, beyond = 0;

	for (size_t i = 0; code && i + 1 < piece->groups.len; i++) {
		const struct group *group = &piece->groups.at[i];
		whole += piece->whole[i];
		beyond += piece->beyond[i];
		if (whole)
			walker_add_insns(w, code, group->start, group->end, whole);
		if (beyond && group[1].block != group->block && group->end < code->insns->len)
			walker_add_way(w, code, group->end, group->passed_count ? piece->passed.at + group->passed : NULL, group->passed_count,
				       group[1].block, beyond);
	}
}
