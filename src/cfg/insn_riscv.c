/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/insn_isa.h"
#include "src/isa/branch.h"
#include "src/isa/branch_isa.h"

#define UNIMP UINT32_C(0xc0001073)

/* Does a jump keep its return address?  jal and jalr with a register other than
 * x0; c.jalr. */
static bool is_call(uint32_t word, size_t size)
{
	if (size == 2)
		return (word & 0xf07f) == 0x9002;
	return word >> 7 & 31;
}

static enum flow flow_of(enum branch_kind kind, uint32_t word, size_t size)
{
	switch (kind) {
	case BRANCH_NONE:
	case BRANCH_SYSTEM:
		return (size == 2 && !word) || word == UNIMP ? FLOW_TRAP : FLOW_NEXT;
	case BRANCH_RETURN:
		return FLOW_RETURN;
	case BRANCH_DIRECT:
		return is_call(word, size) ? FLOW_CALL : FLOW_JUMP;
	case BRANCH_CONDITIONAL:
		return FLOW_CONDITIONAL;
	case BRANCH_INDIRECT:
		return is_call(word, size) ? FLOW_CALL : FLOW_INDIRECT;
	}
	return FLOW_NEXT;
}

bool insn_riscv(struct bytes code, uint64_t at, struct insn *out)
{
	if (code.size < 2)
		return false;
	size_t size = (code.data[0] & 3) == 3 ? 4 : 2;
	bool longer = (code.data[0] & 0x1f) == 0x1f; /* than 32 bits: none is in use */
	if (longer || code.size < size)
		return false;
	uint32_t word = size == 4 ? le32(code.data) : le16(code.data);
	struct branch_insn branch = branch_riscv(code, at);
	*out = (struct insn){.size = (uint8_t)size, .target = branch.target.v,
			     .flow = (uint8_t)flow_of(branch.kind, word, size)};
	return true;
}
