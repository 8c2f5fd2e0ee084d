/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A copy of a block: with -tail-duplication llvm-bolt puts it where a jump led to the block, behind the one that jumped.  The table has
 * no entry of its own for the copy.  What shows it is a branch in it, which has the offset that it has in the copied block, or a
 * return, if the block in front goes on in the input.  Each execution of the block in front went on to the copied one.
 */
#include <stdlib.h>

#include "src/flow/steps.h"

/* The only block that a block leads to; NO_BLOCK: it leads to several, or to none. */
static uint32_t only_successor(const struct code *code, uint32_t block)
{
	const struct code_block *b = &code->blocks.at[block];

	for (uint32_t s = 1; s < b->succ_count; s++)
		if (code->successors.at[b->succ + s] != code->successors.at[b->succ])
			return NO_BLOCK;
	return b->succ_count ? code->successors.at[b->succ] : NO_BLOCK;
}

/* Finds the copies in a fragment by their branches, and where the code of each block is. */
static void find_in(struct pass *pass, uint32_t number)
{
	const struct code *code = pass->code;
	const struct binary *binary = pass->binary;
	const struct bat_fragment *fragment = &binary->bat.fragments[number];
	struct copy *begun = NULL;
	uint32_t block = NO_BLOCK;

	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++) {
		struct bat_entry entry = binary->bat.entries[i];
		if (!bat_entry_is_branch(entry)) {
			block = code_block_from(code, bat_entry_input(entry));
			if (begun)
				begun->end = fragment->address + entry.output;
			begun = block == NO_BLOCK ? NULL : &pass->copies[block];
			if (begun)
				begun->begin = fragment->address + entry.output;
			continue;
		}
		uint32_t other = code_block_at(code, bat_entry_input(entry));
		if (block == NO_BLOCK || other == block)
			continue;
		bool goes = other != NO_BLOCK && only_successor(code, block) == other;
		if (goes)
			pass->copies[block].of = other;
		block = goes ? other : NO_BLOCK;
	}
	if (begun)
		begun->end = fragment->address + binary_fragment_size(binary, number);
}

bool copies_find(struct pass *pass)
{
	size_t blocks = pass->code->blocks.len;
	uint32_t hot = pass->binary->fragment_of[pass->function - pass->binary->functions.at];

	free(pass->copies);
	pass->copies = calloc(blocks + 1, sizeof(*pass->copies));
	if (!pass->copies)
		return false;
	for (size_t i = 0; i < blocks; i++)
		pass->copies[i].of = NO_BLOCK;
	if (!blocks || hot == NO_FRAGMENT)
		return true;
	find_in(pass, hot);
	for (uint32_t cold = pass->first_cold[hot]; cold != NO_FRAGMENT; cold = pass->next_cold[cold])
		find_in(pass, cold);
	return true;
}

uint32_t copies_source(const struct pass *pass, uint32_t from, uint32_t to)
{
	for (uint32_t steps = 0; steps < WAY_MOST && pass->copies[from].of != NO_BLOCK; steps++) {
		from = pass->copies[from].of;
		if (code_leads(pass->code, from, to))
			return from;
	}
	return NO_BLOCK;
}

static bool returns(const struct code *code, uint32_t block)
{
	return code->insns->at[code->blocks.at[block].end - 1].kind == INSN_RETURN;
}

/* Does the code of the output end with a return? */
static bool ends_with_return(struct pass *pass, const struct copy *copy)
{
	struct bytes code = image_bytes_at(&pass->binary->image, (struct vaddr){copy->begin});
	enum insn_kind last = INSN_NEXT;
	struct insn insn;

	code = bytes_first(code, copy->end - copy->begin);
	if (pass->looks < code.size)
		return false;
	pass->looks -= code.size;
	for (size_t at = 0; at < code.size; at += insn.size) {
		if (!decoder_next(&pass->decoder, bytes_from(code, at), copy->begin + at, &insn))
			return false;
		if (!insn.nop)
			last = insn.kind;
	}
	return last == INSN_RETURN;
}

/* Notes the copies of all blocks up to that which returns, if the block at hand leads to them only and ends with a return in the output. */
static void find_return(struct pass *pass, uint32_t block)
{
	const struct code *code = pass->code;
	uint32_t last = block;

	for (uint32_t steps = 0; steps < WAY_MOST && last != NO_BLOCK && !returns(code, last); steps++)
		last = only_successor(code, last);
	if (last == NO_BLOCK || last == block || !returns(code, last) || !ends_with_return(pass, &pass->copies[block]))
		return;
	for (uint32_t next; block != last; block = next) {
		next = only_successor(code, block);
		pass->copies[block].of = next;
	}
}

/* Each block of a chain of copies is left for the next as often as it was entered and left for no other. */
void copies_restore(struct pass *pass, struct flows *flows)
{
	const struct code *code = pass->code;

	for (uint32_t i = 0; i < code->blocks.len; i++) {
		if (pass->copies[i].of == NO_BLOCK && flows->in[i] > flows->on[i])
			find_return(pass, i);
		uint32_t from = i, to;
		for (uint32_t steps = 0; steps < WAY_MOST && (to = pass->copies[from].of) != NO_BLOCK; steps++, from = to) {
			if (flows->in[from] <= flows->on[from])
				break;
			uint64_t count = flows->in[from] - flows->on[from];
			pass_add_edge(pass, code->insns->at[code_jump(code, from, to)].offset, code->blocks.at[to].start, count, 0);
			pass_count(pass, RESTORE_COPIES, count);
			flows->out[from] = count_add_saturating(flows->out[from], count);
			flows->on[from] += count;
			flows->in[to] = count_add_saturating(flows->in[to], count);
		}
	}
}
