/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Taken branches: where the input has each, and what it runs on the way. */
#include "src/flow/walker.h"

static uint64_t block_address(const struct code *code, uint32_t block)
{
	return code_address(code, code->blocks.at[block].first);
}

/* Counts a branch within a function, through blocks that llvm-bolt removed. */
static void step_within(struct walker *w, const struct code *code, uint32_t last, uint32_t to, uint64_t count)
{
	struct way way = {.count = 0};

	if (code_end_towards(code, code_block_of(code, last), to, &way) == NO_INSN) {
		walker_add(w, COUNTED_BRANCH, code_address(code, last), block_address(code, to), count);
		return;
	}
	walker_add_way(w, code, last, way.blocks, way.count, to, count);
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
static void step_out(struct walker *w, const struct code *code, uint32_t last, uint64_t to, uint64_t count)
{
	const struct insn *insn = &code->insns->at[last];
	bool jumps = insn_jumps(*insn) || insn->kind == INSN_NEXT;
	uint32_t tail = jumps && insn->target != to ? tail_between(code, last, to) : NO_BLOCK;

	if (tail != NO_BLOCK) {
		const struct code_block *block = &code->blocks.at[tail];
		walker_add_way(w, code, last, NULL, 0, tail, count);
		walker_add_insns(w, code, block->first, block->end - 1, count);
		last = block->end - 1;
	}
	walker_add(w, COUNTED_BRANCH, code_address(code, last), to, count);
}

/* Returns the address to which a branch leads in the input; 0: unknown. */
static uint64_t address_of(const struct spot *target, const struct enter *enter, struct trace_end at,
			   bool enters)
{
	const struct piece *piece = target->piece;

	if (!target->walked)
		return walker_same_place(target, at);
	if (target->insn == NO_INSN || enter->start >= piece->code->insns->len)
		return 0;
	if (enters && !piece->fragment->cold && !piece->insns.at[target->insn].offset)
		return piece->input->address;
	return code_address(piece->code, enter->start);
}

/* Counts the way to a jump of another block that llvm-bolt joined with the jump of this one.
 * Returns the jump of the other block. */
static uint32_t step_to_tail(struct walker *w, const struct code *code, const struct leave *leave, uint64_t count)
{
	uint32_t block = code_block_of(code, leave->tail);

	step_within(w, code, leave->last, block, count);
	walker_add_insns(w, code, code->blocks.at[block].first, leave->tail, count);
	return leave->tail;
}

static void step_from_code(struct walker *w, const struct spot *source, const struct spot *target,
			   const struct enter *enter, struct trace_end at, uint64_t count)
{
	const struct piece *piece = source->piece;
	const struct code *code = piece->code;
	struct leave leave = locate_leave(w->job->located->binary, piece, source->insn);
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
	if (begins && (leave.sited || next != block))
		step_within(w, code, leave.last, next, count);
	if (within)
		return;
	step_out(w, code, leave.last, to, count);
}

static const struct function_table *input_functions(const struct walker *w)
{
	return w->job->pair ? &w->job->pair->functions : &w->job->located->binary->functions;
}

/* Calls from outside are those of the profile (calls.c). */
void walker_step(struct walker *w, const struct count_row *row, const struct spot *source, const struct spot *target,
		 const struct enter *enter)
{
	struct trace_end at = trace_of(row->key).from, branch = trace_of(row->key).branch;

	w->steps.read += row->count;
	if (!target->piece && !target->old.input) {
		w->steps.dropped[STEP_OUTSIDE] += row->count;
		return;
	}
	if (source->walked && source->insn != NO_INSN) {
		step_from_code(w, source, target, enter, at, row->count);
		return;
	}
	uint64_t from = source->walked ? 0 : walker_same_place(source, branch);
	uint64_t to = address_of(target, enter, at, true);
	if (!to) {
		w->steps.dropped[STEP_NO_CODE] += row->count;
		return;
	}
	w->steps.kept += row->count;
	if (from || trace_end_is(branch, TRACE_END_FT_RETURN) || !functions_code_at(input_functions(w), to))
		walker_add(w, COUNTED_BRANCH, from ? from : RANGE_FROM_OUTSIDE, to, row->count);
}
