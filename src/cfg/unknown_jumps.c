/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/unknown_jumps.h"

#include "src/cfg/jump_pattern.h"

/* pop, popf, leave: what stands at a function's end. */
static bool restores(struct bytes code)
{
	size_t at = 0;

	while (at < code.size && (code.data[at] == 0x66 || (code.data[at] & 0xf0) == 0x40))
		at++;
	if (at == code.size)
		return false;
	uint8_t opcode = code.data[at];
	return (opcode & 0xf8) == 0x58 || opcode == 0x8f || opcode == 0x9d || opcode == 0xc9;
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
		if (insn->flow != FLOW_INDIRECT)
			continue;
		if (search->marks[i] & search->table ? !is_table_jump(search, insn, block)
						     : !is_tail_call(search, insn, block))
			return true;
	}
	return false;
}
