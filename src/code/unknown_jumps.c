/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/unknown_jumps.h"

#include "src/code/jump_pattern.h"
#include "src/isa/x86_insn.h"

/* pop, popf, leave: instructions that restore the stack at a function's end. */
static bool restores(struct bytes code)
{
	struct x86_insn insn;

	x86_decode(code, &insn); /* the opcode is known in any case */
	return insn.map == X86_ONE_BYTE && ((insn.opcode & 0xf8) == 0x58 || insn.opcode == 0x8f ||
					    insn.opcode == 0x9d || insn.opcode == 0xc9);
}

/* BOLT takes an indirect jump for a tail call if the stack is put right before it, in
 * the same block.  It looks for that on x86 only. */
static bool is_tail_call(const struct jumps_search *search, const struct insn *jump,
			 const struct block *block)
{
	if (search->image->machine != MACHINE_X86_64)
		return false;
	for (const struct insn *insn = jump; insn->offset > block->start;) {
		insn--;
		struct vaddr at = {search->function->address + insn->offset};
		if (restores(bytes_first(image_bytes_at(search->image, at), insn->size)))
			return true;
	}
	return false;
}

/* BOLT believes in a table only if all instructions that lead to it stand in the block of the
 * jump: not if a loop that it is used in has its address from before. */
static bool is_table_jump(const struct jumps_search *search, const struct insn *jump,
			  const struct block *block)
{
	const struct insn *first = jump;
	struct table_ref ref;

	while (first->offset > block->start)
		first--;
	size_t before = (size_t)(jump - first);
	struct insn_vec insns = {(struct insn *)first, before + 1, before + 1};
	return jump_pattern(search->image, search->function, &insns, before, &ref);
}

bool has_unknown_jumps(const struct jumps_search *search)
{
	const struct insn_vec *insns = search->insns;
	const struct block *block = search->blocks;

	if (search->block_count < 2)
		return false;
	for (size_t i = 0; i < insns->len; i++) {
		const struct insn *insn = &insns->at[i];
		while (insn->offset > block->last)
			block++;
		if (insn->kind != INSN_JUMP_INDIRECT)
			continue;
		if (search->marks[i] & search->table ? !is_table_jump(search, insn, block)
						     : !is_tail_call(search, insn, block))
			return true;
	}
	return false;
}
