/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A block that is only a jump to another function: llvm-bolt lets the conditional jump before it
 * lead there directly.  The profile has the call at the block's own jump, so the block is left more
 * often than it is entered, and the difference came by that conditional jump.
 */
#include "src/flow/steps.h"

static bool is_tail_call(const struct pass *pass, uint32_t block)
{
	const struct code *code = pass->code;
	uint32_t alone = code->blocks.at[block].alone;
	const struct insn *insn = alone == NO_INSN ? NULL : &code->insns->at[alone];

	return insn && insn->kind == INSN_JUMP && !insn_stays(code->input, insn);
}

/* Finds, for each block, the block before it that is entered most, of those that llvm-bolt did not
 * remove. */
static void find_before(const struct code *code, const struct flows *flows, uint32_t *before)
{
	for (uint32_t i = 0; i < code->blocks.len; i++)
		before[i] = NO_BLOCK;
	for (uint32_t i = 0; i < code->blocks.len; i++) {
		const struct code_block *block = &code->blocks.at[i];
		for (uint32_t s = block->succ; !block->removable && s < block->succ + block->succ_count; s++) {
			uint32_t *most = &before[code->successors.at[s]];
			if (*most == NO_BLOCK || flows->in[i] > flows->in[*most])
				*most = i;
		}
	}
}

bool tails_restore(struct pass *pass, struct flows *flows)
{
	const struct code *code = pass->code;
	uint32_t *before = malloc(code->blocks.len * sizeof(*before));

	if (!before)
		return false;
	find_before(code, flows, before);
	for (uint32_t i = 0; i < code->blocks.len; i++) {
		if (flows->out[i] <= flows->in[i] || !is_tail_call(pass, i))
			continue;
		uint64_t count = flows->out[i] - flows->in[i];
		if (before[i] == NO_BLOCK) {
			pass_count_guarded(pass, GUARD_TAILS, count);
			continue;
		}
		pass_add_edge(pass, code->insns->at[code_jump(code, before[i], i)].offset, code->blocks.at[i].start, count, 0);
		pass_count(pass, RESTORE_TAILS, count);
		flows->in[i] += count;
	}
	free(before);
	return true;
}
